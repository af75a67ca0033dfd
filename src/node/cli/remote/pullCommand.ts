import path from 'node:path';
import { stageFolder } from '../../../remote/sync/checkpoints.ts';
import { fetchCheckpoint } from '../../remote/sync/fetchCheckpoint.ts';
import { whole } from '../argumentValues.ts';
import type { CommandIo } from '../commandIo.ts';
import { parseOptions } from '../commandLine.ts';
import { exitCodes } from '../terminalView.ts';
import { chosenCheckpoint } from './chosenCheckpoint.ts';
import { fetched } from './fetched.ts';
import { oneRun } from './runCommands.ts';
import { withHost, type ClientInfo } from './session.ts';

const options = {
  host: { type: 'string' },
  json: { type: 'boolean' },
  step: { type: 'string' },
  stage: { type: 'string' },
  to: { type: 'string' },
} as const;

/** `remote pull RUN`: brings a checkpoint here; called again after a cut it goes on. */
export async function pull(args: readonly string[], io: CommandIo, client: ClientInfo): Promise<number> {
  const { values, positionals } = parseOptions(args, options, 'agentjet remote pull');
  const run = oneRun(positionals, 'pull');
  const step = whole('--step', values.step, 0);
  return withHost(io, { host: values.host, client }, async ({ connection }) => {
    const checkpoints = await connection.ask('checkpoint.list', { run });
    const isEnough = (one: { resumable: boolean; huggingFace: boolean }): boolean =>
      one.resumable || one.huggingFace;
    const checkpoint = chosenCheckpoint(checkpoints, { run, step, stage: values.stage, isEnough });
    const parent = path.resolve(io.cwd, values.to ?? path.join('checkpoints', run));
    const { stage } = checkpoint;
    const folder = stage === undefined ? parent : path.join(parent, stageFolder(stage));
    const target = path.join(folder, `global_step_${checkpoint.step}`);
    const isHere = await fetched(io, (fetching) =>
      fetchCheckpoint(connection, run, checkpoint, target, fetching),
    );
    if (!isHere) return exitCodes.interrupted;
    io.stdout.write(values.json === true ? `${JSON.stringify({ ...checkpoint, target })}\n` : `${target}\n`);
    return exitCodes.ok;
  });
}
