import { describe, expect, it } from 'vitest';
import {
  hostMethods,
  type HostMethod,
  type HostParams,
  type Scope,
} from '../../../../../src/training/core/protocol/hostRpc.ts';
import type { RunOrder } from '../../../../../src/training/core/protocol/runs.ts';
import type { HostServices, WireSocket } from '../../../../../src/training/core/contracts.ts';
import { TokenUse } from '../../../../../src/training/core/wire/tokenUse.ts';
import { HostSession } from '../../../../../src/training/core/wire/hostSession.ts';
import { ScriptedServices, theRun } from '../../../../tools/host/scriptedServices.ts';
import { FakeClock } from '../../../fakeClock.ts';

const sha256 = '0'.repeat(64);
const order: RunOrder = {
  ...{ name: 'x', launcher: 'trinity', backbone: 'trinity', config: 'x.yaml' },
  ...{ snapshot: sha256, flags: [], env: {}, gpus: 0 },
};
const run = theRun;
const key = '0123456789abcdef';
const result = 'global_step_1/actor/model.pt';

type AnyRequest = { readonly [M in HostMethod]: readonly [method: M, params: HostParams<M>] }[HostMethod];

/** What only a token that may start is let do, whatever else is true of it. */
const starting: readonly AnyRequest[] = [
  ['preflight', { order, configText: '' }],
  ['sync.lacks', { contents: [sha256] }],
  ['sync.put', { sha256, bytes: 1 }],
  ['sync.pack', { bytes: 1 }],
  ['sync.manifest', { snapshot: sha256, from: 0, entries: [], done: true }],
  ['sync.has', { snapshot: sha256 }],
  ['sync.entries', { snapshot: sha256, from: 0 }],
  ['sync.get', { sha256, offset: 0 }],
  ['run.start', { order, key }],
  ['tinker.start', { key }],
  ['tinker.call', { run, key, method: 'GET', path: '/api/v1/healthz', headers: {} }],
  ['tinker.send', { run, key, bytes: 1 }],
  ['tinker.receive', { run, key, offset: 0 }],
  ['tinker.stop', { run, key }],
  // What is no result of a run can hold secrets.
  ['file.get', { run, path: 'log/trainer.log', offset: 0, length: 1 }],
  ['file.sum', { run, of: 'job', path: 'config.json' }],
];
const cancelling: readonly AnyRequest[] = [
  ['run.cancel', { run }],
  ['run.remove', { run, checkpoints: true }],
];
const viewing: readonly AnyRequest[] = [
  ['status', {}],
  ['run.list', {}],
  ['run.get', { run }],
  ['run.follow', { run, after: 0 }],
  ['run.unfollow', { run }],
  ['run.gpus', { run }],
  ['run.config', { run }],
  ['run.watch', {}],
  ['checkpoint.list', { run }],
  ['file.list', { run, path: '', from: 0 }],
  ['file.get', { run, path: result, offset: 0, length: 1 }],
  ['file.get', { run, of: 'rollouts', path: 'a.log', offset: 0, length: 1 }],
  ['file.sum', { run, path: result }],
  ['file.sum', { run, of: 'rollouts', path: 'a.log' }],
  ['transfer.stop', { transfer: 0 }],
];

const tokens: readonly (readonly Scope[])[] = [
  ['view'],
  ['view', 'start'],
  ['view', 'cancel'],
  ['view', 'start', 'cancel'],
];
const requests = (
  [
    ['start', starting],
    ['cancel', cancelling],
    ['view', viewing],
  ] as const
).flatMap(([needs, some]) => some.map(([method, params]) => ({ needs, method, params })));

describe('a token of every kind', () => {
  it('is tried with all that a host can be asked for', () => {
    const tried = new Set<string>(['hello', ...requests.map(({ method }) => method)]);
    expect([...tried].sort()).toEqual(Object.keys(hostMethods).sort());
    // A path can make a method want more than the table says, never less.
    for (const { needs, method } of requests) expect([needs, 'view']).toContain(hostMethods[method].scope);
  });

  const cases = tokens.flatMap((scopes) => requests.map((request) => ({ scopes, ...request })));
  it.each(cases)(
    'that may $scopes asks for $method of $params',
    async ({ scopes, needs, method, params }) => {
      const { answer, called, audited } = await asked(scopes, method, params);
      if (scopes.includes(needs)) {
        expect(answer).not.toMatchObject({ error: { data: { code: 'host/not-allowed' } } });
        expect(audited).not.toContainEqual(['refused', expect.anything()]);
        return;
      }
      expect(answer).toMatchObject({
        error: {
          data: { code: 'host/not-allowed', hint: expect.stringContaining(`--scope ${needs}`) as string },
        },
      });
      expect(audited).toMatchObject([['refused', { method, scope: needs }]]);
      // Where a run's stages are is looked up to judge a path; nothing else is done.
      expect(called.filter((name) => name !== 'runs.list')).toEqual([]);
    },
  );
});

interface Asked {
  readonly answer: unknown;
  /** Services of the host that were called for it. */
  readonly called: readonly string[];
  readonly audited: readonly (readonly [what: string, details: object])[];
}

/** One request to a host of its own, after the hello. */
async function asked(scopes: readonly Scope[], method: HostMethod, params: object): Promise<Asked> {
  const called: string[] = [];
  const audited: [string, object][] = [];
  const sent: { id?: number; result?: unknown }[] = [];
  const socket: WireSocket = {
    buffered: 0,
    sendText: (text) => void sent.push(JSON.parse(Buffer.from(text).toString()) as { id?: number }),
    sendBytes: () => undefined,
    drained: () => Promise.resolve(),
    setReading: () => undefined,
    close: () => undefined,
  };
  const session = new HostSession(socket, {
    services: watched(new ScriptedServices().services, called),
    client: { name: 'x', scopes: new Set(scopes), connection: 'x', use: new TokenUse() },
    clock: new FakeClock(),
    audit: (what, details) => audited.push([what, details]),
  });
  const ask = (id: number, name: HostMethod, of: object): void =>
    session.text(JSON.stringify({ jsonrpc: '2.0', id, method: name, params: of }));
  ask(0, 'hello', { versions: { min: 1, max: 1 }, client: { name: 'x', version: '0' } });
  expect(sent).toMatchObject([{ id: 0, result: { scopes } }]);
  ask(1, method, params);
  await expect.poll(() => sent.some(({ id }) => id === 1), { interval: 1 }).toBe(true);
  session.closed();
  return { answer: sent.find(({ id }) => id === 1), called, audited };
}

/** The same services, which note the names of what is called. */
function watched<T extends HostServices | HostServices[keyof HostServices]>(
  services: T,
  called: string[],
  of = '',
): T {
  return new Proxy(services, {
    get: (target, name): unknown => {
      const value: unknown = Reflect.get(target, name);
      const whole = `${of}${String(name)}`;
      if (typeof value === 'object' && value !== null)
        return watched(value as HostServices['runs'], called, `${whole}.`);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        called.push(whole);
        return Reflect.apply(value, target, args);
      };
    },
  });
}
