import path from 'node:path';
import { stageFolder, newestCheckpoint } from '../../core/sync/checkpoints.ts';
import { fetchCheckpoint } from '../../node/client/sync/fetchCheckpoint.ts';
import { type CommandContext, usageError } from '../../../base/node/terminal/commandLine.ts';
import { exitCodes, type CommandIo } from '../../../base/node/terminal/commandIo.ts';
import type { PullValues, RebuildValues } from './remoteOptions.ts';
import { withHost } from './session.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { sizeText } from '../../../base/core/format.ts';
import { cancelledByInterrupt } from '../../../base/node/terminal/interrupts.ts';
import { Tenths } from './texts.ts';
import { CodedError } from '../../../base/core/errors.ts';
import type { Checkpoint } from '../../core/protocol/runs.ts';
import { stepText } from '../../core/launch/resumeStages.ts';
import { rebuildSnapshot } from '../../node/client/sync/rebuild.ts';

export interface FetchOptions {
  readonly cancellation: CancellationToken;
  readonly onProgress: (progress: { readonly bytes: number; readonly total: number }) => void;
}

const kept = 'The data received so far is kept. Run the same command to continue.\n';

/** Downloads with progress on stderr for each tenth. Returns false if the user interrupts it; the command then ends. */
export async function download(
  { stderr }: Pick<CommandIo, 'stderr'>,
  fetch: (options: FetchOptions) => Promise<void>,
): Promise<boolean> {
  const interrupts = cancelledByInterrupt();
  const { token } = interrupts.source;
  const tenths = new Tenths();
  const onProgress: FetchOptions['onProgress'] = ({ bytes, total }) => {
    if (tenths.isNext(bytes, total)) stderr.write(`Received ${sizeText(bytes)} of ${sizeText(total)}.\n`);
  };
  try {
    await fetch({ cancellation: token, onProgress });
    return true;
  } catch (error) {
    if (!token.isCancelled) throw error;
    stderr.write(kept);
    return false;
  } finally {
    interrupts.dispose();
  }
}

/** Runs `remote pull`, which downloads a checkpoint. After an interruption, the next call continues. */
export async function pull(
  { host, step, stage: wantedStage, to, json = false }: PullValues,
  [run = '']: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { io } = context;
  return withHost(context, host, async ({ connection }) => {
    const checkpoints = await connection.ask('checkpoint.list', { run });
    const isEnough = (one: { resumable: boolean; huggingFace: boolean }): boolean =>
      one.resumable || one.huggingFace;
    const checkpoint = chosenCheckpoint(checkpoints, { run, step, stage: wantedStage, isEnough });
    const parent = path.resolve(io.cwd, to ?? path.join('checkpoints', run));
    const { stage } = checkpoint;
    const folder = stage === undefined ? parent : path.join(parent, stageFolder(stage));
    const target = path.join(folder, `global_step_${checkpoint.step}`);
    const isComplete = await download(io, (fetching) =>
      fetchCheckpoint(connection, run, checkpoint, target, fetching),
    );
    if (!isComplete) return exitCodes.interrupted;
    io.stdout.write(json ? `${JSON.stringify({ ...checkpoint, target })}\n` : `${target}\n`);
    return exitCodes.ok;
  });
}

/**
 * Returns the checkpoint of the step and stage, by default the newest usable one. Throws `remote/no-checkpoint`, and
 * `cli/usage` if several stages have the step.
 */
export function chosenCheckpoint(
  checkpoints: readonly Checkpoint[],
  wanted: {
    readonly run: string;
    readonly step: number | undefined;
    readonly stage: string | undefined;
    readonly isEnough: (checkpoint: Checkpoint) => boolean;
  },
): Checkpoint {
  const { run, step, stage, isEnough } = wanted;
  const all = stage === undefined ? checkpoints : checkpoints.filter((one) => one.stage === stage);
  const ofStep = all.filter((one) => one.step === step);
  if (ofStep.length > 1) {
    const stages = ofStep.map((one) => one.stage ?? '').join(', ');
    throw usageError(
      `Several stages of ${run} have a checkpoint of step ${step ?? 0}.`,
      `Choose one with --stage: ${stages}.`,
    );
  }
  const found = step === undefined ? newestCheckpoint(all.filter(isEnough)) : ofStep[0];
  if (found !== undefined) return found;
  const what = step === undefined ? 'complete checkpoint' : `checkpoint of step ${step}`;
  const there = checkpoints.map((one) => (one.stage === undefined ? String(one.step) : stepText(one)));
  throw new CodedError({
    code: 'remote/no-checkpoint',
    message: `The run ${run} has no ${what}${stage === undefined ? '' : ` of stage ${stage}`}.`,
    hint:
      there.length === 0
        ? 'It has not written a checkpoint yet.'
        : `Steps with a checkpoint: ${there.join(', ')}.`,
  });
}

/** Runs `remote rebuild`, which downloads the code of a run, as it was sent. */
export async function rebuild(
  { host, to, json = false }: RebuildValues,
  [run = '']: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { io } = context;
  return withHost(context, host, async ({ connection }) => {
    const { snapshot } = await connection.ask('run.get', { run });
    const target = path.resolve(io.cwd, to ?? path.join('code', run));
    const isComplete = await download(io, (fetching) =>
      rebuildSnapshot(connection, snapshot, target, fetching),
    );
    if (!isComplete) return exitCodes.interrupted;
    io.stdout.write(json ? `${JSON.stringify({ run, snapshot, target })}\n` : `${target}\n`);
    return exitCodes.ok;
  });
}
