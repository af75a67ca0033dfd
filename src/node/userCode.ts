import path from 'node:path';
import process from 'node:process';
import type { LaunchPorts } from '../backbone/launcher/launch.ts';
import type { Location } from '../base/errors.ts';
import { isPython, type Locator } from '../config/locator.ts';
import type { RunRequest } from '../protocol/run.ts';
import { localFiles } from './files.ts';
import type { Loader } from './loader/loader.ts';
import { findInterpreter } from './python/interpreter.ts';
import { PythonClasses } from './python/pythonClasses.ts';
import { PythonError } from './python/pythonError.ts';
import { startWorker } from './python/worker.ts';

export interface UserCodeOptions {
  readonly request: RunRequest;
  readonly loader: Loader;
  /** The folder that the worker's package lies in. */
  readonly pythonFolder: string;
  /** Hears what the user's Python raises where nobody waits for it. */
  onUncaught(error: unknown): void;
  /** The user's Python waits for a debugger at this port. */
  onDebugger(port: number): void;
}

/** What a run's ports have of the user's code, whichever language it is in. */
export interface UserCode extends Pick<LaunchPorts, 'loadWorkflow' | 'loadJudge'> {
  userFrame(error: unknown): Location | undefined;
  /** The code of an episode is waited for no more. */
  ended(episodeUuid: string): void;
}

export function userCodeOf(options: UserCodeOptions): UserCode {
  const { loader } = options;
  const python = new PythonClasses((answer) => startPython(options, answer));
  return {
    loadWorkflow: async (locator) =>
      isPython(locator)
        ? python.loadWorkflow(locator)
        : (await loader.loadExport(exportOf(locator), 'workflow', [])).value,
    loadJudge: async (locator) =>
      isPython(locator)
        ? python.loadJudge(locator)
        : (await loader.loadExport(exportOf(locator), 'judge', [])).value,
    userFrame: (error) => (error instanceof PythonError ? error.location : loader.userFrame(error)),
    ended: (episodeUuid) => python.ended(episodeUuid),
  };
}

function exportOf({ where, name }: Locator): { readonly file: string; readonly name: string } {
  return { file: where, name };
}

async function startPython(
  { request, pythonFolder, ...heard }: UserCodeOptions,
  answer: Parameters<typeof startWorker>[0]['answer'],
): ReturnType<typeof startWorker> {
  const folders = [...new Set([request.cwd, path.dirname(request.config)])];
  const executable = await findInterpreter({
    chosen: request.python?.executable,
    cwd: request.cwd,
    folders,
    platform: process.platform,
    files: localFiles,
  });
  return startWorker({
    executable,
    folder: pythonFolder,
    cwd: request.cwd,
    begin: {
      path: folders,
      package: request.python?.package ?? 'bundled',
      debug: request.python?.debug ?? false,
    },
    answer,
    onUncaught: (error) => heard.onUncaught(error),
    onDebugger: (port) => heard.onDebugger(port),
  });
}
