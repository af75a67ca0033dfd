import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { Emitter } from '../../../../src/base/core/event.ts';
import type { TraceReply } from '../../../../src/traces/core/protocol/traceRpc.ts';
import type { TraceClient } from '../../../../src/traces/core/methods.ts';
import type { GoMessage, HeldMessage } from '../../../../src/traces/core/viewerPage.ts';
import { TraceRelay } from '../../../../src/traces/editor/traceRelay.ts';

function bench(answer: (method: string) => Promise<unknown> = () => Promise.resolve('answer')) {
  const changed = new Emitter<string>();
  const asked: string[] = [];
  const client: TraceClient = {
    ask: (method) => {
      asked.push(method);
      return answer(method) as Promise<never>;
    },
    onChanged: changed.event,
  };
  const posted: (TraceReply | GoMessage | HeldMessage)[] = [];
  const shown: unknown[] = [];
  const actions = {
    show: (source: unknown): Promise<void> => {
      shown.push(source);
      return Promise.resolve();
    },
    debug: (...which: readonly unknown[]): Promise<void> => {
      shown.push(which);
      return Promise.resolve();
    },
    otherRun: (own: string) => Promise.resolve(own === '/own.ajtrace' ? '/chosen.ajtrace' : null),
    runs: (own: string) => Promise.resolve([own, '/listed.ajtrace']),
    openRun: (trace: string): Promise<void> => {
      shown.push(trace);
      return Promise.resolve();
    },
    mayRead: (trace: string) => trace === '/chosen.ajtrace',
  };
  const relay = new TraceRelay(client, '/own.ajtrace', (reply) => posted.push(reply), actions);
  const call = (id: number, method: string, trace = '/own.ajtrace'): Promise<void> =>
    relay.receive({ id, request: { method, trace } });
  return { relay, call, changed, asked, posted, shown };
}

describe('the relay of a page', () => {
  it('passes on questions about its own trace', async () => {
    const { call, posted } = bench();
    await call(4, 'run');
    expect(posted).toEqual([{ id: 4, result: 'answer' }]);
  });

  it('asks nothing about any other file', async () => {
    const { relay, call, asked, posted } = bench();
    await call(1, 'run', '/etc/passwd');
    await relay.receive({
      id: 2,
      request: { method: 'summaries', traces: ['/own.ajtrace', '/other.ajtrace'] },
    });
    const side = (trace: string) => ({ trace, episode: 0, timeline: null });
    const sides = { left: side('/own.ajtrace'), right: side('/other.ajtrace') };
    await relay.receive({ id: 3, request: { method: 'compare', trace: '/own.ajtrace', ...sides } });
    await relay.receive('nonsense');
    expect(asked).toEqual([]);
    expect(posted).toMatchObject([
      { id: 1, error: { code: 'trace/other-trace' } },
      { id: 2, error: { code: 'trace/other-trace' } },
      { id: 3, error: { code: 'trace/other-trace' } },
    ]);
  });

  it('asks for another run, and compares with those that were chosen, and does nothing else with them', async () => {
    const { relay, call, asked, posted } = bench();
    await call(1, 'otherRuns');
    expect(posted).toEqual([{ id: 1, result: { chosen: '/chosen.ajtrace' } }]);
    const ask = (id: number, request: object): Promise<void> =>
      relay.receive({ id, request: { trace: '/own.ajtrace', ...request } });
    const side = (trace: string) => ({ trace, episode: 0, timeline: null });
    await ask(2, { method: 'counterparts', episode: 0, other: '/chosen.ajtrace' });
    await ask(3, { method: 'compare', left: side('/own.ajtrace'), right: side('/chosen.ajtrace') });
    const window = { episode: 0, timeline: 0, from: 0, limit: 1 };
    await ask(4, { method: 'tokens', trace: '/chosen.ajtrace', ...window });
    expect(asked).toEqual(['counterparts', 'compare', 'tokens']);
    await ask(5, { method: 'counterparts', episode: 0, other: '/unknown.ajtrace' });
    await ask(6, { method: 'tokens', trace: '/unknown.ajtrace', ...window });
    for (const [id, method] of ['run', 'watch', 'otherRuns'].entries())
      await call(7 + id, method, '/chosen.ajtrace');
    await ask(10, { method: 'debug', trace: '/chosen.ajtrace', episode: 0 });
    expect(asked).toHaveLength(3);
    expect(posted.slice(4)).toHaveLength(6);
    for (const reply of posted.slice(4))
      expect(reply).toMatchObject({ error: { code: 'trace/other-trace' } });
  });

  it('shows the code that the trace names, and none that the page does', async () => {
    const source = { file: '/w/workflow.ts', line: 3 };
    const { relay, asked, posted, shown } = bench(() => Promise.resolve(source));
    const of = { kind: 'call', call: 2, file: '/etc/passwd' };
    await relay.receive({ id: 1, request: { method: 'show', trace: '/own.ajtrace', episode: 0, of } });
    expect(asked).toEqual(['source']);
    expect(shown).toEqual([source]);
    expect(posted).toEqual([{ id: 1, result: { source, shown: 'editor' } }]);
  });

  it('debugs an episode of its own trace', async () => {
    const { relay, asked, posted, shown } = bench(() => Promise.resolve({ command: 'agentjet …' }));
    await relay.receive({ id: 1, request: { method: 'debug', trace: '/own.ajtrace', episode: 3, call: 1 } });
    expect(asked).toEqual(['debug']);
    expect(shown).toEqual([['/own.ajtrace', 3, 1]]);
    expect(posted).toEqual([{ id: 1, result: { started: 'editor', command: 'agentjet …' } }]);
  });

  it('has a page go to a place once it listens, and one that is there at once', async () => {
    const { relay, call, posted } = bench(() => Promise.resolve(null));
    relay.go('episode=1');
    relay.go('episode=2');
    expect(posted).toEqual([]);
    await call(1, 'watch');
    expect(posted).toEqual([{ id: 1, result: null }, { go: 'episode=2' }]);
    relay.go('episode=3');
    expect(posted.slice(2)).toEqual([{ go: 'episode=3' }]);
    relay.pageGone();
    relay.go('episode=4');
    expect(posted).toHaveLength(3);
    await call(2, 'watch');
    expect(posted.slice(3)).toEqual([{ id: 2, result: null }, { go: 'episode=4' }]);
  });

  it('says whether a debugger holds the run, once the page listens', async () => {
    const { relay, call, posted } = bench(() => Promise.resolve(null));
    relay.setHeld(true);
    expect(posted).toEqual([]);
    await call(1, 'watch');
    relay.setHeld(false);
    expect(posted).toEqual([{ id: 1, result: null }, { held: true }, { held: false }]);
  });

  it('opens runs that it has listed, and no other file', async () => {
    const { relay, posted, shown } = bench(() => Promise.resolve([{ startedAt: 1 }, { startedAt: 2 }]));
    const open = (id: number, other: string): Promise<void> =>
      relay.receive({ id, request: { method: 'openRun', trace: '/own.ajtrace', other } });
    await open(1, '/listed.ajtrace');
    await relay.receive({ id: 2, request: { method: 'runs', trace: '/own.ajtrace' } });
    await open(3, '/listed.ajtrace');
    await open(4, '/etc/passwd');
    expect(shown).toEqual(['/listed.ajtrace']);
    expect(posted).toMatchObject([
      { id: 1, error: { code: 'trace/other-trace' } },
      { id: 2, result: { runs: [{ startedAt: 2 }, { startedAt: 1 }] } },
      { id: 3, result: null },
      { id: 4, error: { code: 'trace/other-trace' } },
    ]);
  });

  it('answers also what fails', async () => {
    const { call, posted } = bench(() =>
      Promise.reject(new CodedError({ code: 'trace/broken', message: 'Broken.' })),
    );
    await call(1, 'run');
    expect(posted).toMatchObject([{ id: 1, error: { code: 'trace/broken', message: 'Broken.' } }]);
  });

  it('passes on notices of its own trace while the page watches', async () => {
    const { call, changed, posted } = bench(() => Promise.resolve(null));
    changed.fire('/own.ajtrace');
    await call(1, 'watch');
    changed.fire('/other.ajtrace');
    changed.fire('/own.ajtrace');
    expect(posted).toEqual([
      { id: 1, result: null },
      { notice: 'changed', trace: '/own.ajtrace' },
    ]);
  });

  it('stops watching when the page goes, however often that page had asked', async () => {
    const { relay, call, asked } = bench(() => Promise.resolve(null));
    await call(1, 'watch');
    await call(2, 'watch');
    relay.pageGone();
    relay.dispose();
    expect(asked).toEqual(['watch', 'unwatch']);
  });

  it('gives no page the answer to a question of the one before', async () => {
    let resolve: (value: string) => void = () => undefined;
    const { relay, call, posted } = bench(() => new Promise((settle) => (resolve = settle)));
    const old = call(1, 'run');
    relay.pageGone();
    resolve('late');
    await old;
    expect(posted).toEqual([]);
  });
});
