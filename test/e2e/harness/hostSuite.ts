/** Runs the extension-host suite in the VS Code server. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import type { SuiteResults } from '../suite/index.ts';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { artifacts } from './artifacts.ts';
import { extensionUnderTest, openSession, type Session, type SessionOptions } from './session.ts';

export interface HostSuiteOptions extends Omit<SessionOptions, 'tests' | 'onPage'> {
  /** The bundle of the suite. */
  readonly bundle: string;
  /** Minutes after which the run counts as hung. */
  readonly limitMinutes?: number;
  /** Whether other suites may run at the same time: true of one that only waits. */
  readonly alongside?: boolean;
  /** Whether the tests find, in AGENTJET_E2E_PYTHON and AGENTJET_E2E_PYTHON_AGENTS, a Python with what workflows import. */
  readonly python?: boolean;
}

/** Rejects when the editor ended without results: it never came up, the extension host crashed, or a test hung. */
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
  if (settle === undefined) throw new Error('A promise runs its executor at once.');
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
