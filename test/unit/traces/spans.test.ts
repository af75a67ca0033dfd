/** Tools are told by messages; what was recorded is told as it was. */
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { TracedSpan } from '../../../src/tracking/core/records/trace.ts';
import { spanRows, toolsCalled, toolSpans, type EpisodeParts } from '../../../src/traces/core/spans.ts';
import { fuzz } from '../fuzz.ts';
import { temporaryFolder } from './folder.ts';
import { aCall, anEpisode, aResult, aRun } from './samples.ts';

type Call = EpisodeParts['calls'][number];
type Head = EpisodeParts['messages'][number];

const user: Head = { position: 0, role: 'user', toolCallId: null };
const assistant: Head = { position: 1, role: 'assistant', toolCallId: null };
const answer = (position: number, toolCallId: string | null): Head => ({
  position,
  role: 'tool',
  toolCallId,
});

function tools(...named: readonly (readonly [string | null, string])[]): string {
  return JSON.stringify(named.map(([id, name]) => ({ id, function: { name, arguments: '{}' } })));
}

function made(call: number, changes: Partial<Call>): Call {
  return { call, agent: 'solver', startedAt: 0, seconds: 1, messages: [0], toolCalls: null, ...changes };
}

function toolsOf(
  calls: readonly Call[],
  messages: readonly Head[],
  rest: Partial<EpisodeParts> = {},
): readonly unknown[] {
  const rows = toolSpans({ recorded: [], calls, messages, runs: false, ...rest });
  return rows.map(({ name, call, answeredBy, startedAt, seconds, state }) => {
    const when = seconds === null ? state : `${startedAt} to ${startedAt + seconds * 1000}`;
    return `${name} of ${call}, answered by ${answeredBy ?? 'none'}: ${when}`;
  });
}

describe('a tool', () => {
  test('ran between the reply that calls it and the request with its answer', () => {
    const calls = [
      made(0, { toolCalls: tools(['a', 'search']) }),
      made(1, { startedAt: 4_000, messages: [0, 1, 2] }),
    ];
    expect(toolsOf(calls, [user, assistant, answer(2, 'a')])).toEqual([
      'search of 0, answered by 1: 1000 to 4000',
    ]);
  });

  test('is told from others by its id, whoever has the answer', () => {
    const calls = [
      made(0, { toolCalls: tools(['a', 'search'], ['b', 'read']) }),
      made(1, { agent: 'other', startedAt: 2_000, messages: [0, 1, 3] }),
      made(2, { startedAt: 5_000, messages: [0, 1, 2] }),
    ];
    expect(toolsOf(calls, [user, assistant, answer(2, 'a'), answer(3, 'b')])).toEqual([
      'read of 0, answered by 1: 1000 to 2000',
      'search of 0, answered by 2: 1000 to 5000',
    ]);
  });

  test('shares its time with those that were called with it, whose answers are one message', () => {
    const calls = [
      made(0, { toolCalls: tools(['a', 'search'], ['b', 'read']) }),
      made(1, { startedAt: 3_000, messages: [0, 1, 2] }),
    ];
    expect(toolsOf(calls, [user, assistant, answer(2, null)])).toEqual([
      'search of 0, answered by 1: 1000 to 3000',
      'read of 0, answered by 1: 1000 to 3000',
    ]);
  });

  test('is answered once, though later requests have the answer in their history', () => {
    const messages = [user, assistant, answer(2, 'a'), { ...assistant, position: 3 }];
    const calls = [
      made(0, { toolCalls: tools(['a', 'search']) }),
      made(1, { startedAt: 2_000, messages: [0, 1, 2] }),
      made(2, { startedAt: 2_500, messages: [0, 1, 2] }),
      made(3, { startedAt: 4_000, messages: [0, 1, 2, 3, 0] }),
    ];
    expect(toolsOf(calls, messages)).toEqual(['search of 0, answered by 1: 1000 to 2000']);
  });

  test('whose id comes again is the later one', () => {
    const messages = [user, assistant, answer(2, 'a')];
    const calls = [
      made(0, { toolCalls: tools(['a', 'first']) }),
      made(1, { startedAt: 2_000, toolCalls: tools(['a', 'second']) }),
      made(2, { startedAt: 5_000, messages: [0, 1, 2] }),
    ];
    expect(toolsOf(calls, messages)).toEqual([
      'second of 1, answered by 2: 3000 to 5000',
      'first of 0, answered by none: unanswered',
    ]);
  });

  test('that nobody answers may run still while the episode does, until its agent goes on', () => {
    const called = made(0, { toolCalls: tools(['a', 'search']) });
    const runs = { runs: true };
    expect(toolsOf([called], [user], runs)).toEqual(['search of 0, answered by none: running']);
    expect(toolsOf([called], [user])).toEqual(['search of 0, answered by none: unanswered']);
    const later = made(1, { startedAt: 2_000 });
    expect(toolsOf([called, later], [user], runs)).toEqual(['search of 0, answered by none: unanswered']);
    const running = { span: 0, kind: 'call', name: 'solver', seconds: null, error: null } as const;
    const recorded = [{ ...running, call: 1, startedAt: 3_000 }];
    expect(toolsOf([called], [user], { ...runs, recorded })).toEqual([
      'search of 0, answered by 1: 1000 to 3000',
    ]);
  });

  test('is read from whatever a model made of the form', () => {
    expect(toolsCalled(tools(['a', 'search'], [null, 'read']))).toEqual([
      { id: 'a', name: 'search' },
      { id: null, name: 'read' },
    ]);
    expect(toolsCalled('[{"id":"","name":"plain"},{"function":7},null,[],"text"]')).toEqual([
      { id: null, name: 'plain' },
    ]);
    for (const json of [null, '', '{', '{}', 'null', '"search"']) expect(toolsCalled(json)).toEqual([]);
  });
});

test('every tool call is told once, and none ends before it begins', () => {
  const call = fc.record({
    agent: fc.constantFrom('one', 'other'),
    startedAt: fc.nat(10_000),
    seconds: fc.nat(4_000).map((milliseconds) => milliseconds / 1000),
    messages: fc.array(fc.nat(6), { maxLength: 5 }),
    toolCalls: fc.option(
      fc
        .array(fc.tuple(fc.constantFrom(null, 'a', 'b'), fc.constantFrom('search', 'read')))
        .map((named) => tools(...named)),
      { nil: null },
    ),
  });
  const head = fc.record({
    role: fc.constantFrom('user', 'assistant', 'tool'),
    toolCallId: fc.constantFrom(null, 'a', 'b', 'c'),
  });
  fc.assert(
    fc.property(fc.array(call, { maxLength: 8 }), fc.array(head), fc.boolean(), (drawn, heads, runs) => {
      const calls = drawn.map((one, number) => ({ ...one, call: number }));
      const messages = heads.map((one, position) => ({ ...one, position }));
      const rows = toolSpans({ recorded: [], calls, messages, runs });
      const names = (list: readonly { readonly name: string; readonly call: number | null }[]): string[] =>
        list.map(({ name, call: number }) => `${number} ${name}`).sort();
      expect(names(rows)).toEqual(
        names(
          calls.flatMap((one) => toolsCalled(one.toolCalls).map(({ name }) => ({ name, call: one.call }))),
        ),
      );
      for (const { seconds, state } of rows) {
        expect(seconds === null).toBe(state !== 'ended');
        expect(seconds ?? 0).toBeGreaterThanOrEqual(0);
      }
    }),
    fuzz(20_261_122, 500),
  );
});

const judge: TracedSpan = {
  episode: 0,
  span: 0,
  kind: 'judge',
  name: 'Judge',
  call: null,
  startedAt: 1_790_000_002_000,
  seconds: null,
  error: null,
};

describe('a span in a trace', () => {
  test('that runs is seen at once; one that is over when it is told comes with what follows', () => {
    const file = path.join(temporaryFolder(), 'math.ajtrace');
    const writer = openTraceWriter(file, aRun());
    const reader = openTraceReader(file);
    const seen = (): readonly unknown[] =>
      reader
        .read((views) => views.spans(0))
        .spans.map(({ kind, name, state, seconds }) => [kind, name, state, seconds]);
    writer.episodeStarted(anEpisode(0));
    writer.span(judge);
    expect(seen()).toEqual([['judge', 'Judge', 'running', null]]);
    writer.span({ ...judge, seconds: 2, error: 'It threw.' });
    expect(seen()).toEqual([['judge', 'Judge', 'ended', 2]]);
    writer.span({ ...judge, span: 1, kind: 'environment', name: 'step', seconds: 1 });
    expect(seen()).toHaveLength(1);
    writer.span({ ...judge, span: 2, kind: 'call', name: 'solver', call: 0, startedAt: judge.startedAt + 1 });
    expect(seen().slice(1)).toEqual([
      ['environment', 'step', 'ended', 1],
      ['call', 'solver', 'running', null],
    ]);
    writer.callEnded(aCall(0, 0), [], []);
    expect(seen()).toHaveLength(2);
    writer.span({ ...judge, span: 3, name: 'late', seconds: 0 });
    writer.span({ ...judge, span: 4, name: 'killed' });
    writer.runEnded({ status: 'failed', error: null, endedAt: 0 });
    expect(seen().map((row) => (row as unknown[]).slice(0, 3))).toContainEqual(['judge', 'killed', 'lost']);
    reader.close();
  });

  test('comes with the end of its episode, if nothing else does', () => {
    const file = path.join(temporaryFolder(), 'math.ajtrace');
    const writer = openTraceWriter(file, aRun());
    writer.episodeStarted(anEpisode(0));
    writer.span({ ...judge, seconds: 1 });
    writer.episodeEnded({ result: aResult(0), timelines: [] }, []);
    writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
    const reader = openTraceReader(file);
    expect(reader.read((views) => views.spans(0)).spans).toMatchObject([
      { kind: 'judge', seconds: 1, state: 'ended' },
    ]);
    reader.close();
  });

  test('tools stand among what was recorded, in order of their beginnings', () => {
    const parts = {
      recorded: [{ ...judge, startedAt: 5_000, seconds: 1 }],
      calls: [
        made(0, { toolCalls: tools(['a', 'search']) }),
        made(1, { startedAt: 4_000, messages: [0, 1, 2] }),
      ],
      messages: [user, assistant, answer(2, 'a')],
      runs: false,
    };
    expect(spanRows(parts).map(({ kind }) => kind)).toEqual(['tool', 'judge']);
  });
});
