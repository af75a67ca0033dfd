/** Who should not be let in is not, and whatever a stranger or a client sends, the host keeps serving. */
import { readFileSync, statSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { Random } from '../../../../../src/base/core/random.ts';
import { AuditLog } from '../../../../../src/training/node/host/server/auditLog.ts';
import { ownCertificate } from '../../../../../src/training/node/host/server/certificate.ts';
import { serveHost } from '../../../../../src/training/node/host/server/hostServer.ts';
import { certificateAt } from '../../../../../src/training/node/client/connectHost.ts';
import { wireLimits, wireSubprotocol } from '../../../../../src/training/core/protocol/wire.ts';
import { theRun } from '../../../../tools/host/scriptedServices.ts';
import { FakeClock } from '../../../fakeClock.ts';
import { hello, noisyRequest } from './noise.ts';
import { client, reaches, temporaryFolder, wireHost, type WireHost } from './wireHost.ts';

interface Raw {
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  /** The next message. */
  next(): Promise<unknown>;
}

function raw(host: WireHost, headers: Readonly<Record<string, string>>, protocol = wireSubprotocol): Raw {
  const socket = new WebSocket(`${host.server.url}/agentjet`, protocol, { headers });
  onTestFinished(() => socket.terminate());
  socket.on('error', () => undefined);
  const came: unknown[] = [];
  let wake = (): void => undefined;
  socket.on('message', (data) => {
    came.push(JSON.parse((data as Buffer).toString('utf8')));
    wake();
  });
  return {
    socket,
    closed: new Promise((resolve) => socket.once('close', resolve)),
    next: async () => {
      while (came.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return came.shift();
    },
  };
}

async function greeted(host: WireHost, token = host.token()): Promise<Raw> {
  const one = raw(host, { authorization: `Bearer ${token}` });
  await new Promise((resolve) => one.socket.once('open', resolve));
  one.socket.send(hello(1, 1));
  await one.next();
  return one;
}

/** The status that an upgrade is answered with. */
function statusOf(
  host: WireHost,
  headers: Readonly<Record<string, string>>,
  at = '/agentjet',
): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      host: '127.0.0.1',
      port: host.port,
      path: at,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        'sec-websocket-protocol': wireSubprotocol,
        ...headers,
      },
    });
    request.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      resolve(101);
    });
    request.on('error', reject);
    request.end();
  });
}

function linesOf(file: string): unknown[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as unknown);
}

async function serves(host: WireHost): Promise<void> {
  const connection = client({ url: host.server.url, token: host.token() });
  expect(await connection.ask('run.list', {})).toHaveLength(1);
  connection.dispose();
}

describe('a stranger', () => {
  it('is turned away without a token, with a wrong one, from a web page, and at another door', async () => {
    const host = await wireHost();
    const authorization = `Bearer ${host.token()}`;
    expect(await statusOf(host, { authorization })).toBe(101);
    expect(await statusOf(host, {})).toBe(401);
    expect(await statusOf(host, { authorization: 'Bearer ajh_wrong' })).toBe(401);
    expect(await statusOf(host, { authorization: `Bearer ${'x'.repeat(8_000)}` })).toBe(401);
    expect(await statusOf(host, { authorization: authorization.replace('Bearer', 'Basic') })).toBe(401);
    expect(await statusOf(host, {}, `/agentjet?token=${authorization.slice(7)}`)).toBe(401);
    expect(await statusOf(host, { authorization, origin: 'https://evil.example' })).toBe(403);
    expect(await statusOf(host, { authorization, origin: 'null' })).toBe(403);
    expect(await statusOf(host, { authorization }, '/other')).toBe(404);
    expect(await statusOf(host, { authorization, 'sec-websocket-protocol': 'chat' })).toBe(400);
    const log = readFileSync(host.audit.file, 'utf8');
    expect(log).not.toContain(authorization.slice(7));
    const turnedAway = log.match(/.*turned-away.*/g) ?? [];
    expect(turnedAway.map((line) => (JSON.parse(line) as { status: number }).status)).toEqual([
      401, 403, 404, 400,
    ]);
    await serves(host);
    await host.server.close();
    // What was left out meanwhile is counted in the end.
    const counts = readFileSync(host.audit.file, 'utf8').match(/.*turned-away.*"times".*/g) ?? [];
    expect(counts.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ status: 401, times: 4 }]);
  });

  it('who guesses is not answered for a while and keeps nobody out; a client with a wrong token gives up', async () => {
    const clock = new FakeClock();
    const host = await wireHost({ clock });
    const authorization = `Bearer ${host.token()}`;
    for (let guess = 0; guess < 20; guess++)
      expect(await statusOf(host, { authorization: 'Bearer x' })).toBe(401);
    expect(await statusOf(host, { authorization: 'Bearer x' })).toBe(429);
    expect(await statusOf(host, { authorization })).toBe(101);
    clock.advance(10_000);
    const wrong = client({ url: host.server.url, token: 'wrong' });
    expect((await reaches(wrong, 'ended')).reason).toBe('The host does not know this token.');
  });

  it('who knocks again and again is told of once a minute, and does not push out who came before', async () => {
    const clock = new FakeClock();
    const audit = new AuditLog(temporaryFolder(), clock, 4_096);
    const flooded = await wireHost({ clock, audit });
    await greeted(flooded);
    for (let knock = 0; knock < 300; knock++) await statusOf(flooded, {});
    clock.advance(60_000);
    expect(linesOf(audit.file)).toMatchObject([
      { what: 'connected', token: 'token-1' },
      { what: 'turned-away', status: 401 },
      { what: 'turned-away', status: 429 },
      { what: 'turned-away', status: 401, times: 19 },
      { what: 'turned-away', status: 429, times: 279 },
    ]);
  });

  it('who sends slowly is not waited for', async () => {
    const host = await wireHost({ patience: 0.2 });
    const sockets = Array.from({ length: 20 }, (): Socket => {
      const socket = connect(host.port, '127.0.0.1');
      socket.write('GET /agentjet HTTP/1.1\r\nHost: x\r\nX-Slow: ');
      socket.on('error', () => undefined);
      return socket.resume();
    });
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    const clock = new FakeClock();
    const silent = await wireHost({ clock });
    const one = raw(silent, { authorization: `Bearer ${silent.token()}` });
    await new Promise((resolve) => one.socket.once('open', resolve));
    clock.advance(wireLimits.hello * 1_000);
    expect(await one.closed).toBe(4408);
    await serves(host);
  });

  it('who only connects, and as often as it can, keeps nobody out', async () => {
    // Nobody is waited for so long here that it would help.
    const host = await wireHost({ patience: 1_000 });
    const sockets = Array.from({ length: 400 }, () => connect(host.port, '127.0.0.1'));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    const answered = sockets.map(
      (socket) =>
        new Promise((resolve) => {
          socket.on('connect', resolve).on('error', resolve);
          socket.write('GET /agentjet HTTP/1.1\r\n');
        }),
    );
    await Promise.all(answered);
    await serves(host);
    const early = client({ url: host.server.url, token: host.token() });
    await reaches(early, 'connected');
    const more = Array.from({ length: 400 }, () =>
      connect(host.port, '127.0.0.1').on('error', () => undefined),
    );
    onTestFinished(() => more.forEach((socket) => socket.destroy()));
    // Who was let in stays.
    await Promise.all(more.map((socket) => new Promise((resolve) => socket.on('connect', resolve))));
    expect(await early.ask('run.list', {})).toHaveLength(1);
    expect(early.state.kind).toBe('connected');
    await serves(host);
  });

  it('needs TLS from another machine, and is told a certificate that a client pins', async () => {
    const folder = temporaryFolder();
    const host = await wireHost();
    const { scripted, tokens, audit } = host;
    const options = { services: scripted.services, tokens, audit, clock: new FakeClock(), port: 0 };
    await expect(serveHost({ ...options, address: '0.0.0.0' })).rejects.toMatchObject({
      code: 'host/needs-tls',
    });

    const certificate = await ownCertificate(folder);
    expect(await ownCertificate(folder)).toEqual(certificate);
    expect(statSync(path.join(folder, 'tls', 'key.pem')).mode & 0o777).toBe(0o600);
    const server = await serveHost({ ...options, address: '0.0.0.0', certificate });
    onTestFinished(() => server.close());
    const url = server.url.replace('0.0.0.0', '127.0.0.1');
    expect(url).toMatch(/^wss:/);
    expect(await certificateAt(url)).toEqual({ fingerprint: certificate.fingerprint, isTrusted: false });
    const token = host.token();
    const pinned = client({ url, token, fingerprint: certificate.fingerprint.toUpperCase() });
    await reaches(pinned, 'connected');
    expect(await pinned.ask('run.list', {})).toHaveLength(1);
    pinned.dispose();

    const before = readFileSync(audit.file, 'utf8').match(/"connected"/g)?.length;
    const other = client({ url, token, fingerprint: '0'.repeat(64) });
    expect((await reaches(other, 'ended')).reason).toContain('differs from the trusted one');
    expect((await reaches(client({ url, token }), 'ended')).hint).toContain('fingerprint');
    expect(readFileSync(audit.file, 'utf8').match(/"connected"/g)?.length).toBe(before);
  });
});

describe('a client', () => {
  it('who tries what its token does not allow is told of once a minute for each', async () => {
    const clock = new FakeClock();
    const log = new AuditLog(temporaryFolder(), clock);
    const host = await wireHost({ clock, audit: log });
    const audit = (): unknown[] => linesOf(log.file);
    const one = await greeted(host, host.token([]));
    const params = { run: theRun };
    for (let id = 1; id <= 5; id++) {
      one.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'run.cancel', params }));
      expect(await one.next()).toMatchObject({ error: { data: { code: 'host/not-allowed' } } });
    }
    const refused = { what: 'refused', token: 'token-1', method: 'run.cancel', scope: 'cancel', run: theRun };
    expect(audit()).toMatchObject([{ what: 'connected' }, refused]);
    expect(audit()[1]).toHaveProperty('connection');
    clock.advance(60_000);
    expect(audit()[2]).toMatchObject({ ...refused, times: 4 });
  });

  it('who takes all connections it can get keeps nobody out who may cancel', async () => {
    const host = await wireHost();
    const held = async (token: string, count: number): Promise<number> => {
      const authorization = `Bearer ${token}`;
      const sockets = Array.from({ length: count }, () => raw(host, { authorization }).socket);
      const opened = await Promise.all(
        sockets.map(
          (socket) =>
            new Promise<boolean>((resolve) => {
              socket.once('open', () => resolve(true)).once('close', () => resolve(false));
            }),
        ),
      );
      return opened.filter(Boolean).length;
    };
    expect(await held(host.token([]), 256)).toBe(16);
    await serves(host);
    let all = 16;
    for (let token = 0; token < 20; token++) all += await held(host.token(['start']), 16);
    expect(all).toBe(224);
    await serves(host);
    expect(await held(host.token(), 256)).toBe(16);
  });

  it('whose token is taken back is disconnected', async () => {
    const clock = new FakeClock();
    const host = await wireHost({ clock });
    const connection = client({ url: host.server.url, token: host.token() });
    await reaches(connection, 'connected');
    host.tokens.remove('token-1');
    clock.advance(wireLimits.heartbeat * 1_000);
    expect(await reaches(connection, 'ended')).toMatchObject({
      reason: 'The host has revoked the token.',
      lacks: 'token',
    });
  });

  it('of another version is told so', async () => {
    const host = await wireHost();
    for (const [min, max] of [
      [0, 0],
      [2, 9],
    ] as const) {
      const one = raw(host, { authorization: `Bearer ${host.token()}` });
      await new Promise((resolve) => one.socket.once('open', resolve));
      one.socket.send(hello(min, max));
      expect(await one.next()).toMatchObject({ error: { data: { code: 'host/version' } } });
      expect(await one.closed).toBe(4426);
    }
  });

  it('who asks before it greets, greets twice, or sends too much is disconnected', async () => {
    const host = await wireHost();
    const early = raw(host, { authorization: `Bearer ${host.token()}` });
    await new Promise((resolve) => early.socket.once('open', resolve));
    early.socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'run.list', params: {} }));
    expect(await early.closed).toBe(4408);
    const twice = await greeted(host);
    twice.socket.send(hello(1, 1));
    expect(await twice.closed).toBe(4408);
    const large = await greeted(host);
    large.socket.send(`"${'x'.repeat(wireLimits.message)}"`);
    expect(await large.closed).toBe(1009);
    const broken = await greeted(host);
    broken.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect(await broken.closed).toBe(1007);
    const noise = await greeted(host);
    for (let index = 0; index < 30; index++) noise.socket.send('{');
    expect(await noise.closed).toBe(4400);
    await serves(host);
  });

  it('learns nothing of what failed inside', async () => {
    const host = await wireHost();
    const one = await greeted(host);
    one.socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'status', params: {} }));
    const answer = JSON.stringify(await one.next());
    expect(answer).toContain('host/internal');
    expect(answer).not.toMatch(/attack\.test|scriptedServices|at Object/);
    one.socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'constructor', params: {} }));
    expect(await one.next()).toMatchObject({ error: { code: -32_601 } });
  });

  it('who asks without end and takes no answer is not read any more', async () => {
    const host = await wireHost();
    host.scripted.lines(10);
    const one = await greeted(host);
    // What this side does not read stays in the sockets between.
    one.socket.pause();
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'run.get', params: { run: theRun } });
    let taken = 0;
    for (let index = 0; index < 300; index++) {
      for (let many = 0; many < 500; many++) one.socket.send(request, () => (taken += 1));
      await new Promise(setImmediate);
    }
    // 150,000 answers would be 60 MB; the host holds back long before, and so does this side.
    expect(one.socket.bufferedAmount).toBeGreaterThan(0);
    expect(taken).toBeLessThan(150_000);
    await serves(host);
  });

  it('who sends requests of any form is answered, and leaves nothing behind', async () => {
    const host = await wireHost();
    host.scripted.lines(100);
    const one = await greeted(host);
    const random = new Random('requests');
    for (let id = 1; id <= 300; id++) {
      one.socket.send(JSON.stringify({ ...noisyRequest(random), id }));
      const answer = await one.next();
      if (one.socket.readyState !== one.socket.OPEN) break;
      expect(answer).toMatchObject({ jsonrpc: '2.0' });
    }
    one.socket.terminate();
    await serves(host);
    expect(host.scripted.readers).toBe(0);
  });
});
