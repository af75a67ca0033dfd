import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../src/base/errors.ts';
import { Emitter } from '../../../src/base/event.ts';
import type { TraceClient, TraceReply } from '../../../src/protocol/traceRpc.ts';
import { TraceRelay } from '../../../src/vscode/trace/traceRelay.ts';

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
  const posted: TraceReply[] = [];
  const relay = new TraceRelay(client, '/own.ajtrace', (reply) => posted.push(reply));
  const call = (id: number, method: string, trace = '/own.ajtrace'): Promise<void> =>
    relay.receive({ id, request: { method, trace } });
  return { relay, call, changed, asked, posted };
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
    await relay.receive('nonsense');
    expect(asked).toEqual([]);
    expect(posted).toMatchObject([
      { id: 1, error: { code: 'trace/other-trace' } },
      { id: 2, error: { code: 'trace/other-trace' } },
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
