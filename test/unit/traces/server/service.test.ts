import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../../src/base/core/errors.ts';
import { TraceService, type Connection } from '../../../../src/traces/node/server/service.ts';
import type { TraceReply, TraceRequest } from '../../../../src/traces/core/protocol/traceRpc.ts';
import { FakeClock } from '../../fakeClock.ts';
import { ScriptedTrace, scriptedFiles } from './scriptedFiles.ts';

function bench() {
  const clock = new FakeClock();
  const trace = new ScriptedTrace();
  const other = new ScriptedTrace();
  const service = new TraceService(scriptedFiles({ '/a.ajtrace': trace, '/b.ajtrace': other }), clock);
  const notices: TraceReply[] = [];
  const connection = service.connect((trace) => notices.push({ notice: 'changed', trace }));
  return { clock, trace, other, service, connection, notices };
}

const ask = (connection: Connection, request: TraceRequest, id = 1): TraceReply =>
  connection.answer(JSON.stringify({ id, request }));

const watch = { method: 'watch', trace: '/a.ajtrace' } as const;
const run = { method: 'run', trace: '/a.ajtrace' } as const;
const changed = { notice: 'changed', trace: '/a.ajtrace' };

describe('answers', () => {
  it.each([
    ['not JSON at all', -1],
    ['[]', -1],
    ['{"id":7}', 7],
    ['{"id":8,"request":{"method":"drop","trace":"/a.ajtrace"}}', 8],
    ['{"id":9,"request":{"method":"episodes","trace":"/a.ajtrace","from":-1,"limit":5}}', 9],
    ['{"id":"ten","request":{"method":"run","trace":"/a.ajtrace"}}', -1],
  ])('say what is wrong with %s', (text, id) => {
    expect(bench().connection.answer(text)).toMatchObject({ id, error: { code: 'trace/bad-request' } });
  });

  it('carry what a reader throws, and the next question opens the file anew', () => {
    const { connection, trace } = bench();
    trace.failure = new CodedError({ code: 'trace/broken', message: 'It is broken.', hint: 'Mend it.' });
    const error = { code: 'trace/broken', message: 'It is broken.', hint: 'Mend it.' };
    expect(ask(connection, run)).toEqual({ id: 1, error });
    trace.failure = undefined;
    expect(ask(connection, run, 2)).toMatchObject({ id: 2, result: { live: true } });
    expect(trace).toMatchObject({ opened: 2, closed: 1 });
  });

  it('are cut to what one answer may hold', () => {
    const { connection, trace } = bench();
    ask(connection, { method: 'episodes', trace: '/a.ajtrace', from: 3, limit: 1_000_000 });
    ask(connection, {
      method: 'tokens',
      trace: '/a.ajtrace',
      episode: 1,
      timeline: 2,
      from: 0,
      limit: 1_000_000,
    });
    expect(trace.asked).toEqual(['episodes 3 500', 'tokens 1 2 0 8192']);
  });

  it('sum up each trace, also those that cannot be read', () => {
    const { connection } = bench();
    const traces = ['/a.ajtrace', '/gone.ajtrace'];
    expect(ask(connection, { method: 'summaries', traces })).toMatchObject({
      result: [
        { trace: '/a.ajtrace', experiment: 'scripted' },
        { trace: '/gone.ajtrace', state: 'unreadable', error: { message: 'no /gone.ajtrace' } },
      ],
    });
  });
});

describe('files', () => {
  it('are opened by the first question, kept for the next ones and closed when none comes', () => {
    const { connection, clock, trace } = bench();
    expect(trace.opened).toBe(0);
    for (let id = 1; id <= 5; id += 1) {
      ask(connection, run, id);
      clock.advance(2000);
    }
    expect(trace).toMatchObject({ opened: 1, closed: 0 });
    clock.advance(2000);
    expect(trace).toMatchObject({ opened: 1, closed: 1 });
  });
});

describe('watching', () => {
  it('tells of a change once, however many there were since the last look', () => {
    const { connection, clock, trace, notices } = bench();
    ask(connection, watch);
    clock.advance(1000);
    expect(notices).toEqual([]);
    trace.changes += 3;
    clock.advance(1000);
    expect(notices).toEqual([changed]);
  });

  it('tells the more seldom the longer reading takes, and of the last change all the same', () => {
    const { connection, clock, trace, notices } = bench();
    trace.takesTime = () => clock.stall(70);
    ask(connection, watch);
    let answered = 0;
    const start = clock.monotonic();
    while (clock.monotonic() < start + 20_000) {
      trace.changes += 1;
      clock.advance(200);
      if (notices.length > answered) ask(connection, run);
      answered = notices.length;
    }
    expect(answered).toBeGreaterThan(20);
    expect(answered * 70).toBeLessThanOrEqual(2_000);
    trace.changes += 1;
    clock.advance(1_000);
    expect(notices).toHaveLength(answered + 1);
  });

  it('looks only while somebody watches, and only at that trace', () => {
    const { connection, clock, trace, other } = bench();
    ask(connection, watch);
    clock.advance(1000);
    ask(connection, { ...watch, method: 'unwatch' });
    const looks = trace.asked.length;
    clock.advance(10_000);
    expect(trace.asked).toHaveLength(looks);
    expect(trace).toMatchObject({ opened: 1, closed: 1 });
    expect(other.opened).toBe(0);
  });

  it('ends with the connection, and not with that of another', () => {
    const { service, connection, clock, trace, notices } = bench();
    const others: TraceReply[] = [];
    const second = service.connect((trace) => others.push({ notice: 'changed', trace }));
    ask(connection, watch);
    ask(second, watch);
    connection.dispose();
    trace.changes += 1;
    clock.advance(1000);
    expect(notices).toEqual([]);
    expect(others).toEqual([changed]);
  });

  it('tells when a run died, which changes no file, and lets go of its file', () => {
    const { connection, clock, trace, notices } = bench();
    ask(connection, watch);
    clock.advance(5000);
    trace.live = false;
    clock.advance(5000);
    expect(notices).toEqual([changed]);
    expect(trace.closed).toBe(1);
    const looks = trace.asked.length;
    clock.advance(60_000);
    expect(trace.asked).toHaveLength(looks);
  });

  it('notices that the file of a run that is over was replaced', () => {
    const { connection, clock, trace, notices } = bench();
    trace.ended = true;
    ask(connection, watch);
    clock.advance(5000);
    notices.length = 0;
    trace.stamp = 'second';
    clock.advance(1000);
    expect(notices).toEqual([changed]);
  });

  it('begins before the file can be read, and tells once it can', () => {
    const { connection, clock, trace, notices } = bench();
    trace.failure = new Error('not yet');
    expect(ask(connection, watch)).toEqual({ id: 1, result: null });
    clock.advance(5000);
    expect(notices).toEqual([]);
    trace.failure = undefined;
    clock.advance(1000);
    expect(notices).toEqual([changed]);
  });
});
