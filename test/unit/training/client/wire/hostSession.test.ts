import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../../../src/base/core/errors.ts';
import { Random } from '../../../../../src/base/core/random.ts';
import type { HostMethod, Scope } from '../../../../../src/training/core/protocol/hostRpc.ts';
import { closeCodes, encodeChunk, wireLimits } from '../../../../../src/training/core/protocol/wire.ts';
import { TokenUse } from '../../../../../src/training/core/wire/tokenUse.ts';
import { HostSession, type SessionOptions } from '../../../../../src/training/core/wire/hostSession.ts';
import type { WireSocket } from '../../../../../src/training/core/contracts.ts';
import { record, ScriptedServices } from '../../../../tools/host/scriptedServices.ts';
import { FakeClock } from '../../../fakeClock.ts';
import { fuzz } from '../../../fuzz.ts';
import { hello, noisyRequest } from './noise.ts';

describe('a session', () => {
  it('survives whatever comes, and ends when it is too much', async () => {
    const { numRuns } = fuzz(3, 1_000_000);
    const random = new Random('frames');
    const scripted = new ScriptedServices();
    scripted.lines(50);
    const codes = new Map<number, number>();
    let frames = 0;
    while (frames < numRuns) {
      const socket = new MemorySocket();
      const session = newSession(socket, scripted);
      if (random.chance(0.95)) session.text(hello(1, 1));
      const most = 1 + random.below(400);
      for (let sent = 0; sent < most && socket.code === undefined; sent++) {
        sendNoise(session, random);
        frames += 1;
        if (random.chance(0.05)) await new Promise(setImmediate);
      }
      if (socket.code !== undefined) codes.set(socket.code, (codes.get(socket.code) ?? 0) + 1);
      session.closed();
      await new Promise(setImmediate);
      // What is told is small, whatever was sent.
      expect(socket.longest).toBeLessThan(20_000);
      expect(scripted.readers).toBe(0);
    }
    // Whoever sends no messages at all is disconnected, and so is who does not greet.
    expect([...codes.keys()].sort((a, b) => a - b)).toEqual([4400, 4408]);
    expect(scripted.open).toBe(0);
  });
});

describe('what a session is told to the audit log', () => {
  const gone = '20260101-000000-000000';
  const order = {
    name: 'first',
    launcher: 'trinity',
    snapshot: 'f'.repeat(64),
    config: 'train.yaml',
    backbone: 'trinity',
    flags: [],
    env: { WANDB_API_KEY: 'a-secret' },
    gpus: 1,
  };
  const key = '0123456789abcdef';
  const asked = { name: 'first', launcher: 'trinity', config: 'train.yaml', snapshot: order.snapshot };

  it('is which run was started, cancelled or removed, and what became of it', async () => {
    const { ask, audit } = await audited(['view', 'start', 'cancel']);
    await ask('run.start', { order, key });
    const { id: run, name, launcher, config, snapshot } = record;
    const started = { outcome: 'done', run, name, launcher, config, snapshot };
    expect(audit()).toEqual([['run.start', started]]);
    await ask('run.cancel', { run });
    await ask('run.remove', { run, checkpoints: true });
    await ask('run.cancel', { run: gone });
    await ask('run.list', {});
    expect(audit()).toEqual([
      ['run.cancel', { outcome: 'done', run, state: 'running' }],
      ['run.remove', { outcome: 'done', run, checkpoints: true }],
      ['run.cancel', { outcome: 'failed', run: gone, error: 'host/no-run' }],
    ]);
  });

  it('is what could not be started, with the reason and without values of variables', async () => {
    const failing = new ScriptedServices();
    const { runs } = failing.services;
    const full = new CodedError({ code: 'host/disk-full', message: 'The disk is full.' });
    const services = { ...failing.services, runs: { ...runs, start: () => Promise.reject(full) } };
    const { ask, audit } = await audited(['view', 'start'], services);
    await ask('run.start', { order, key });
    const told = audit();
    expect(told).toEqual([['run.start', { outcome: 'failed', ...asked, error: 'host/disk-full' }]]);
    expect(JSON.stringify(told)).not.toContain('a-secret');
  });

  it('is what the token may not do', async () => {
    const { ask, audit } = await audited(['view']);
    const { id: run } = record;
    await ask('run.start', { order, key });
    await ask('run.cancel', { run });
    await ask('run.remove', { run, checkpoints: false });
    await ask('preflight', { order, configText: '' });
    await ask('sync.put', { sha256: order.snapshot, bytes: 1 });
    expect(audit()).toEqual([
      ['refused', { method: 'run.start', scope: 'start', ...asked }],
      ['refused', { method: 'run.cancel', scope: 'cancel', run }],
      ['refused', { method: 'run.remove', scope: 'cancel', run, checkpoints: false }],
      ['refused', { method: 'preflight', scope: 'start', ...asked }],
      ['refused', { method: 'sync.put', scope: 'start', sha256: order.snapshot }],
    ]);
  });

  it('is what was checked, and which code was kept, once', async () => {
    const scripted = new ScriptedServices();
    const findings = [{ id: 'a', severity: 'error', message: 'No.' }] as const;
    const services = { ...scripted.services, preflight: () => Promise.resolve(findings) };
    const { ask, audit } = await audited(['view', 'start'], services);
    await ask('preflight', { order, configText: 'api_key: a-secret' });
    expect(audit()).toEqual([['preflight', { outcome: 'done', ...asked, findings: 1 }]]);
    const { snapshot } = order;
    await ask('sync.manifest', { snapshot, from: 0, entries: [], done: false });
    expect(audit()).toEqual([]);
    await ask('sync.manifest', { snapshot, from: 0, entries: [], done: true });
    expect(audit()).toEqual([['sync.manifest', { outcome: 'done', snapshot, kept: true }]]);
  });

  it('is which files were given out', async () => {
    const scripted = new ScriptedServices();
    scripted.files.set('weights', Buffer.alloc(10));
    const { ask, audit } = await audited(['view', 'start'], scripted.services);
    const { id: run } = record;
    await ask('file.get', { run, path: 'weights', offset: 0, length: 10 });
    await ask('file.get', { run, path: 'none', offset: 0, length: 10 });
    await ask('sync.get', { sha256: order.snapshot, offset: 0 });
    expect(audit()).toEqual([
      ['file.get', { outcome: 'done', run, path: 'weights' }],
      ['file.get', { outcome: 'failed', run, path: 'none', error: 'host/no-file' }],
      ['sync.get', { outcome: 'failed', sha256: order.snapshot, error: 'host/no-file' }],
    ]);
  });
});

describe('a client that asks faster than it is answered', () => {
  it('is disconnected once too much waits', async () => {
    const scripted = new ScriptedServices();
    let answers = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answers = resolve));
    const services = { ...scripted.services, gpus: () => answered.then(() => []) };
    const { socket, session } = await audited(['view'], services);
    const request = { jsonrpc: '2.0', id: 1, method: 'run.gpus', params: { run: record.id } };
    const ask = (): void => session.text(JSON.stringify(request));
    for (let index = 0; index < wireLimits.pending; index++) ask();
    expect(socket.reading).toBe(true);
    for (let index = 0; index < 4_096; index++) ask();
    expect([socket.code, socket.reading]).toEqual([undefined, false]);
    ask();
    expect(socket.code).toBe(closeCodes.tooFast);
    expect(socket.code).toBe(4429);
    answers();
    await new Promise(setImmediate);
    expect(socket.sent).toBe(1);
  });

  it('is answered, and read again, where it waits', async () => {
    const { socket, session } = await audited(['view']);
    const request = { jsonrpc: '2.0', id: 1, method: 'run.list', params: {} };
    for (let index = 0; index < 1_000; index++) session.text(JSON.stringify(request));
    while (socket.sent <= 1_000) await new Promise(setImmediate);
    expect([socket.code, socket.reading, socket.sent]).toEqual([undefined, true, 1_001]);
  });
});

/** Takes what a session sends, and tells that it left at once. */
class MemorySocket implements WireSocket {
  readonly buffered = 0;
  longest = 0;
  /** Messages. */
  sent = 0;
  reading = true;
  code: number | undefined;

  sendText(text: string | Uint8Array): void {
    expect(JSON.parse(Buffer.from(text).toString())).toMatchObject({ jsonrpc: '2.0' });
    this.longest = Math.max(this.longest, text.length);
    this.sent += 1;
  }

  sendBytes(bytes: Uint8Array): void {
    this.longest = Math.max(this.longest, bytes.length);
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  /** What a test sends is read in any case. */
  setReading(reads: boolean): void {
    this.reading = reads;
  }

  close(code: number): void {
    this.code = code;
  }
}

function newSession(
  socket: WireSocket,
  { services }: Pick<ScriptedServices, 'services'>,
  options: { readonly scopes?: readonly Scope[]; readonly audit?: SessionOptions['audit'] } = {},
): HostSession {
  const { scopes = ['view', 'start', 'cancel'], audit = () => undefined } = options;
  const client = { name: 'x', scopes: new Set(scopes), connection: 'x', use: new TokenUse() };
  return new HostSession(socket, { services, client, clock: new FakeClock(), audit });
}

/** A session that has greeted, and what it has told to the audit log since it was last asked. */
async function audited(scopes: readonly Scope[], services = new ScriptedServices().services) {
  const socket = new MemorySocket();
  const told: (readonly [string, unknown])[] = [];
  const audit: SessionOptions['audit'] = (what, details) => told.push([what, details]);
  const session = newSession(socket, { services }, { scopes, audit });
  session.text(hello(1, 1));
  await new Promise(setImmediate);
  return {
    socket,
    session,
    audit: () => told.splice(0),
    ask: async (method: HostMethod, params: object) => {
      const before = socket.sent;
      session.text(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      while (socket.sent === before) await new Promise(setImmediate);
    },
  };
}

/** A frame that is nearly one of the protocol, or nothing like it. */
function sendNoise(session: HostSession, random: Random): void {
  switch (random.below(100)) {
    case 0:
      session.bytes(Buffer.alloc(random.below(40), random.below(256)));
      return;
    case 1:
      session.text(hello(0, 9).slice(0, random.below(90)) + String.fromCharCode(random.below(300)));
      return;
    default:
      if (random.chance(0.5)) session.text(JSON.stringify(noisyRequest(random)));
      else {
        const bytes = Buffer.alloc(random.below(20));
        session.bytes(encodeChunk({ transfer: random.below(3), offset: random.below(9), bytes }));
      }
  }
}
