/** What both runners of the extension-host tests print and leave behind. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { hostProfiles } from '../e2e/harness/profiles.ts';
import { ToolError, artifacts } from './commands.mjs';
import { hostFailures } from './failures.mjs';
import { bundleSuite, profileFolders, testFiles } from './suiteBundle.mjs';

/**
 * Runs the tests of each profile, or of those named on the command line (with --but: of all but those), and prints every
 * test and the total, which goes to .artifacts/e2e/NAME-total.json too, with what failed; NAME is `host`, or what --name
 * says. A failure sets the exit code.
 * @param {(name: string, bundle: string, options: object) => Promise<import('../e2e/suite/index.ts').SuiteResults>} run
 */
export async function runProfiles(run) {
  const { values, positionals: named } = parseArgs({
    options: { but: { type: 'boolean' }, name: { type: 'string', default: 'host' } },
    allowPositionals: true,
  });
  const total = { passed: 0, failed: 0, failures: [] };
  const runProfile = async (profile) => {
    const results = await run(
      `host${profile === '' ? '' : `-${profile}`}`,
      await bundle(profile),
      hostProfiles[profile],
    );
    print(results);
    total.passed += results.passed;
    total.failed += results.failed;
    total.failures.push(...hostFailures(results, profile));
  };
  const all = ['', ...profileFolders()];
  const others = all.filter((profile) => !named.includes(profile));
  const profiles = values.but === true || named.length === 0 ? others : named;
  const [alongside, inTurn] = partition(profiles, (profile) => hostProfiles[profile]?.alongside === true);
  const ended = await Promise.allSettled([
    ...alongside.map(runProfile),
    inTurn.reduce((before, profile) => before.then(() => runProfile(profile)), Promise.resolve()),
  ]);
  const broken = ended.find(({ status }) => status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  await mkdir(path.join(artifacts, 'e2e'), { recursive: true });
  await writeFile(path.join(artifacts, `e2e/${values.name}-total.json`), JSON.stringify(total));
  console.log(`${total.passed} passed, ${total.failed} failed`);
  if (total.failed > 0) process.exitCode = 1;
}

function partition(items, isFirst) {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function bundle(profile) {
  if (hostProfiles[profile] === undefined) {
    throw new ToolError(`No profile "${profile}": add it to test/e2e/harness/profiles.ts.`);
  }
  if (testFiles(profile).length === 0) throw new ToolError(`test/e2e/suite/${profile} has no *.test.ts.`);
  return bundleSuite(profile);
}

function print({ tests }) {
  for (const { title, state, duration, error } of tests) {
    console.log(`${state === 'passed' ? '  ok  ' : '  FAIL'} ${title} (${duration} ms)`);
    if (error !== undefined) console.log(error.replaceAll(/^/gm, '         '));
  }
}
