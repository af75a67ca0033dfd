import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { TracedMessage, TracedToken, TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import type { SpansView } from '../../../src/traces/core/protocol/episodeRpc.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { fuzz } from '../fuzz.ts';
import { temporaryFolder } from './folder.ts';
import { NaiveTrace } from './naiveTrace.ts';
import { aCall, aMessage, anEpisode, aResult, aRun } from './samples.ts';

const vocabularySize = 24;
const anyText = fc.string({ unit: 'binary', maxLength: 12 });
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });

/** Pieces of UTF-8 cut anywhere, and bytes that are none. */
const vocabulary = fc
  .tuple(
    fc.string({ unit: 'binary', minLength: 20, maxLength: 30 }),
    fc.array(fc.uint8Array({ maxLength: 4 }), { minLength: vocabularySize, maxLength: vocabularySize }),
    fc.array(fc.nat(4), { minLength: vocabularySize, maxLength: vocabularySize }),
  )
  .map(([text, random, lengths]): readonly TracedToken[] => {
    const bytes = new TextEncoder().encode(text);
    let start = 0;
    return lengths.map((length, id) => {
      const piece = bytes.slice(start, start + length);
      start += length;
      return { id, bytes: id % 4 === 3 ? (random[id] ?? piece) : piece, special: id % 8 === 7 };
    });
  });

const message = fc
  .record({
    text: anyText,
    author: fc.constantFrom('env', 'llm', 'llm(do_not_train)'),
    toolCalls: orNull(fc.json()),
    toolCallId: orNull(anyText),
    tokens: fc.array(
      fc.record({ id: fc.nat(vocabularySize), mask: fc.nat(1), logprob: fc.double({ max: 0 }) }),
      { maxLength: 20 },
    ),
    hasLogprobs: fc.boolean(),
  })
  .map(({ tokens, hasLogprobs, text, ...rest }): TracedMessage => {
    return aMessage(text, {
      ...rest,
      tokenIds: Int32Array.from(tokens, ({ id }) => id),
      lossMask: Uint8Array.from(tokens, ({ mask }) => mask),
      logprobs: hasLogprobs ? Float32Array.from(tokens, ({ logprob }) => logprob) : null,
    });
  });

const call = fc.record({
  fresh: fc.array(message, { minLength: 1, maxLength: 3 }),
  /** How many of the episode's messages it begins with. */
  kept: fc.nat(6),
  answered: fc.boolean(),
  tools: orNull(fc.json()),
  options: fc.json(),
  error: orNull(anyText),
  times: orNull(fc.record({ askedAfter: orNull(fc.nat()), firstAfter: orNull(fc.nat()) })),
  source: fc.option(
    fc.record({
      file: fc.constantFrom('/home/ada/workflow.ts', '/home/ada/lib/agent.ts', '/opt/größe.py'),
      line: fc.integer({ min: 1, max: 3 }),
      column: orNull(fc.constant(5)),
      function: orNull(fc.constantFrom('solve', 'Math.execute')),
    }),
    { nil: undefined },
  ),
});

/** Of one of the turns: begun in it, and told again when it ends. */
const span = fc.record({
  turn: fc.nat(3),
  kind: fc.constantFrom('workflow', 'judge', 'environment', 'helper', 'call'),
  name: anyText,
  call: fc.nat(3),
  told: fc.constantFrom('running', 'ended', 'both'),
  error: orNull(anyText),
});

/** Of any number of tokens: the trainer leaves out the end of a long sample. */
const trainerLogprobs = fc
  .array(fc.constantFrom(NaN, -0.25, -1, -3), { maxLength: 30 })
  .map((values) => Float32Array.from(values));

const episode = fc.record({
  query: fc.string({ unit: 'binary-ascii', maxLength: 400 }),
  calls: fc.array(call, { maxLength: 4 }),
  spans: fc.array(span, { maxLength: 5 }),
  ends: fc.boolean(),
  /** Eighths: their sums are exact, in whatever order. */
  reward: orNull(fc.integer().map((eighths) => eighths / 8)),
  made: orNull(message),
  trained: fc.array(
    fc.record({
      timeline: fc.nat(2),
      advantage: fc.constantFrom(-1.5, 0.25),
      clip: orNull(fc.constant({ low: 0.75, high: 1.25 })),
      logprobs: trainerLogprobs,
      baseLogprobs: orNull(trainerLogprobs),
    }),
    { maxLength: 2 },
  ),
});

const script = fc.record({
  repeat: fc.integer({ min: 1, max: 3 }),
  compareLevel: fc.constantFrom('text', 'token'),
  ignoreTools: fc.boolean(),
  vocabulary,
  episodes: fc.array(episode, { minLength: 1, maxLength: 6 }),
  ends: fc.boolean(),
});
type Script = typeof script extends fc.Arbitrary<infer T> ? T : never;
type ScriptedEpisode = Script['episodes'][number];

function perform({ vocabulary: tokens, episodes, ends }: Script, writer: TraceWriter): void {
  // Those that run side by side start and call in turns.
  episodes.forEach(({ query }, number) => writer.episodeStarted(anEpisode(number, { query })));
  const positions = episodes.map(() => [] as number[]);
  const timelines = episodes.map(() => [] as number[][]);
  for (let turn = 0; turn < 4; turn++) {
    episodes.forEach((one, number) => {
      const { calls } = one;
      writeSpans(one, turn, number, writer);
      const own = positions[number] ?? [];
      const made = calls[turn];
      if (made === undefined) return;
      const fresh = made.fresh.map((one, index) => ({ position: own.length + index, message: one }));
      const messages = [...own.slice(0, made.kept), ...fresh.map(({ position }) => position)];
      own.push(...fresh.map(({ position }) => position));
      const reply = made.answered ? (messages.pop() ?? null) : null;
      const { options, tools, error, times, source } = made;
      // The first to end is the last that arrived.
      const told = { messages, reply, options, tools, error, source, ...times };
      const tracedCall = aCall(number, 3 - turn, told);
      writer.callEnded(tracedCall, fresh, turn === 0 && isFirst(episodes, number) ? tokens : []);
      if (reply !== null) timelines[number]?.push([...messages, reply]);
    });
  }
  episodes.forEach((one, number) => endEpisode(one, number, timelines[number] ?? [], writer));
  writer.trained(
    episodes.flatMap(({ ends: hasEnded, trained }, number) => {
      const own = trained.filter(({ timeline }) => timeline < (timelines[number]?.length ?? 0));
      return hasEnded ? own.map((one) => ({ ...one, episode: number })) : [];
    }),
  );
  if (ends) writer.runEnded({ status: 'completed', error: null, endedAt: 1_790_000_009_000 });
}

function writeSpans(
  { spans, ends }: ScriptedEpisode,
  turn: number,
  number: number,
  writer: TraceWriter,
): void {
  spans.forEach((one, span) => {
    if (one.turn !== turn) return;
    const { kind, name, told, error } = one;
    const row = { episode: number, span, kind, name, call: kind === 'call' ? one.call : null };
    const running = { ...row, startedAt: 1_790_000_002_000 + span, seconds: null, error: null };
    // One that is told when it is over waits for what the episode writes next.
    if (told !== 'ended' || kind === 'call' || !ends) writer.span(running);
    // A call that runs has its end told as a call.
    if (told !== 'running' && kind !== 'call') writer.span({ ...running, seconds: span / 8, error });
  });
}

/** Whether it is the first with a call. */
function isFirst(episodes: readonly ScriptedEpisode[], number: number): boolean {
  return episodes.findIndex(({ calls }) => calls.length > 0) === number;
}

function endEpisode(
  { ends, reward, made, calls }: ScriptedEpisode,
  number: number,
  timelines: readonly (readonly number[])[],
  writer: TraceWriter,
): void {
  if (!ends) return;
  const next = calls.reduce((count, { fresh }) => count + fresh.length, 0);
  const error = reward === null ? { code: 'x/failed', message: 'It failed.', hint: 'Mend it.' } : null;
  writer.episodeEnded(
    {
      result: aResult(number, { reward, error }),
      timelines: timelines.map((messages, index) => ({
        calls: [index],
        messages: made === null ? messages : [...messages, next],
        tokens: 7 + index,
        trainableTokens: index,
      })),
    },
    made === null ? [] : [{ position: next, message: made }],
  );
}

function expectSame(reader: TraceReader, naive: NaiveTrace, { episodes }: Script): void {
  const { experiment, config, workflow, workflowFile, model, tokenizer } = naive.run;
  const { limits, tasks, repeat, episodes: planned, startedAt } = naive.run;
  const told = { experiment, config, workflow, workflowFile, model, tokenizer, limits, tasks, repeat };
  const totals = naive.totals();
  expect(reader.read((views) => views.run())).toMatchObject({
    ...told,
    episodes: planned,
    startedAt,
    totals,
  });
  for (const [from, limit] of [
    [0, 500],
    [1, 2],
    [9, 3],
  ] as const) {
    expect(reader.read((views) => views.episodes(from, limit))).toEqual(naive.episodes(from, limit));
  }
  episodes.forEach((_, number) => {
    const view = reader.read((views) => views.episode(number));
    expect(view).toEqual(naive.episode(number));
    expect(recordedOf(reader.read((views) => views.spans(number)))).toEqual(naive.recordedSpans(number));
    for (const row of view.calls) {
      expect(reader.read((views) => views.call(number, row.call))).toEqual(naive.call(number, row.call));
    }
    for (const row of view.timelines) expectSameTimeline(reader, naive, number, row.timeline);
  });
}

function recordedOf({ spans }: SpansView): readonly unknown[] {
  return spans
    .filter((one) => one.kind !== 'tool')
    .map(({ kind, name, call: number, seconds, error }) => ({ kind, name, call: number, seconds, error }));
}

function expectSameTimeline(reader: TraceReader, naive: NaiveTrace, episode: number, timeline: number): void {
  expect(reader.read((views) => views.timeline(episode, timeline))).toEqual(
    naive.timeline(episode, timeline),
  );
  const whole = naive.tokens(episode, timeline);
  expect(reader.read((views) => views.tokens.window(episode, timeline, 0, 1_000))).toMatchObject(whole);
  for (const [from, limit] of [
    [1, 1],
    [2, 7],
    [11, 30],
    [whole.total, 5],
  ] as const) {
    const cut = <T>(values: readonly T[]): readonly T[] => values.slice(from, from + limit);
    expect(reader.read((views) => views.tokens.window(episode, timeline, from, limit))).toMatchObject({
      from,
      total: whole.total,
      ids: cut(whole.ids),
      texts: cut(whole.texts),
      special: cut(whole.special),
      lossMask: cut(whole.lossMask),
      logprobs: cut(whole.logprobs),
      messages: cut(whole.messages),
      trainer: whole.trainer && {
        logprobs: cut(whole.trainer.logprobs),
        ratios: cut(whole.trainer.ratios),
        kls: cut(whole.trainer.kls),
      },
    });
  }
}

function readBack(scripted: Script, file: string): void {
  const { repeat, compareLevel, ignoreTools } = scripted;
  const run = aRun({ repeat, merging: { compareLevel, ignoreTools } });
  const naive = new NaiveTrace(run);
  perform(scripted, naive);
  const writer = openTraceWriter(file, run);
  const reader = openTraceReader(file);
  perform(scripted, writer);
  expectSame(reader, naive, scripted);
  // What it answered has left nothing behind that would make later answers wrong.
  expectSame(reader, naive, scripted);
  reader.close();
  if (!scripted.ends) writer.runEnded({ status: 'cancelled', error: null, endedAt: 0 });
}

test('what merging makes while an episode runs hides no canned reply', () => {
  const reply = (text: string, author: TracedMessage['author'], tokenIds: readonly number[]): TracedMessage =>
    aMessage(text, {
      author,
      tokenIds: Int32Array.from(tokenIds),
      lossMask: new Uint8Array(tokenIds.length),
      logprobs: null,
    });
  const plain = { kept: 0, answered: true, tools: null, options: '{}', error: null };
  const call = { ...plain, times: null, source: undefined };
  const calls = [
    // Its loss mask is taken over, which makes a message.
    { ...call, fresh: [reply('yes', 'env', [7])] },
    { ...call, fresh: [reply('Too long.', 'llm(do_not_train)', [])] },
  ];
  const episode: ScriptedEpisode = {
    ...{ query: '', calls, spans: [], ends: false, reward: null, made: null, trained: [] },
  };
  const vocabulary = Array.from({ length: 8 }, (_, id) => ({
    id,
    bytes: new Uint8Array(),
    special: id === 7,
  }));
  const scripted: Script = {
    repeat: 1,
    compareLevel: 'text',
    ignoreTools: false,
    vocabulary,
    episodes: [episode],
    ends: false,
  };
  readBack(scripted, path.join(temporaryFolder(), 'canned.ajtrace'));
});

test('what is written is read back, as a model says that keeps it in memory', () => {
  const folder = temporaryFolder();
  let number = 0;
  fc.assert(
    fc.property(script, (scripted) => readBack(scripted, path.join(folder, `${number++}.ajtrace`))),
    fuzz(20_260_730, 600),
  );
});
