/** What both runners of the extension-host tests print and leave behind. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { hostProfiles } from '../e2e/harness/profiles.ts';
import { ToolError, artifacts } from './commands.mjs';
import { hostFailures } from './failures.mjs';
import { bundleSuite, profileFolders, testFiles } from './suiteBundle.mjs';

/**
 * Runs the tests of each profile, or of those named on the command line, and prints every test and the total, which
 * goes to .artifacts/e2e/host-total.json too, with what failed. A failure sets the exit code.
 * @param {(name: string, bundle: string, options: object) => Promise<import('../e2e/suite/index.ts').SuiteResults>} run
 */
export async function runProfiles(run) {
  const chosen = process.argv.slice(2);
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
  const profiles = chosen.length > 0 ? chosen : ['', ...profileFolders()];
  const [alongside, inTurn] = partition(profiles, (profile) => hostProfiles[profile]?.alongside === true);
  const ended = await Promise.allSettled([
    ...alongside.map(runProfile),
    inTurn.reduce((before, profile) => before.then(() => runProfile(profile)), Promise.resolve()),
  ]);
  const broken = ended.find(({ status }) => status === 'rejected');
  if (broken !== undefined) throw broken.reason;
  await mkdir(path.join(artifacts, 'e2e'), { recursive: true });
  await writeFile(path.join(artifacts, 'e2e/host-total.json'), JSON.stringify(total));
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
