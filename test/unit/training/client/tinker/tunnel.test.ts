import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTinkerTunnel } from '../../../../../src/training/node/client/tinker/tunnel.ts';
import { theRun } from '../../../../tools/host/scriptedServices.ts';
import { client, wireHost, type WireHost } from '../wire/wireHost.ts';

interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

type Respond = (received: Received, response: ServerResponse) => void;

/** A server on a free port, and what it has received. */
async function tinkerServer(
  respond: Respond,
): Promise<{ port: number; received: Received[]; closed: number }> {
  const seen = { port: 0, received: [] as Received[], closed: 0 };
  const server = createServer((message, response) => {
    void buffer(message).then((body) => {
      const { method, url: path, headers } = message;
      const one = { method, path, headers, body };
      seen.received.push(one);
      respond(one, response);
    });
    response.on('close', () => {
      if (!response.writableFinished) seen.closed += 1;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  seen.port = (server.address() as AddressInfo).port;
  return seen;
}

async function tunnelTo(
  host: WireHost,
  tinkerPort: number,
  { port = host.port, mostCalls = 240 } = {},
): Promise<URL> {
  host.scripted.tinkerPort = tinkerPort;
  const connection = client({ url: `ws://127.0.0.1:${port}`, token: host.token() });
  const tunnel = await openTinkerTunnel(connection, theRun, mostCalls);
  onTestFinished(() => tunnel.close());
  return new URL(tunnel.url);
}

interface Sent {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly auth?: string;
}

function send(url: URL, path: string, { method = 'GET', headers = {}, body, auth }: Sent = {}) {
  const asked = request({
    ...{ host: url.hostname, port: url.port, path, method, headers },
    auth: auth ?? `${url.username}:${url.password}`,
    agent: false,
  });
  asked.end(body);
  const answered = new Promise<{ status: number | undefined; headers: object; body: Buffer }>(
    (resolve, reject) => {
      asked.once('error', reject);
      asked.once('response', (response) => {
        buffer(response).then(
          (whole) => resolve({ status: response.statusCode, headers: response.headers, body: whole }),
          reject,
        );
      });
    },
  );
  answered.catch(() => undefined); // a test may end it
  return Object.assign(answered, { end: () => asked.destroy() });
}

const post = (path: string): string => `/api/v1/${path}`;
const idempotent = { 'x-idempotency-key': 'c0ffee00-0000-4000-8000-000000000001' };

describe('a tunnel to the Tinker server of a host', () => {
  it('carries requests and responses of any size, with their headers', async () => {
    const large = Buffer.alloc(3_000_000, 'ä');
    const tinker = await tinkerServer(({ body }, response) => {
      response.writeHead(202, {
        'content-type': 'application/x-protobuf',
        'x-should-retry': 'true',
        server: 'x',
      });
      response.end(body);
    });
    const url = await tunnelTo(await wireHost(), tinker.port);
    for (const body of [Buffer.from('small'), large]) {
      const headers = { 'x-api-key': 'tml-key', 'content-type': 'application/json', cookie: 'no' };
      const answer = await send(url, post('forward_backward?a=1'), { method: 'POST', headers, body });
      expect(answer.status).toBe(202);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/x-protobuf',
        'x-should-retry': 'true',
      });
      expect(answer.headers).not.toHaveProperty('server');
      expect(answer.body.equals(body)).toBe(true);
    }
    expect(tinker.received[1]).toMatchObject({ method: 'POST', path: post('forward_backward?a=1') });
    expect(tinker.received[1]?.headers).toMatchObject({
      'x-api-key': 'tml-key',
      host: `127.0.0.1:${tinker.port}`,
    });
    for (const name of ['authorization', 'cookie'])
      expect(tinker.received[1]?.headers).not.toHaveProperty(name);
  });

  it('refuses requests without its password, and passes on the Tinker API only', async () => {
    const tinker = await tinkerServer((_, response) => response.end());
    const url = await tunnelTo(await wireHost(), tinker.port);
    expect((await send(url, post('healthz'), { auth: 'agentjet:wrong' })).status).toBe(401);
    for (const path of ['/', '/metrics', '//elsewhere/api/v1/x', 'http://10.0.0.1/api/v1/x'])
      expect((await send(url, path)).status, path).toBe(404);
    expect((await send(url, post('healthz'), { method: 'PUT' })).status).toBe(404);
    expect(tinker.received).toEqual([]);
    expect((await send(url, '/openapi.json')).status).toBe(200);
  });

  it('loses no request and repeats none when the connection is cut', async () => {
    let finish = (): void => undefined;
    const tinker = await tinkerServer(({ body }, response) => {
      finish = () => response.end(Buffer.concat([body, body]));
    });
    const host = await wireHost();
    const network = await host.network();
    const url = await tunnelTo(host, tinker.port, { port: network.port });
    const body = Buffer.alloc(100_000, 'x');
    const answer = send(url, post('forward_backward'), { method: 'POST', headers: idempotent, body });
    await expect.poll(() => tinker.received.length).toBe(1);
    network.cut();
    await expect.poll(() => network.made).toBeGreaterThan(1);
    finish();
    expect((await answer).body.length).toBe(200_000);
    // Also for a client that gave up and tries again.
    const again = await send(url, post('forward_backward'), { method: 'POST', headers: idempotent, body });
    expect([again.status, again.body.length]).toEqual([200, 200_000]);
    expect(tinker.received).toHaveLength(1);
  });

  it('repeats a request that failed', async () => {
    let status = 503;
    const tinker = await tinkerServer((_, response) => response.writeHead(status).end());
    const url = await tunnelTo(await wireHost(), tinker.port);
    const sent = { method: 'POST', headers: idempotent };
    expect((await send(url, post('optim_step'), sent)).status).toBe(503);
    status = 200;
    expect((await send(url, post('optim_step'), sent)).status).toBe(200);
    expect(tinker.received).toHaveLength(2);
  });

  it('ends a request for a result when its client does', async () => {
    const tinker = await tinkerServer(() => undefined);
    const url = await tunnelTo(await wireHost(), tinker.port);
    const poll = send(url, post('retrieve_future'), { method: 'POST' });
    await expect.poll(() => tinker.received.length).toBe(1);
    poll.end();
    await expect.poll(() => tinker.closed).toBe(1);
  });

  it('carries heartbeats while requests wait for results', async () => {
    const tinker = await tinkerServer(({ path }, response) => {
      if (path === post('session_heartbeat')) response.end('{}');
    });
    const host = await wireHost();
    const url = await tunnelTo(host, tinker.port, { mostCalls: 4 });
    const polls = Array.from({ length: 6 }, () => send(url, post('retrieve_future'), { method: 'POST' }));
    await expect.poll(() => tinker.received.length).toBe(4);
    const beat = await send(url, post('session_heartbeat'), { method: 'POST', headers: idempotent });
    expect(beat.status).toBe(200);
    for (const poll of polls) poll.end();
  });

  it('says why the server does not answer, and whether to try again', async () => {
    const gone = await tinkerServer(() => undefined);
    const host = await wireHost();
    const url = await tunnelTo(host, 1);
    const refused = await send(url, post('healthz'));
    expect(refused).toMatchObject({ status: 503 });
    expect(refused.headers).not.toHaveProperty('x-should-retry');
    expect(String(refused.body)).toContain('The Tinker server of the host does not answer');
    host.scripted.tinkerPort = gone.port;
    const waiting = send(url, post('retrieve_future'), { method: 'POST' });
    await expect.poll(() => gone.received.length).toBe(1);
    host.scripted.tinkerCalls.ended(theRun);
    expect(String((await waiting).body)).toContain('the call was ended');
  });
});
