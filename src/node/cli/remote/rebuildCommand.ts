import path from 'node:path';
import { rebuildSnapshot } from '../../remote/sync/rebuild.ts';
import type { CommandIo } from '../commandIo.ts';
import { parseOptions } from '../commandLine.ts';
import { exitCodes } from '../terminalView.ts';
import { fetched } from './fetched.ts';
import { oneRun } from './runCommands.ts';
import { withHost, type ClientInfo } from './session.ts';

const options = { host: { type: 'string' }, json: { type: 'boolean' }, to: { type: 'string' } } as const;

/** `remote rebuild RUN`: brings the code that ran here, as it was sent. */
export async function rebuild(args: readonly string[], io: CommandIo, client: ClientInfo): Promise<number> {
  const { values, positionals } = parseOptions(args, options, 'agentjet remote rebuild');
  const run = oneRun(positionals, 'rebuild');
  return withHost(io, { host: values.host, client }, async ({ connection }) => {
    const { snapshot } = await connection.ask('run.get', { run });
    const target = path.resolve(io.cwd, values.to ?? path.join('code', run));
    const isHere = await fetched(io, (fetching) => rebuildSnapshot(connection, snapshot, target, fetching));
    if (!isHere) return exitCodes.interrupted;
    io.stdout.write(values.json === true ? `${JSON.stringify({ run, snapshot, target })}\n` : `${target}\n`);
    return exitCodes.ok;
  });
}
