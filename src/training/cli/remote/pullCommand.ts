import path from 'node:path';
import { stageFolder } from '../../core/sync/checkpoints.ts';
import { fetchCheckpoint } from '../../node/client/sync/fetchCheckpoint.ts';
import type { CommandContext } from '../../../base/node/terminal/commandLine.ts';
import { exitCodes } from '../../../base/node/terminal/commandIo.ts';
import { chosenCheckpoint } from './chosenCheckpoint.ts';
import { fetched } from './fetched.ts';
import type { PullValues } from './remoteOptions.ts';
import { withHost } from './session.ts';

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
    const isHere = await fetched(io, (fetching) =>
      fetchCheckpoint(connection, run, checkpoint, target, fetching),
    );
    if (!isHere) return exitCodes.interrupted;
    io.stdout.write(json ? `${JSON.stringify({ ...checkpoint, target })}\n` : `${target}\n`);
    return exitCodes.ok;
  });
}
