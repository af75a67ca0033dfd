import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { ownCertificate } from '../../../../../src/training/node/host/server/certificate.ts';
import { client, reaches, temporaryFolder, wireHost } from './wireHost.ts';

/** Leads whoever comes to `at` on to a port. */
async function leading(at: string, port: number): Promise<void> {
  const server = createServer((near: Socket) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => undefined);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  }).listen(at);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

/** A port that stands for one somebody else has taken, and how often it was connected to. */
async function taken(): Promise<{ readonly port: number; readonly count: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, count: () => count };
}

test.skipIf(process.platform === 'win32')('a route is taken in the place of the address', async () => {
  const folder = temporaryFolder();
  const certificate = await ownCertificate(folder);
  const others = await taken();
  for (const { scheme, options, fingerprint } of [
    { scheme: 'ws', options: {}, fingerprint: undefined },
    { scheme: 'wss', options: { certificate }, fingerprint: certificate.fingerprint },
  ]) {
    const host = await wireHost(options);
    const end = path.join(folder, scheme);
    await leading(end, host.port);
    const url = `${scheme}://127.0.0.1:${others.port}`;
    const route = (): { path: string } => ({ path: end });
    const connection = client({ url, token: host.token(), fingerprint, route });
    await reaches(connection, 'connected');
    if (fingerprint === undefined) continue;
    const other = client({ url, token: host.token(), fingerprint: '0'.repeat(64), route });
    expect((await reaches(other, 'ended')).reason).toContain('differs from the trusted one');
  }
  expect(others.count()).toBe(0);
});

test('nothing is sent to an address while the route to it is lost', async () => {
  const host = await wireHost();
  const others = await taken();
  let asked = 0;
  const route = (): { port: number } | undefined => (++asked < 5 ? undefined : { port: host.port });
  const url = `ws://127.0.0.1:${others.port}`;
  const connection = client({ url, token: host.token(), route });
  expect((await reaches(connection, 'waiting')).reason).toBe('The tunnel to the host is not open.');
  await reaches(connection, 'connected');
  expect([asked, others.count()]).toEqual([5, 0]);
});
