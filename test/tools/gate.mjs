/**
 * The gate: every check and test of the project, all of them even if one fails. What is narrow, as it keeps about one core
 * busy, runs two at a time in the order below: the longest suite beside the checks of the sources, which tell first what is
 * wrong, then the others, the longest first, so that both cores have something to do to the end.
 *
 *   node test/tools/gate.mjs [--only name,name …] [--deep]
 *
 * --only  just these suites
 * --deep  the suites that have more to test when time does not matter; they see AGENTJET_DEEP=1
 *
 * Each suite's output is in .artifacts/logs; here only what failed is shown. The last line is `N passed, N failed`.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { ToolError, artifacts, exitWith, logs, projectEnv, runLogged, tail } from './commands.mjs';
import { describeFailures, vitestFailures } from './failures.mjs';

const resultsFolder = path.join(artifacts, 'results');
/** What Node and Python have compiled, for suites that start the same programs hundreds of times. */
const compiledFolder = path.join(artifacts, 'compiled');

/** A suite with no count of its own is one test: it passes or fails as a whole. */
const suites = [
  // First: the examples are linted and checked against the SDK's types, which the build makes.
  { name: 'build', command: ['node', 'test/tools/bootstrap.mjs', '--build'], deep: true },
  { name: 'unit', ...vitest('unit', ['--config', 'test/unit/vitest.config.ts']), deep: true, compiled: true },
  // Of the files of these suites, the normal run tries some cases, and the deep run all.
  {
    name: 'cli-deep',
    ...vitest('cli-deep', [
      ...['--config', 'test/cli/vitest.config.ts'],
      ...[
        'training/chaos.test.ts',
        'training/wireChaos.test.ts',
        'training/attack.test.ts',
        'training/ray.test.ts',
      ],
      ...['backbone/badWorkflow.test.ts', 'python/python.test.ts', 'python/pythonTrinity.test.ts'],
      ...['python/pythonTune', 'python/pythonExamples.test.ts'],
    ]),
    deep: 'only',
    needs: 'build',
  },
  {
    ...program(
      'page-deep',
      vitest('page-deep', ['--config', 'test/webview/vitest.config.ts', 'ui/hostile', 'ui/pictures']),
    ),
    deep: 'only',
  },
  { ...program('host-deep', host('host-deep', ['loading'])), deep: 'only' },
  // Agent frameworks against a real language model.
  {
    name: 'llm',
    ...vitest('llm', ['--config', 'test/llm/vitest.config.ts']),
    deep: 'only',
    needs: 'build',
  },
  // Trainings on a real Tinker server with a tiny model.
  {
    name: 'tinker',
    ...vitest('tinker', ['--config', 'test/tinker/vitest.config.ts']),
    deep: 'only',
    needs: 'build',
  },
  program('e2e-ui', vitest('e2e-ui', ['--config', 'test/e2e/vitest.config.ts'])),
  { name: 'lint', command: ['oxlint'], isNarrow: true },
  { name: 'types', command: ['node', 'node_modules/typescript7/bin/tsc', '-b'], isNarrow: true },
  { name: 'format', command: ['oxfmt', '--check'], isNarrow: true },
  { name: 'layers', command: ['depcruise', 'src'], isNarrow: true },
  { name: 'prose', command: ['node', 'test/tools/prose.ts'], isNarrow: true },
  { ...program('cli', vitest('cli', ['--config', 'test/cli/vitest.config.ts'])), compiled: true },
  program('e2e-host', host('e2e-host', ['--but', 'python'])),
  program('webview', vitest('webview', ['--config', 'test/webview/vitest.config.ts'])),
  program('e2e-python', host('e2e-python', ['python'])),
];

function program(name, suite) {
  return { name, ...suite, needs: 'build', isNarrow: true };
}

/** Two suites, so that the last one to run is not long. */
function host(name, profiles) {
  return {
    command: ['node', 'test/tools/hostSuite.mjs', '--name', name, ...profiles],
    results: path.join(artifacts, `e2e/${name}-total.json`),
    count: ({ passed, failed }) => ({ passed, failed }),
    failures: ({ failures = [] }) => failures,
  };
}

function vitest(name, args) {
  const results = path.join(resultsFolder, `${name}.json`);
  return {
    command: [
      'vitest',
      'run',
      ...args,
      '--reporter=verbose',
      '--reporter=json',
      `--outputFile.json=${results}`,
    ],
    results,
    count: ({ numPassedTests, numFailedTests, numPendingTests, numTodoTests }) => ({
      passed: numPassedTests,
      // A test that is skipped proves nothing.
      failed: numFailedTests + numPendingTests + numTodoTests,
    }),
    failures: vitestFailures,
  };
}

async function runSuite(suite, outcomes, deep) {
  if (outcomes.some(({ name, failed }) => name === suite.needs && failed > 0)) {
    console.log(`${suite.name.padEnd(10)} NOT RUN: ${suite.needs} failed`);
    return { name: suite.name, minutes: 0, passed: 0, failed: 1 };
  }
  const log = path.join(logs, `${suite.name}.log`);
  await rm(log, { force: true });
  if (suite.results !== undefined) await rm(suite.results, { force: true });
  const [command, ...args] = suite.command;
  const env = {
    ...projectEnv(),
    NO_COLOR: '1',
    // As in continuous integration, vitest then writes no snapshots and reports those that no test reads.
    CI: '1',
    ...(deep && { AGENTJET_DEEP: '1' }),
    ...(suite.compiled && { NODE_COMPILE_CACHE: path.join(compiledFolder, 'node') }),
    // Beside the sources it would lie in the project.
    PYTHONPYCACHEPREFIX: path.join(compiledFolder, 'python'),
    PYTHONDONTWRITEBYTECODE: undefined,
  };
  const started = performance.now();
  const code = await runLogged(command, args, { log, env });
  const minutes = (performance.now() - started) / 60_000;
  const outcome = { name: suite.name, minutes, ...(await counted(suite, code)) };
  report(outcome, log);
  return outcome;
}

/** A suite that failed, or left no count of passed tests behind, has at least one failure. */
async function counted(suite, code) {
  const results = suite.results === undefined ? undefined : await resultsOf(suite.results);
  if (results === undefined) {
    const passed = suite.results === undefined && code === 0 ? 1 : 0;
    return { passed, failed: 1 - passed, failures: [] };
  }
  const { passed, failed } = suite.count(results);
  const sound = code === 0 && passed > 0;
  return { passed, failed: sound ? failed : Math.max(failed, 1), failures: suite.failures(results) };
}

async function resultsOf(file) {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    // The runner ended before it had written any; its log tells why.
    return undefined;
  }
}

function report({ name, minutes, passed, failed, failures }, log) {
  const verdict = failed === 0 ? 'ok    ' : 'FAILED';
  console.log(
    `${name.padEnd(10)} ${verdict} ${passed} passed, ${failed} failed in ${minutes.toFixed(2)} min`,
  );
  if (failed === 0) return;
  const told = [describeFailures(failures), isExplained(failures) ? '' : tail(log, 60)];
  for (const text of told) if (text !== '') console.log(text.replaceAll(/^/gm, '  | '));
  console.log(`  | The whole log: ${log}`);
}

/** Else the end of the log has to do, which of a test that failed early says nothing. */
function isExplained(failures) {
  return failures.length > 0 && failures.every(({ error }) => error !== '');
}

function summary(outcomes, allMinutes) {
  const sum = (key) => outcomes.reduce((total, outcome) => total + outcome[key], 0);
  console.log('\nMinutes per suite:');
  for (const { name, minutes } of outcomes) console.log(`  ${name.padEnd(10)} ${minutes.toFixed(2)}`);
  console.log(`  ${'all'.padEnd(10)} ${allMinutes.toFixed(2)}\n`);
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
  return sum('failed');
}

function chosenSuites(args) {
  const deep = args.includes('--deep');
  const only = args.includes('--only') ? (args[args.indexOf('--only') + 1] ?? '').split(',') : undefined;
  const unknown = only?.find((name) => !suites.some((suite) => suite.name === name));
  if (unknown !== undefined) {
    throw new ToolError(`No suite "${unknown}": choose from ${suites.map(({ name }) => name).join(', ')}.`);
  }
  const chosen = suites.filter(
    (suite) => only?.includes(suite.name) ?? (deep ? suite.deep !== undefined : suite.deep !== 'only'),
  );
  return { deep, chosen };
}

async function main() {
  const { deep, chosen } = chosenSuites(process.argv.slice(2));
  await mkdir(resultsFolder, { recursive: true });
  // What earlier builds left is never read again.
  await rm(compiledFolder, { recursive: true, force: true });
  const outcomes = [];
  const started = performance.now();
  for (const batch of batches(chosen)) outcomes.push(...(await runBatch(batch, outcomes, deep)));
  if (!deep && chosen.length > 1) await printAudit();
  if (summary(outcomes, (performance.now() - started) / 60_000) > 0) process.exitCode = 1;
}

/** Prints what `npm audit` knows about the packages that the extension contains. It never fails the gate. */
async function printAudit() {
  const log = path.join(logs, 'audit.log');
  await rm(log, { force: true });
  await runLogged('npm', ['audit', '--omit=dev', '--fetch-retries=0'], { log });
  console.log(`\nnpm audit of the bundled packages:\n${tail(log, 12).replaceAll(/^/gm, '  ')}`);
}

/** Narrow neighbours together, everything else alone. */
function batches(chosen) {
  const all = [];
  for (const suite of chosen) {
    const last = all.at(-1);
    if (suite.isNarrow && last?.[0].isNarrow) last.push(suite);
    else all.push([suite]);
  }
  return all;
}

/** Two workers take from one queue, so that neither waits while there is something to run. */
async function runBatch(batch, before, deep) {
  const [queue, outcomes] = [[...batch], []];
  const worker = async () => {
    for (let suite = queue.shift(); suite !== undefined; suite = queue.shift())
      outcomes.push(await runSuite(suite, before, deep));
  };
  await Promise.all([worker(), worker()]);
  return outcomes;
}

await main().catch(exitWith);
