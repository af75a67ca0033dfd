import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { deferred } from '../../../src/base/node/process/deferred.ts';
import { InspectorRelay } from '../../../src/debugging/node/inspectorRelay.ts';

const opened: { close(): void }[] = [];

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

/** A WebSocket server that sends each message back, and the relay in front of it. */
async function relayed() {
  const echo = new WebSocketServer({ noServer: true });
  const server = createServer().listen(0, '127.0.0.1');
  const paths: (string | undefined)[] = [];
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    paths.push(request.url);
    echo.handleUpgrade(request, socket, head, (client) => {
      client.on('message', (data, isBinary) => client.send(data, { binary: isBinary }));
    });
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ready = deferred<URL>();
  const relay = await InspectorRelay.listen(ready.promise);
  opened.push(server, { close: () => relay.dispose() }, { close: () => echo.close() });
  return { relay, paths, begin: () => ready.resolve(new URL(`ws://127.0.0.1:${port}/inspected`)) };
}

function open(address: string): Promise<WebSocket | undefined> {
  const socket = new WebSocket(address);
  opened.push(socket);
  return new Promise((resolve) => {
    socket.addEventListener('open', () => resolve(socket), { once: true });
    socket.addEventListener('error', () => resolve(undefined), { once: true });
  });
}

it('holds the debugger until the inspector can take it, and passes everything on', async () => {
  const { relay, paths, begin } = await relayed();
  const opening = open(relay.address);
  expect(await open(relay.address.slice(0, -1))).toBeUndefined(); // the debugger's socket came before
  expect(paths).toEqual([]);
  begin();
  const socket = await opening;
  expect(paths).toEqual(['/inspected']);
  const answer = new Promise((resolve) => socket?.addEventListener('message', ({ data }) => resolve(data)));
  const long = 'ü'.repeat(500_000);
  socket?.send(long);
  expect(await answer).toBe(long);
});

it('takes one debugger, and none without the secret', async () => {
  const { relay, begin } = await relayed();
  begin();
  const { port } = new URL(relay.address);
  expect(await open(`ws://127.0.0.1:${port}/`)).toBeUndefined();
  expect((await fetch(`http://127.0.0.1:${port}/json/list`)).status).toBe(404);
  const { address } = relay;
  const first = await open(address);
  expect(first).toBeDefined();
  expect(await open(address)).toBeUndefined();
  first?.close();
  expect(await open(address)).toBeUndefined();
});

it('closes the connection of a debugger that still waits', async () => {
  const { relay } = await relayed();
  const opening = open(relay.address);
  expect(await open(`${relay.address}x`)).toBeUndefined();
  relay.dispose();
  expect(await opening).toBeUndefined();
});
