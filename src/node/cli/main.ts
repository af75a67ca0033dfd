import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parse as parseEnvFile } from 'dotenv';
import { CodedError, formatReport, toReport } from '../../base/errors.ts';
import type { RunExit, RunProcess } from '../../debug/runLauncher.ts';
import {
  runProtocolVersion,
  type EpisodeResult,
  type ModelChoice,
  type RunEvent,
  type RunRequest,
} from '../../protocol/run.ts';
import { formatEpisode, formatEpisodeErrors, formatTable } from '../../protocol/runReport.ts';
import { summarise } from '../../protocol/summary.ts';
import { systemClock } from '../clock.ts';
import { localFiles } from '../files.ts';
import { createRunLauncher } from '../runLauncher.ts';
import { BlockedEpisodes } from './blockedEpisodes.ts';
import { parseArguments, usage, type RunArguments } from './arguments.ts';

const exitCodes = { ok: 0, someFailed: 1, couldNotStart: 2, interrupted: 130 } as const;

/** The `agentjet` command. Resolves to its exit code. */
export async function main(argv: readonly string[], distFolder: string): Promise<number> {
  try {
    const command = parseArguments(argv);
    switch (command.kind) {
      case 'help':
        process.stdout.write(`${usage}\n`);
        return exitCodes.ok;
      case 'version':
        process.stdout.write(`${versionOf(distFolder)}\n`);
        return exitCodes.ok;
      case 'run':
        return await runCommand(command.run, distFolder);
    }
  } catch (error) {
    const verbose = argv.includes('--verbose');
    process.stderr.write(`agentjet: ${formatReport(toReport(error, 'cli/unexpected'), { verbose })}\n`);
    return exitCodes.couldNotStart;
  }
}

function versionOf(distFolder: string): string {
  const manifest = JSON.parse(readFileSync(path.join(distFolder, '../package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

async function runCommand(run: RunArguments, distFolder: string): Promise<number> {
  const cwd = process.cwd();
  const fileVariables = await variablesOfEnvFile(cwd);
  const request = await requestOf(run, cwd, { ...fileVariables, ...process.env });
  const launcher = createRunLauncher({ distFolder });
  const started = await launcher.launch({
    request,
    inspect: false,
    env: Object.fromEntries(
      Object.entries(fileVariables).filter(([name]) => process.env[name] === undefined),
    ),
    runtimeExecutable: run.runtime,
    runtimeArgs: [],
  });
  const view = new TerminalView(run);
  started.onEvent((event) => view.take(event));
  const blocked = watchBlocked(run, started, view);
  // With --json stdout holds the document alone.
  started.onOutput(({ stream, text }) =>
    (stream === 'stdout' && !run.json ? process.stdout : process.stderr).write(text),
  );
  const interrupts = watchInterrupts(started);
  const exit = await started.exited;
  interrupts.dispose();
  blocked?.dispose();
  return view.finish(exit, interrupts.count() > 0);
}

/** `.env` of the working directory, as upstream's backbone reads it: what is set already wins. */
async function variablesOfEnvFile(cwd: string): Promise<Record<string, string>> {
  const text = await localFiles.readText(path.join(cwd, '.env'));
  return text === undefined ? {} : parseEnvFile(text);
}

async function requestOf(
  run: RunArguments,
  cwd: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<RunRequest> {
  const config = path.resolve(cwd, run.conf);
  if (!(await localFiles.exists(config))) throw noConfig(config);
  return {
    protocol: runProtocolVersion,
    config,
    cwd,
    expDir: run.expDir === undefined ? undefined : path.resolve(cwd, run.expDir),
    model: modelOf(run, cwd, environment),
    seed: run.seed,
    firstTasks: run.tasks,
    taskIds: run.taskIds === undefined ? undefined : [...run.taskIds],
    split: run.split,
    parallel: run.parallel,
    repeat: run.repeat,
    episodeTimeout: run.episodeTimeout,
    allowEnvironment: true,
  };
}

function modelOf(
  run: RunArguments,
  cwd: string,
  environment: Readonly<Record<string, string | undefined>>,
): ModelChoice {
  switch (run.model) {
    case 'embedded':
      return { kind: 'embedded' };
    case 'script':
      return { kind: 'script', file: path.resolve(cwd, run.script ?? '') };
    case 'endpoint': {
      const apiKey = environment[run.apiKeyEnv];
      return { kind: 'endpoint', baseUrl: run.baseUrl ?? '', model: run.modelName ?? '', apiKey };
    }
  }
}

/** The first Ctrl-C asks the run to end and report; the second ends it at once. */
function watchInterrupts(run: RunProcess): { dispose(): void; count(): number } {
  let count = 0;
  const interrupt = (): void => {
    count += 1;
    if (count > 1) run.killNow();
    else {
      process.stderr.write('\nInterrupted: ending the episodes. Once more to kill the run.\n');
      run.cancel();
    }
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  return {
    count: () => count,
    dispose: () => {
      for (const signal of signals) process.off(signal, interrupt);
    },
  };
}

function watchBlocked(
  run: RunArguments,
  process: RunProcess,
  view: TerminalView,
): BlockedEpisodes | undefined {
  if (run.episodeTimeout === undefined) return undefined;
  const watch = new BlockedEpisodes(systemClock, run.episodeTimeout, (results) => {
    for (const result of results) view.take({ type: 'episode-ended', result });
    process.killNow();
  });
  process.onEvent((event) => watch.take(event));
  return watch;
}

/** Prints a run as it goes, and its results at the end. */
class TerminalView {
  readonly #options: RunArguments;
  readonly #results: EpisodeResult[] = [];
  #repeat = 1;
  #end: Extract<RunEvent, { type: 'run-ended' }> | undefined;

  constructor(options: RunArguments) {
    this.#options = options;
  }

  take(event: RunEvent): void {
    switch (event.type) {
      case 'run-started':
        this.#repeat = event.repeat;
        this.#say(
          `${event.experiment}: ${event.episodes} episodes (${event.tasks} tasks × ${event.repeat}), ${event.parallel} at a time; ${event.workflow}; model ${event.model}`,
        );
        this.#say(`results: ${event.folder}`);
        return;
      case 'episode-started':
        return;
      case 'llm-call':
        if (this.#options.verbose) {
          this.#say(
            `episode ${event.episode}: call ${event.call} by ${event.agent}, status ${event.status}, ${event.seconds.toFixed(2)} s`,
          );
        }
        return;
      case 'episode-ended':
        this.#results.push(event.result);
        this.#say(formatEpisode(event.result));
        return;
      case 'log':
        if (event.level !== 'debug' || this.#options.verbose) this.#say(event.message);
        return;
      case 'problem':
        this.#say(`${event.severity}: ${formatReport(event.report, this.#options)}`);
        return;
      case 'run-ended':
        this.#end = event;
    }
  }

  /** The exit code; stdout gets the results. */
  finish(exit: RunExit, interrupted: boolean): number {
    const results = this.#results.sort((a, b) => a.episode - b.episode);
    const summary = summarise(results, this.#repeat);
    const failure =
      this.#end?.error ?? (exit.error && !interrupted ? toReport(exit.error, exit.error.code) : undefined);
    if (this.#options.json) {
      const episodes = results.map(({ taskId, repeat, reward, isSuccess, llmCalls, error }) => ({
        taskId,
        repeat,
        reward,
        isSuccess,
        llmCalls,
        error,
      }));
      process.stdout.write(
        `${JSON.stringify({ episodes, groups: summary.groups, ...(failure && { error: failure }) }, null, 2)}\n`,
      );
    } else if (results.length > 0) {
      process.stdout.write(`\n${formatTable(results, summary)}\n`);
    }
    for (const text of formatEpisodeErrors(results, this.#options)) process.stderr.write(`${text}\n`);
    if (failure !== undefined) process.stderr.write(`agentjet: ${formatReport(failure, this.#options)}\n`);
    return this.#exitCode(exit, interrupted);
  }

  #exitCode(exit: RunExit, interrupted: boolean): number {
    if (interrupted) return exitCodes.interrupted;
    if (this.#end === undefined)
      return this.#results.length > 0 && exit.error ? exitCodes.someFailed : exitCodes.couldNotStart;
    if (this.#end.status === 'failed') return exitCodes.couldNotStart;
    return this.#results.some((result) => result.error !== null) ? exitCodes.someFailed : exitCodes.ok;
  }

  #say(line: string): void {
    if (!this.#options.json || this.#options.verbose) process.stderr.write(`${line}\n`);
  }
}

function noConfig(file: string): CodedError {
  return new CodedError({
    code: 'cli/no-config',
    message: `The config ${file} does not exist.`,
    hint: 'Correct --conf; it is relative to the working directory.',
  });
}
