import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { InspectorRelay } from '../../../src/debugging/node/inspectorRelay.ts';

const opened: { close(): void }[] = [];

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** Starts a server that answers each request as an inspector would, and a relay to it. */
async function relayed() {
  const inspector = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/inspected' });
  inspector.on('connection', (client) => {
    client.on('message', (data: Buffer) => {
      const { id, params } = JSON.parse(data.toString()) as {
        readonly id: number;
        readonly params?: unknown;
      };
      client.send(JSON.stringify({ id, result: params }));
    });
  });
  await once(inspector, 'listening');
  const { port } = inspector.address() as AddressInfo;
  let times = 0;
  const relay = await InspectorRelay.listen(new URL(`ws://127.0.0.1:${port}/inspected`), () => (times += 1));
  opened.push(inspector, { close: () => relay.dispose() });
  return { relay, inspector, attached: () => times };
}

interface Client {
  readonly socket: WebSocket;
  readonly received: string[];
}

function open(address: string): Promise<Client | undefined> {
  const socket = new WebSocket(address);
  const received: string[] = [];
  opened.push(socket);
  socket.addEventListener('message', ({ data }) => received.push(String(data)));
  return new Promise((resolve) => {
    socket.addEventListener('open', () => resolve({ socket, received }), { once: true });
    socket.addEventListener('error', () => resolve(undefined), { once: true });
  });
}

it('passes messages on, and reports when the inspector has the breakpoints', async () => {
  const { relay, attached } = await relayed();
  const client = await open(relay.address);
  const long = 'ü'.repeat(500_000);
  client?.socket.send(JSON.stringify({ id: 1, params: long }));
  await expect.poll(() => client?.received).toEqual([JSON.stringify({ id: 1, result: long })]);
  expect(attached()).toBe(0);
  const release = { id: 2, method: 'Runtime.runIfWaitingForDebugger', params: {} };
  client?.socket.send(JSON.stringify(release));
  client?.socket.send(JSON.stringify({ ...release, id: 3 }));
  await expect.poll(() => client?.received.length).toBe(3);
  expect(attached()).toBe(1);
});

it('takes one debugger, and none without the secret', async () => {
  const { relay } = await relayed();
  const { address } = relay;
  expect(await open(new URL('/', address).href)).toBeUndefined();
  expect(await open(`${address}0`)).toBeUndefined();
  const first = await open(address);
  expect(first).toBeDefined();
  expect(await open(address)).toBeUndefined();
  first?.socket.close();
  expect(await open(address)).toBeUndefined();
});

it.each(['relay', 'inspector'] as const)('ends the session with the %s', async (which) => {
  const { relay, inspector } = await relayed();
  const client = await open(relay.address);
  client?.socket.send('{"id":1}');
  await expect.poll(() => client?.received).toEqual(['{"id":1}']);
  const closed = new Promise((resolve) => client?.socket.addEventListener('close', resolve));
  if (which === 'relay') relay.dispose();
  else for (const one of inspector.clients) one.terminate();
  await closed;
});
