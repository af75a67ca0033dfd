import path from 'node:path';
import process from 'node:process';
import { CancellationSource } from '../../../base/cancellation.ts';
import { fetchCheckpoint } from '../../remote/sync/fetchCheckpoint.ts';
import { whole } from '../argumentValues.ts';
import type { CommandIo } from '../commandIo.ts';
import { parseOptions } from '../commandLine.ts';
import { exitCodes } from '../terminalView.ts';
import { chosenCheckpoint } from './chosenCheckpoint.ts';
import { oneRun } from './runCommands.ts';
import { withHost, type ClientInfo } from './session.ts';
import { size, Tenths } from './texts.ts';

const options = {
  host: { type: 'string' },
  json: { type: 'boolean' },
  step: { type: 'string' },
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
    const checkpoint = chosenCheckpoint(checkpoints, { run, step, isEnough });
    const parent = path.resolve(io.cwd, values.to ?? path.join('checkpoints', run));
    const target = path.join(parent, `global_step_${checkpoint.step}`);
    const stop = new CancellationSource();
    const interrupt = (): void => stop.cancel();
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    for (const name of signals) process.once(name, interrupt);
    const tenths = new Tenths();
    try {
      await fetchCheckpoint(connection, run, checkpoint, target, {
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
    io.stdout.write(values.json === true ? `${JSON.stringify({ ...checkpoint, target })}\n` : `${target}\n`);
    return exitCodes.ok;
  });
}
