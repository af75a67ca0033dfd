import path from 'node:path';
import process from 'node:process';
import { CancellationSource } from '../../../base/cancellation.ts';
import { rebuildSnapshot } from '../../remote/sync/rebuild.ts';
import type { CommandIo } from '../commandIo.ts';
import { parseOptions } from '../commandLine.ts';
import { exitCodes } from '../terminalView.ts';
import { oneRun } from './runCommands.ts';
import { withHost, type ClientInfo } from './session.ts';
import { size, Tenths } from './texts.ts';

const options = { host: { type: 'string' }, json: { type: 'boolean' }, to: { type: 'string' } } as const;

/** `remote rebuild RUN`: brings the code that ran here, as it was sent. */
export async function rebuild(args: readonly string[], io: CommandIo, client: ClientInfo): Promise<number> {
  const { values, positionals } = parseOptions(args, options, 'agentjet remote rebuild');
  const run = oneRun(positionals, 'rebuild');
  return withHost(io, { host: values.host, client }, async ({ connection }) => {
    const { snapshot } = await connection.ask('run.get', { run });
    const target = path.resolve(io.cwd, values.to ?? path.join('code', run));
    const stop = new CancellationSource();
    const interrupt = (): void => stop.cancel();
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    for (const name of signals) process.once(name, interrupt);
    const tenths = new Tenths();
    try {
      await rebuildSnapshot(connection, snapshot, target, {
        cancellation: stop.token,
        onProgress: ({ bytes, total }) => {
          if (tenths.isNext(bytes, total)) io.stderr.write(`${size(bytes)} of ${size(total)} are here.\n`);
        },
      });
    } catch (error) {
      if (!stop.token.isCancelled) throw error;
      io.stderr.write('What came so far is kept: the same command goes on from there.\n');
      return exitCodes.interrupted;
    } finally {
      for (const name of signals) process.off(name, interrupt);
    }
    io.stdout.write(values.json === true ? `${JSON.stringify({ run, snapshot, target })}\n` : `${target}\n`);
    return exitCodes.ok;
  });
}
