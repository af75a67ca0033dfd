import { readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { Disposable } from '../../base/disposable.ts';
import { CodedError, toReport } from '../../base/errors.ts';
import { dotEnv } from '../../debug/dotEnv.ts';
import type { RunProcess } from '../../debug/runLauncher.ts';
import { debugModelChoice } from '../../protocol/debugModelText.ts';
import {
  runProtocolVersion,
  type HelperChoice,
  type ModelChoice,
  type RunRequest,
} from '../../protocol/run.ts';
import { systemClock } from '../clock.ts';
import { localFiles } from '../files.ts';
import { createRunLauncher } from '../runLauncher.ts';
import { BlockedEpisodes } from './blockedEpisodes.ts';
import { parseArguments, usage, type RunArguments, type SubcommandName } from './arguments.ts';
import type { Subcommand } from './commandIo.ts';
import { tellingFailures } from './failures.ts';
import { HumanTerminal } from './humanTerminal.ts';
import { onInterrupt } from './interrupts.ts';
import { LogView } from './logView.ts';
import { terminalIo } from './terminalIo.ts';
import { exitCodes, TerminalView } from './terminalView.ts';
import { inTraceNode, readsTraces } from './traceNode.ts';

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
      case 'subcommand': {
        const run = await subcommands[command.name](distFolder);
        dropUnreadOutput();
        return await tellingFailures(run)(command.args, terminalIo());
      }
    }
  } catch (error) {
    const options = { json: argv.includes('--json'), verbose: argv.includes('--verbose') };
    return new TerminalView(options).cannotStart(toReport(error, 'cli/unexpected'));
  }
}

/** Loaded when asked for: a run needs none of them. */
const subcommands: Readonly<Record<SubcommandName, (distFolder: string) => Promise<Subcommand>>> = {
  trace: async (distFolder) => {
    const { runTrace } = await import('./traceCommand.ts');
    return (args, io) => runTrace(args, io, distFolder);
  },
  check: async () => (await import('./checkCommand.ts')).runCheck,
  config: async () => (await import('./configCommand.ts')).runConfig,
  schema: async () => (await import('./schemaCommand.ts')).runSchema,
  new: async (distFolder) => (await import('./newCommand.ts')).runNew(distFolder),
  samples: async (distFolder) => {
    const { runSamples } = await import('./samplesCommand.ts');
    return readsTraces() ? runSamples : (args) => inTraceNode(['samples', ...args], distFolder);
  },
  host: async (distFolder) => {
    const { runHost } = await import('./host/hostCommand.ts');
    return runHost({ script: path.join(distFolder, 'host.cjs'), version: versionOf(distFolder) });
  },
  remote: async (distFolder) => {
    const { runRemote } = await import('./remote/remoteCommand.ts');
    return runRemote({ version: versionOf(distFolder), hostProgram: path.join(distFolder, 'host.cjs') });
  },
};

function versionOf(distFolder: string): string {
  const manifest = JSON.parse(readFileSync(path.join(distFolder, '../package.json'), 'utf8')) as {
    version: string;
  };
  return manifest.version;
}

async function runCommand(run: RunArguments, distFolder: string): Promise<number> {
  const cwd = process.cwd();
  // A recording that alone answers asks nobody.
  const asksPerson = run.model === 'human' && (run.replay?.miss ?? 'call-model') === 'call-model';
  if (asksPerson && !process.stdin.isTTY) throw noTerminal();
  const fileVariables = await dotEnv(cwd, localFiles, process.env);
  const request = await requestOf(run, cwd, { ...fileVariables, ...process.env });
  const launcher = createRunLauncher({ distFolder, ownExecutable: process.execPath });
  const started = await launcher.launch({
    request,
    inspect: false,
    env: fileVariables,
    runtimeExecutable: run.runtime,
    runtimeArgs: [],
  });
  const view = new TerminalView(run);
  started.onEvent((event) => view.take(event));
  const logView = run.logView ? new LogView({ distFolder, runtime: run.runtime }) : undefined;
  if (logView) started.onEvent((event) => logView.take(event));
  const blocked = watchBlocked(run, started, view);
  const human = asksPerson ? askAtTerminal(started) : undefined;
  dropUnreadOutput();
  // With --json stdout holds the document alone.
  started.onOutput(({ stream, text }) =>
    (stream === 'stdout' && !run.json ? process.stdout : process.stderr).write(text),
  );
  const interrupts = watchInterrupts(started);
  const exit = await started.exited;
  interrupts.dispose();
  human?.close();
  blocked?.dispose();
  const interrupted = interrupts.count() > 0;
  const code = view.finish(exit, interrupted ? 'interrupted' : blocked?.found === true ? 'blocked' : 'own');
  // Who interrupted the run wants the command to end.
  await (interrupted ? logView?.close() : logView?.stay());
  return code;
}

/** A reader that goes early, as `head` does, ends what is printed, not the run. */
function dropUnreadOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

async function requestOf(
  run: RunArguments,
  cwd: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<RunRequest> {
  const config = run.conf === undefined ? '' : path.resolve(cwd, run.conf);
  if (run.conf !== undefined && !(await localFiles.exists(config))) throw noConfig(config);
  return {
    protocol: runProtocolVersion,
    config,
    cwd,
    expDir: run.expDir === undefined ? undefined : path.resolve(cwd, run.expDir),
    model: modelOf(run, cwd, environment),
    ...(run.judge && {
      judge: {
        trace: path.resolve(cwd, run.judge.trace),
        episodes: run.judge.episodes && [...run.judge.episodes],
        ownConfig: run.conf !== undefined,
      },
    }),
    record: run.record && { ...run.record, file: path.resolve(cwd, run.record.file) },
    faults: run.faults,
    replay: run.replay && { ...run.replay, file: path.resolve(cwd, run.replay.file) },
    helper: helperOf(run, cwd, environment),
    debugModels: Object.fromEntries(
      Object.entries(run.debugModels).map(([name, model]) => [
        name,
        debugModelChoice(model, (file) => path.resolve(cwd, file), environment[run.apiKeyEnv]),
      ]),
    ),
    trainableTargets: run.trainableTargets && [...run.trainableTargets],
    tokenizer: run.tokenizer === undefined ? undefined : path.resolve(cwd, run.tokenizer),
    seed: run.seed,
    firstTasks: run.tasks,
    taskIds: run.taskIds === undefined ? undefined : [...run.taskIds],
    split: run.split,
    ...(run.mode === 'validate' && { mode: run.mode }),
    ...(run.asUpstreamDebug && { asUpstreamDebug: true }),
    attempts: run.attempts,
    parallel: run.parallel,
    repeat: run.repeat,
    episodeTimeout: run.episodeTimeout,
    python: run.python,
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
    case 'human':
      return { kind: 'human' };
    case 'endpoint': {
      const apiKey = environment[run.apiKeyEnv];
      return { kind: 'endpoint', baseUrl: run.baseUrl ?? '', model: run.modelName ?? '', apiKey };
    }
  }
}

function helperOf(
  { helper }: RunArguments,
  cwd: string,
  environment: Readonly<Record<string, string | undefined>>,
): HelperChoice | undefined {
  switch (helper?.kind) {
    case undefined:
      return undefined;
    case 'embedded':
      return { kind: 'embedded' };
    case 'script':
      return { kind: 'script', file: path.resolve(cwd, helper.script ?? '') };
    case 'endpoint': {
      const { baseUrl = '', modelName: model, apiKeyEnv } = helper;
      return { kind: 'endpoint', baseUrl, model, apiKey: environment[apiKeyEnv] };
    }
  }
}

function askAtTerminal(run: RunProcess): HumanTerminal {
  const terminal = new HumanTerminal({
    input: process.stdin,
    output: process.stderr,
    terminal: true,
    answer: (answer) => run.answer(answer),
    interrupt: () => void process.emit('SIGINT'),
  });
  run.onEvent((event) => terminal.take(event));
  return terminal;
}

/** The first Ctrl-C asks the run to end and report; the second ends it at once. */
function watchInterrupts(run: RunProcess): Disposable & { count(): number } {
  let count = 0;
  const watch = onInterrupt(() => {
    count += 1;
    if (count > 1) run.killNow();
    else {
      process.stderr.write('\nInterrupted: ending the episodes. Once more to kill the run.\n');
      run.cancel();
    }
  });
  return { count: () => count, dispose: () => watch.dispose() };
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

function noTerminal(): CodedError {
  return new CodedError({
    code: 'cli/no-terminal',
    message: '--model human asks at the terminal, and the standard input is none.',
    hint: 'Run the command in a terminal, or give the answers by --model script --script FILE.',
  });
}

function noConfig(file: string): CodedError {
  return new CodedError({
    code: 'cli/no-config',
    message: `The config ${file} does not exist.`,
    hint: 'Correct --conf; it is relative to the working directory.',
  });
}
