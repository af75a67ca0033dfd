import path from 'node:path';
import { stageFolder, newestCheckpoint } from '../../core/sync/checkpoints.ts';
import type { DownloadOptions } from '../../node/client/sync/download.ts';
import { fetchCheckpoint } from '../../node/client/sync/fetchCheckpoint.ts';
import { usageError } from '../../../base/node/terminal/commandLine.ts';
import { exitCodes, type CommandIo } from '../../../base/node/terminal/commandIo.ts';
import type { PullValues, RebuildValues } from './remoteOptions.ts';
import { onRun } from './session.ts';
import { sizeText } from '../../../base/core/format.ts';
import { cancelledByInterrupt } from '../../../base/node/terminal/interrupts.ts';
import { Tenths } from './texts.ts';
import { CodedError } from '../../../base/core/errors.ts';
import type { Checkpoint } from '../../core/protocol/runs.ts';
import { stepText } from '../../core/launch/resumeStages.ts';
import { rebuildSnapshot } from '../../node/client/sync/rebuild.ts';

/** Prints the folder or the document. If the user interrupts it, the next call continues. */
async function download(
  { stdout, stderr }: CommandIo,
  target: string,
  document: object | undefined,
  fetch: (options: DownloadOptions) => Promise<void>,
): Promise<number> {
  const interrupts = cancelledByInterrupt();
  const { token } = interrupts.source;
  const tenths = new Tenths();
  const onProgress: DownloadOptions['onProgress'] = ({ bytes, total }) => {
    if (tenths.isNext(bytes, total)) stderr.write(`Received ${sizeText(bytes)} of ${sizeText(total)}.\n`);
  };
  try {
    await fetch({ cancellation: token, onProgress });
  } catch (error) {
    if (!token.isCancelled) throw error;
    stderr.write('The data received so far is kept. Run the same command to continue.\n');
    return exitCodes.interrupted;
  } finally {
    interrupts.dispose();
  }
  stdout.write(document === undefined ? `${target}\n` : `${JSON.stringify({ ...document, target })}\n`);
  return exitCodes.ok;
}

export const pull = onRun<PullValues>(async ({ connection, io }, values, run) => {
  const { step, stage: wantedStage, to, json = false } = values;
  const checkpoints = await connection.ask('checkpoint.list', { run });
  const isEnough = (one: Checkpoint): boolean => one.resumable || one.huggingFace;
  const checkpoint = chosenCheckpoint(checkpoints, { run, step, stage: wantedStage, isEnough });
  const parent = path.resolve(io.cwd, to ?? path.join('checkpoints', run));
  const { stage } = checkpoint;
  const folder = stage === undefined ? parent : path.join(parent, stageFolder(stage));
  const target = path.join(folder, `global_step_${checkpoint.step}`);
  return download(io, target, json ? checkpoint : undefined, (fetching) =>
    fetchCheckpoint(connection, run, checkpoint, target, fetching),
  );
});

export const rebuild = onRun<RebuildValues>(async ({ connection, io }, { to, json = false }, run) => {
  const { snapshot } = await connection.ask('run.get', { run });
  const target = path.resolve(io.cwd, to ?? path.join('code', run));
  return download(io, target, json ? { run, snapshot } : undefined, (fetching) =>
    rebuildSnapshot(connection, snapshot, target, fetching),
  );
});

/** By default the newest usable one. Throws `remote/no-checkpoint`, and `cli/usage` if several stages have the step. */
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
