/** The Tinker server of a GPU host, and the tunnel to it. */
import { hasCode } from '../../../base/core/errors.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { exitCodes } from '../../../base/node/terminal/commandIo.ts';
import type { CommandContext } from '../../../base/node/terminal/commandLine.ts';
import { cancelledByInterrupt } from '../../../base/node/terminal/interrupts.ts';
import type { TinkerRequest } from '../../core/contracts.ts';
import { finalStates, type RunRecord } from '../../core/protocol/runs.ts';
import { startTinker } from '../../node/client/tinker/startTinker.ts';
import { openTinkerTunnel } from '../../node/client/tinker/tunnel.ts';
import type { ServeValues } from './remoteOptions.ts';
import { onHost, withHost, type RemoteSession } from './session.ts';
import { stateOf } from './texts.ts';

export const serveTinker = onHost<ServeValues>(async (session, { baseModel, server, json = false }) => {
  const { io, host } = session;
  const interrupts = cancelledByInterrupt();
  const { token } = interrupts.source;
  try {
    const request = {
      ...(baseModel !== undefined && { model: baseModel }),
      ...(server !== undefined && { server }),
    };
    return await withTunnel(session, request, token, async ({ url, run }) => {
      const model = run.tinker?.model ?? '';
      if (json) io.stdout.write(`${JSON.stringify({ url, run: run.id, model })}\n`);
      else {
        io.stdout.write(`${url}\n`);
        io.stderr.write(
          `The server serves ${model}. To train: agentjet --conf FILE --backbone tinker --tinker-url ADDRESS\n` +
            `Ctrl-C closes the tunnel. To end the server: agentjet remote cancel ${run.id} --host ${host.name}\n`,
        );
      }
      const ended = await untilEnded(session, run.id, token);
      if (ended === undefined) return exitCodes.ok;
      io.stderr.write(`The server has ended. State: ${stateOf(ended)}\n`);
      return exitCodes.someFailed;
    });
  } catch (error) {
    if (token.isCancelled && hasCode(error, 'host/cancelled')) return exitCodes.interrupted;
    throw error;
  } finally {
    interrupts.dispose();
  }
});

/** Opens a tunnel to a Tinker server on a known host, for as long as `use` takes. */
export function withTinkerHost<T>(
  context: CommandContext,
  host: string,
  request: TinkerRequest,
  use: (url: string) => Promise<T>,
): Promise<T> {
  return withHost(context, host, async (session) => {
    const interrupts = cancelledByInterrupt();
    return withTunnel(session, request, interrupts.source.token, ({ url }) => {
      interrupts.dispose(); // the training handles them, and saves a checkpoint
      return use(url);
    }).finally(() => interrupts.dispose());
  });
}

async function withTunnel<T>(
  { connection, io }: RemoteSession,
  request: TinkerRequest,
  cancellation: CancellationToken,
  use: (tunnel: { readonly url: string; readonly run: RunRecord }) => Promise<T>,
): Promise<T> {
  const show = (run: RunRecord): void => io.stderr.write(`${run.id}: ${stateOf(run)}\n`);
  const run = await startTinker(connection, request, show, cancellation);
  const tunnel = await openTinkerTunnel(connection, run.id);
  try {
    return await use({ url: tunnel.url, run });
  } finally {
    await tunnel.close();
  }
}

/** Resolves to the record of the ended run, or to undefined on cancellation. */
function untilEnded(
  { connection }: RemoteSession,
  run: string,
  cancellation: CancellationToken,
): Promise<RunRecord | undefined> {
  return new Promise((resolve) => {
    cancellation.onCancelled(() => resolve(undefined));
    const look = (record: RunRecord): void => {
      if (record.id === run && finalStates.includes(record.state)) resolve(record);
    };
    connection.on('run.changed', ({ run: record }) => look(record));
    connection.onState(({ kind }) => {
      if (kind === 'connected') connection.ask('run.get', { run }).then(look, () => undefined);
    });
    if (cancellation.isCancelled) resolve(undefined);
  });
}
