import path from 'node:path';
import process from 'node:process';
import type { LaunchPorts } from '../core/launcher/batch.ts';
import type { CodedError, Location } from '../../base/core/errors.ts';
import { isPython, type Locator } from '../../configs/core/locator.ts';
import type { Logger } from '../../base/core/ports.ts';
import type { ModelText } from '../../tracking/core/tokenizer.ts';
import type { DebuggerAddress, RunRequest } from '../core/protocol/run.ts';
import { systemClock } from '../../base/node/clock.ts';
import { localFiles } from '../../base/node/files.ts';
import type { Loader } from './loader/loader.ts';
import { findInterpreter } from './python/interpreter.ts';
import { PythonClasses, type ScriptAnswers } from './python/pythonClasses.ts';
import { PythonError, pythonErrors } from './python/errors.ts';
import { startWorker } from './python/worker.ts';

export interface UserCodeOptions {
  readonly request: RunRequest;
  readonly loader: Loader;
  /** The folder with the worker's package. */
  readonly pythonFolder: string;
  readonly logger: Logger;
  onUncaught(error: unknown): void;
  /** Called with a problem that training would refuse. */
  warn(problem: CodedError): void;
  openText(): Promise<ModelText>;
  onDebugger(address: DebuggerAddress): void;
}

/** The user's code of a run, in any language. */
export interface UserCode extends Pick<LaunchPorts, 'loadWorkflow' | 'loadJudge' | 'loadRewardFn'> {
  /** Returns the location of code that only running it reveals; undefined if its text is enough. */
  locationOf(locator: Locator): Location | undefined;
  userFrame(error: unknown): Location | undefined;
  userStack(error: unknown): string | undefined;
  runScript(file: string, answers: ScriptAnswers): Promise<void>;
  ended(episodeUuid: string): void;
}

export function userCodeOf(options: UserCodeOptions): UserCode {
  const { loader } = options;
  const python = new PythonClasses({
    start: (answer) => startPython(options, answer),
    warn: (problem) => options.warn(problem),
    openText: () => options.openText(),
  });
  const load = async <Kind extends 'workflow' | 'judge'>({ where: file, name }: Locator, kind: Kind) =>
    (await loader.loadExport({ file, name }, kind, [])).value;
  return {
    loadWorkflow: async (locator) =>
      isPython(locator) ? python.loadWorkflow(locator) : load(locator, 'workflow'),
    loadJudge: async (locator) => (isPython(locator) ? python.loadJudge(locator) : load(locator, 'judge')),
    loadRewardFn: (name) => python.loadRewardFn(name),
    locationOf: (locator) => (locator.kind === 'trinity' ? python.locationOf(locator) : undefined),
    userFrame: (error) => (error instanceof PythonError ? error.location : loader.userFrame(error)),
    userStack: (error) => (error instanceof PythonError ? error.userStack : loader.userStack(error)),
    runScript: (file, answers) => python.runScript(file, answers),
    ended: (episodeUuid) => python.ended(episodeUuid),
  };
}

async function startPython(
  { request, pythonFolder, ...heard }: UserCodeOptions,
  answer: Parameters<typeof startWorker>[0]['answer'],
): ReturnType<typeof startWorker> {
  const folders = [...new Set([request.cwd, path.dirname(request.config)])];
  const { executable } = await findInterpreter({
    chosen: request.python?.executable,
    cwd: request.cwd,
    folders,
    platform: process.platform,
    files: localFiles,
  });
  heard.logger.log('debug', `Python is ${executable}.`);
  return startWorker({
    executable,
    clock: systemClock,
    folder: pythonFolder,
    cwd: request.cwd,
    begin: {
      path: folders,
      package: request.python?.package ?? 'bundled',
      plugins: pluginFolders(request),
      debug: request.python?.debug ?? false,
      debugpy: request.python?.debugpy ?? [],
    },
    answer,
    onUncaught: (error) => heard.onUncaught(error),
    onMissing: (file, packages) => heard.warn(pythonErrors.missingRequirements(executable, file, packages)),
    onDebugger: (address) => heard.onDebugger(address),
  });
}

/** Returns the plugin folders of the run, or those that Trinity's own command reads from the environment. */
function pluginFolders({ cwd, python, allowEnvironment }: RunRequest): readonly string[] {
  const written = allowEnvironment ? (process.env['TRINITY_PLUGIN_DIRS'] ?? '') : '';
  const folders = python?.pluginDirs ?? written.split(path.delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => path.resolve(cwd, folder));
}
