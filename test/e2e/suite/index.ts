/**
 * Runs mocha inside an extension host. The bundle's entry, which the build writes, hands in the test files; results
 * go to the file that AGENTJET_E2E_RESULTS names, as {@link SuiteResults}.
 */
import { writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import Mocha from 'mocha';

export interface TestResult {
  readonly title: string;
  readonly state: 'passed' | 'failed';
  /** Milliseconds. */
  readonly duration: number;
  readonly error?: string | undefined;
}

export interface SuiteResults {
  readonly passed: number;
  readonly failed: number;
  readonly tests: readonly TestResult[];
}

/** A test file: importing it declares its suites. */
export type TestFile = () => Promise<unknown>;

/** The harness prints the results: what an extension host prints is lost among the editor's own messages. */
class SilentReporter extends Mocha.reporters.Base {
  override epilogue(): void {
    return;
  }
}

/** Resolves when all tests passed; rejects otherwise, which gives the editor a non-zero exit code. */
export async function runSuite(files: readonly TestFile[]): Promise<void> {
  process.setSourceMapsEnabled(true);
  const tests: TestResult[] = [];
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 60_000,
    forbidOnly: true,
    forbidPending: true,
    reporter: SilentReporter,
    ...grepOption(),
  });
  // What `mocha` does before it loads a file: `describe` and `it` become global.
  mocha.suite.emit('pre-require', globalThis as unknown as Mocha.MochaGlobals, '', mocha);
  for (const file of files) await file();
  const failed = await new Promise<number>((resolve) => {
    collect(mocha.run(resolve), tests);
  });
  writeResults(tests);
  if (failed > 0) throw new Error(`${failed} failed`);
  if (tests.length === 0) throw new Error('No test ran.');
}

function grepOption(): { readonly grep?: string } {
  const grep = process.env['AGENTJET_E2E_GREP'];
  return grep === undefined || grep === '' ? {} : { grep };
}

/** A hook that fails counts as a failed test: mocha reports it as one. */
function collect(runner: Mocha.Runner, tests: TestResult[]): void {
  const add = (test: Mocha.Test, state: TestResult['state'], error?: unknown) => {
    const result = { title: test.fullTitle(), state, duration: test.duration ?? 0 };
    tests.push(error === undefined ? result : { ...result, error: textOf(error) });
  };
  runner.on('pass', (test) => {
    add(test, 'passed');
  });
  runner.on('fail', (test, error: unknown) => {
    add(test, 'failed', error);
  });
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
}

function writeResults(tests: readonly TestResult[]): void {
  const file = process.env['AGENTJET_E2E_RESULTS'];
  if (file === undefined) return;
  const failed = tests.filter((test) => test.state === 'failed').length;
  const results: SuiteResults = { passed: tests.length - failed, failed, tests };
  writeFileSync(file, JSON.stringify(results, undefined, 2));
}
