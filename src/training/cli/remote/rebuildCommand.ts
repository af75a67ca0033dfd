import path from 'node:path';
import { rebuildSnapshot } from '../../node/client/sync/rebuild.ts';
import type { CommandContext } from '../../../base/node/terminal/commandLine.ts';
import { exitCodes } from '../../../base/node/terminal/commandIo.ts';
import { fetched } from './fetched.ts';
import type { RebuildValues } from './remoteOptions.ts';
import { withHost } from './session.ts';

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
    const isHere = await fetched(io, (fetching) => rebuildSnapshot(connection, snapshot, target, fetching));
    if (!isHere) return exitCodes.interrupted;
    io.stdout.write(json ? `${JSON.stringify({ run, snapshot, target })}\n` : `${target}\n`);
    return exitCodes.ok;
  });
}
