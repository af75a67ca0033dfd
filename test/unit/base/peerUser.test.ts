import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { isFromOtherUser } from '../../../src/base/node/peerUser.ts';

async function listen(): Promise<{ readonly port: number; readonly accepted: Promise<Socket> }> {
  const server = createServer();
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection').then(([socket]) => socket as Socket);
  return { port: (server.address() as AddressInfo).port, accepted };
}

it.each(['127.0.0.1', '::ffff:127.0.0.1'])('allows connections of the same user from %s', async (host) => {
  const { port, accepted } = await listen();
  const client = connect(port, host);
  onTestFinished(() => void client.destroy());
  expect(isFromOtherUser(await accepted)).toBe(false);
});

const script = (port: number): string =>
  `const socket = require('node:net').connect(${port}, '127.0.0.1', () => socket.write('x'));
   process.stdin.resume().on('end', () => process.exit());`;

it.runIf(process.getuid?.() === 0)('recognizes another user (as root only)', async () => {
  const { port, accepted } = await listen();
  const child = spawn('setpriv', ['--reuid=65534', '--clear-groups', process.execPath, '-e', script(port)], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const socket = await accepted;
  expect(isFromOtherUser(socket)).toBe(true);
  child.stdin.end();
  await once(child, 'exit');
  // The data that it sent can still be read.
  expect(isFromOtherUser(socket)).toBe(true);
});
