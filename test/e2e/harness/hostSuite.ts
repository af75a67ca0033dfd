/** Runs the extension-host suite in the VS Code server. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { SuiteResults } from '../suite/index.ts';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { artifacts } from './artifacts.ts';
import { extensionUnderTest, openSession, type Session, type SessionOptions } from './session.ts';

export interface HostSuiteOptions extends Omit<SessionOptions, 'tests' | 'onPage'> {
  /** The bundled file of the suite. */
  readonly bundle: string;
  /** Minutes after which the run counts as hung. Default: 15. */
  readonly limitMinutes?: number;
  /** Whether other suites may run at the same time. True for a suite that mostly waits. */
  readonly alongside?: boolean;
  /**
   * Whether AGENTJET_E2E_PYTHON and AGENTJET_E2E_PYTHON_AGENTS name Python interpreters that have the packages of the
   * workflows.
   */
  readonly python?: boolean;
}

/** Runs a suite. Rejects without results: the editor did not start, the extension host crashed, or a test hung. */
export async function runHostSuite(options: HostSuiteOptions): Promise<SuiteResults> {
  const { bundle, limitMinutes = 15, ...session } = options;
  const results = path.join(artifacts, 'e2e', `${options.suite}.json`);
  await mkdir(path.dirname(results), { recursive: true });
  await rm(results, { force: true });
  const exit = deferred<number>();
  const editor = await openSession({
    ...session,
    tests: bundle,
    env: {
      AGENTJET_E2E_RESULTS: results,
      AGENTJET_E2E_EXTENSION: extensionUnderTest(),
      ...(options.python === true && {
        AGENTJET_E2E_PYTHON: await ensurePython(),
        AGENTJET_E2E_PYTHON_AGENTS: await ensurePython('agents'),
      }),
      ...options.env,
    },
    onPage: (page) => page.exposeFunction('codeAutomationExit', exit.resolve),
  });
  const limit = setTimeout(() => {
    exit.reject(new Error(`The suite hung for ${limitMinutes} minutes.`));
  }, limitMinutes * 60_000);
  try {
    return await finished(editor, results, await Promise.race([exit.promise, editor.failure]));
  } catch (error) {
    console.error(`Evidence: ${await editor.keepEvidence('run')}`);
    throw error;
  } finally {
    clearTimeout(limit);
    await editor.close();
  }
}

interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, 'promise'> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  if (settle === undefined) throw new Error('The promise has not run its executor.');
  return { promise, ...settle };
}

async function finished(editor: Session, file: string, code: number): Promise<SuiteResults> {
  if (!existsSync(file))
    throw new Error(`The extension host ended with code ${code} before all tests had run.`);
  const results = JSON.parse(await readFile(file, 'utf8')) as SuiteResults;
  if (code !== 0 && results.failed === 0)
    throw new Error(`No test failed, but the suite ended with code ${code}.`);
  if (results.failed > 0) console.error(`Evidence: ${await editor.keepEvidence('run')}`);
  return results;
}
