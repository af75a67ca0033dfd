/** Clients of a host that was started from the built program, and what they read of its runs. */
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { connectHost, type ConnectOptions } from '../../../src/training/node/client/connectHost.ts';
import { readTree } from '../../../src/training/node/client/sync/readTree.ts';
import { syncTree } from '../../../src/training/node/client/sync/syncTree.ts';
import type { ClientConnection } from '../../../src/training/core/wire/clientConnection.ts';
import type { Gathered } from '../../tools/host/gathered.ts';
import type { GpuMachine, Listening } from './gpuHost.ts';

/** @param first what the host told when it made its first token */
export function clientOf(
  { url, token }: Pick<Listening, 'url' | 'token'>,
  { port = Number(new URL(url).port), ...options }: Partial<ConnectOptions> & { port?: number } = {},
): ClientConnection {
  if (token === undefined) throw new Error('The host has told no token.');
  const connection = connectHost(
    { url: `ws://127.0.0.1:${port}`, token: token.token },
    { client: { name: 'tests', version: '0' }, delays: { first: 20, most: 100 }, ...options },
  );
  onTestFinished(() => connection.dispose());
  return connection;
}

/** Sends the machine's project and starts it; resolves to the run's id. */
export async function startedRun(machine: GpuMachine, connection: ClientConnection): Promise<string> {
  const tree = await readTree(machine.project.folder, { cache: null, cancellation: neverCancelled });
  return orderedRun(machine, connection, await syncTree(tree, connection));
}

/** Starts what was sent; resolves to the run's id. */
export async function orderedRun(
  machine: GpuMachine,
  connection: ClientConnection,
  snapshot: string,
): Promise<string> {
  const order = { name: 'chaos', launcher: 'trinity', backbone: 'trinity', config: 'train.yaml' } as const;
  const { id } = await connection.ask('run.start', {
    order: { ...order, snapshot, flags: [], env: {}, gpus: 0 },
    key: randomUUID(),
  });
  machine.runs.add(id);
  return id;
}

/** Reads a run's events to its end. @param taken told after each batch; the next one waits for it */
export async function gather(
  connection: ClientConnection,
  run: string,
  gathered: Gathered,
  taken: () => void | Promise<void> = () => undefined,
): Promise<Gathered> {
  for await (const events of connection.follow(run, { after: gathered.last }, neverCancelled)) {
    gathered.take(events);
    await taken();
  }
  return gathered;
}
