import path from 'node:path';
import process from 'node:process';
import type { Disposable } from '../../base/core/disposable.ts';
import { CodedError } from '../../base/core/errors.ts';
import { dotEnv } from '../../base/node/dotEnv.ts';
import { callsModel, resolveRun, type RunContext } from '../node/options/resolveRun.ts';
import type { RunProcess, RunSpec } from '../node/client/runLauncher.ts';
import { systemClock } from '../../base/node/clock.ts';
import { localFiles } from '../../base/node/files.ts';
import { createRunLauncher } from '../node/process/backboneChannel.ts';
import { BlockedEpisodes } from './blockedEpisodes.ts';
import type { CommandIo } from '../../base/node/terminal/commandIo.ts';
import type { CommandContext, Values } from '../../base/node/terminal/commandLine.ts';
import { HumanTerminal } from './humanTerminal.ts';
import { onInterrupt } from '../../base/node/terminal/interrupts.ts';
import { LogView } from '../../traces/cli/logView.ts';
import { flagErrors, resumeArguments, type resumeTable, type RunArguments } from './runFlags.ts';
import { readTrainingState } from '../node/trainer/trainingFolder.ts';
import { TerminalView } from './terminalView.ts';

/** Returns how to start the run. Throws `cli/…`. */
export function resolveArguments(
  { options, apiKeyEnv, judge }: RunArguments,
  { files = localFiles, environment }: Partial<Pick<RunContext, 'files'>> & Pick<RunContext, 'environment'>,
): Promise<RunSpec> {
  const context = {
    files,
    environment,
    savedApiKey: async () => {
      const variables = { ...(await dotEnv(options.cwd ?? '', files, environment)), ...environment };
      return variables['OPENAI_API_KEY'];
    },
  };
  return resolveRun(options, context, {
    debugging: false,
    errors: flagErrors,
    apiKeyEnv,
    judge: judge && {
      trace: path.resolve(options.cwd ?? '', judge.trace),
      episodes: judge.episodes && [...judge.episodes],
      ownConfig: judge.ownConfig,
    },
  });
}

/** Runs the episodes of a config, or scores recorded ones again. Resolves to the exit code. */
export async function runEpisodes(run: RunArguments, { io, distFolder }: CommandContext): Promise<number> {
  const { options, json } = run;
  for (const note of run.notes) io.stderr.write(`agentjet: ${note}\n`);
  const asksPerson = options.model === 'human' && callsModel(options);
  if (asksPerson && !process.stdin.isTTY) throw noTerminal();
  const spec = await resolveArguments(run, { environment: io.env });
  const launcher = createRunLauncher({ distFolder, ownExecutable: process.execPath });
  const started = await launcher.launch(spec);
  const view = new TerminalView({ json, verbose: options.verbose ?? false }, io);
  started.onEvent((event) => view.take(event));
  const runtime = options.runtimeExecutable;
  const logView = run.logView ? new LogView({ distFolder, runtime, stderr: io.stderr }) : undefined;
  if (logView) started.onEvent((event) => logView.take(event));
  const blocked = watchBlocked(options.episodeTimeout, started, view);
  const human = asksPerson ? askAtTerminal(started) : undefined;
  // With --json, stdout has the document only. The output of user code keeps its terminal codes, such as colors.
  started.onOutput(({ stream, text }) =>
    (stream === 'stdout' && !json ? io.stdout : io.stderr).write(text, true),
  );
  const interrupts = watchInterrupts(started, io);
  const exit = await started.exited;
  interrupts.dispose();
  human?.close();
  blocked?.dispose();
  const interrupted = interrupts.count() > 0;
  const code = view.finish(exit, interrupted ? 'interrupted' : blocked?.found === true ? 'blocked' : 'own');
  await (interrupted ? logView?.close() : logView?.stay());
  return code;
}

/** Reads the arguments that continue a training from its last checkpoint. */
export async function resumedRun(
  values: Values<typeof resumeTable>,
  folder: string,
  { io }: CommandContext,
): Promise<RunArguments> {
  const absolute = path.resolve(io.cwd, folder);
  const state = await readTrainingState(absolute);
  return resumeArguments(values, absolute, state);
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

/** The first Ctrl-C ends the run with a report. The second kills it. */
function watchInterrupts(run: RunProcess, { stderr }: CommandIo): Disposable & { count(): number } {
  let count = 0;
  const watch = onInterrupt(() => {
    count += 1;
    if (count > 1) run.killNow();
    else {
      stderr.write('\nInterrupted: ending the episodes. Press Ctrl-C again to kill the run.\n');
      run.cancel();
    }
  });
  return { count: () => count, dispose: () => watch.dispose() };
}

function watchBlocked(
  seconds: number | undefined,
  process: RunProcess,
  view: TerminalView,
): BlockedEpisodes | undefined {
  if (seconds === undefined) return undefined;
  const watch = new BlockedEpisodes(systemClock, seconds, (results) => {
    for (const result of results) view.take({ type: 'episode-ended', result });
    process.killNow();
  });
  process.onEvent((event) => watch.take(event));
  return watch;
}

function noTerminal(): CodedError {
  return new CodedError({
    code: 'cli/no-terminal',
    message: '--model human needs an interactive terminal.',
    hint: 'Run the command in a terminal, or use --model script --script FILE.',
  });
}
