import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { MergeSetting, MergingView } from '../../../src/traces/core/protocol/mergingRpc.ts';
import type { TracedToken } from '../../../src/tracking/core/records/trace.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { makesSample, sampleOf } from '../../../src/tracking/core/samples.ts';
import type { ReplyToken, TrackerReply } from '../../../src/tracking/core/tracker.ts';
import { fuzz } from '../fuzz.ts';
import { answer, assistant, Episode, roomy, system, user } from '../tracking/episode.ts';
import { chatMl } from '../tracking/tinyText.ts';
import { temporaryFolder } from './folder.ts';
import { aCall, anEpisode, aResult, aRun } from './samples.ts';

const own: MergeSetting = { compareLevel: 'text', ignoreTools: true, fixesDrift: true };
const tool = (name: string): unknown => ({ type: 'function', function: { parameters: {}, name } });
const next = { role: 'user', content: 'and three' };

interface Ask {
  readonly messages: readonly unknown[];
  readonly reply: (episode: Episode) => TrackerReply;
  readonly tools?: readonly unknown[];
  readonly agent?: string;
}

/** What the model made, in pieces that the tokenizer would not make. */
const made =
  (...pieces: readonly string[]) =>
  (episode: Episode): TrackerReply => {
    const tokens = [...pieces, '<|im_end|>'].flatMap((piece): ReplyToken[] =>
      episode.text.tokenizer.encode(piece).map((id) => ({ id, bytes: [], logprob: -1 })),
    );
    return answer(pieces.join(''), { tokens });
  };

/** The same with a prompt as the engine says that it was given it. */
const told =
  (prompt: string, ...pieces: readonly string[]) =>
  (episode: Episode): TrackerReply => ({
    ...made(...pieces)(episode),
    promptIds: episode.text.tokenizer.encode(prompt),
  });

function tracked(asks: readonly Ask[], { fixesDrift, ...merging }: MergeSetting): Episode {
  const episode = new Episode({ merging, fixesDrift });
  asks.forEach(({ messages, reply, tools = null, agent = 'solver' }) => {
    episode.call(messages, reply(episode), tools, { agent });
  });
  return episode;
}

/** A file with the episode, ended or not. */
function recorded(asks: readonly Ask[], { fixesDrift, ...merging }: MergeSetting, ends: boolean): string {
  const file = path.join(temporaryFolder(), 'explained.ajtrace');
  const run = aRun({
    merging: { ...merging, fixesDrift, toolCallsDisabled: false },
    tokenizer: { name: 'tiny', exact: true, file: '/tiny/tokenizer.json' },
  });
  const writer = openTraceWriter(file, run);
  writer.episodeStarted(anEpisode(0));
  const episode = new Episode({ merging, fixesDrift });
  const known = new Set<number>();
  asks.forEach(({ messages, reply, tools = null, agent = 'solver' }, call) => {
    const { added, ...one } = episode.call(messages, reply(episode), tools, { agent });
    const ids = added.flatMap(({ message }) => [...message.tokenIds]).filter((id) => !known.has(id));
    const tokens = [...new Set(ids)].map((id): TracedToken => ({
      id,
      bytes: episode.text.tokenizer.bytesOf(id),
      special: id < 2,
    }));
    for (const id of ids) known.add(id);
    writer.callEnded(aCall(0, call, { ...one, agent, tools: tools && JSON.stringify(tools) }), added, tokens);
  });
  if (ends) {
    const { timelines, added } = episode.end();
    writer.episodeEnded({ result: aResult(0), timelines }, added);
  }
  if (ends) writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
  else onTestFinished(() => writer.runEnded({ status: 'cancelled', error: null, endedAt: 0 }));
  return file;
}

function opened(file: string): TraceReader {
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  return reader;
}

function explained(asks: readonly Ask[], setting = own, ends = true): MergingView {
  return opened(recorded(asks, setting, ends)).read((views) => views.merging(0, null));
}

const contents = ['two', 'it is 2', '3', 'be kind'];
const anyAsk = fc
  .record({
    history: fc.array(fc.tuple(fc.constantFrom('user', 'assistant'), fc.constantFrom(...contents)), {
      maxLength: 4,
    }),
    reply: fc.constantFrom(['it is 2'], ['it', ' i', 's 2'], ['3'], ['tw', 'o']),
    tools: fc.constantFrom(undefined, [tool('add')], [tool('multiply')]),
    agent: fc.constantFrom('solver', 'judge'),
    rewrites: fc.boolean(),
  })
  .map(({ history, reply, tools, agent, rewrites }): Ask => {
    const messages = [system, ...history.map(([role, content]) => ({ role, content }))];
    const prompt = chatMl(messages, { addGenerationPrompt: true, ...(tools && { tools }) });
    const given = rewrites ? told(prompt.replace('two', 'one'), ...reply) : made(...reply);
    return { messages, reply: given, agent, ...(tools && { tools }) };
  });
const anySetting = fc.record({
  compareLevel: fc.constantFrom('text', 'token'),
  ignoreTools: fc.boolean(),
  fixesDrift: fc.boolean(),
});

test('every setting gives what a run by it would have given', () => {
  fc.assert(
    fc.property(
      fc.array(anyAsk, { minLength: 1, maxLength: 7 }),
      anySetting,
      fc.boolean(),
      (asks, setting, ends) => {
        const reader = openTraceReader(recorded(asks, setting, ends));
        const first = reader.read((views) => views.merging(0, null));
        expect(first.rows[first.chosen]?.setting).toEqual(setting);
        for (const { setting: other } of first.rows) {
          const { timelines } = tracked(asks, other).end();
          const view = reader.read((views) => views.merging(0, other));
          const counts = timelines.map(({ calls, messages, tokens, trainableTokens }) => {
            return { calls, messages: messages.length, tokens, trainableTokens };
          });
          expect(view.timelines).toMatchObject(counts);
          expect(view.rows[view.chosen]).toMatchObject({ setting: other, timelines: timelines.length });
          expect(view.forkCount).toBe(Math.max(0, timelines.length - 1));
        }
        reader.close();
      },
    ),
    fuzz(20_261_122, 300),
  );
});

test('the timelines of a setting can be read as those that a run by it would have made', () => {
  fc.assert(
    fc.property(
      fc.array(anyAsk, { minLength: 1, maxLength: 6 }),
      anySetting,
      anySetting,
      (asks, by, wanted) => {
        const reader = opened(recorded(asks, by, true));
        // What an engine told of its prompts is not known of a run that did not ask it.
        const setting = { ...wanted, fixesDrift: by.fixesDrift };
        const other = opened(recorded(asks, setting, true));
        const timelines = reader.read((views) => views.merging(0, setting)).timelines;
        expect(timelines).toHaveLength(other.read((views) => views.episode(0)).timelines.length);
        timelines.forEach(({ tokens, trainableTokens }, timeline) => {
          const view = reader.read((views) => views.timelines(setting).timeline(0, timeline));
          expect(view.row).toMatchObject({ tokens, trainableTokens });
          const texts = (one: typeof view): readonly string[] => one.messages.map(({ text }) => text);
          expect(texts(view)).toEqual(texts(other.read((views) => views.timeline(0, timeline))));
          const all = reader.read((views) => views.timelines(setting).tokens.window(0, timeline, 0, 8_192));
          const made = other.read((views) => views.tokens.window(0, timeline, 0, 8_192));
          expect([all.ids, all.lossMask, all.total]).toEqual([made.ids, made.lossMask, tokens]);
          const strip = reader.read((views) => views.timelines(setting).tokens.strip(0, timeline, 8_192));
          expect(strip.trained.reduce((sum, share) => sum + share, 0)).toBe(trainableTokens);
          const last = reader.read((views) => views.timelines(setting).tokens.token(0, timeline, tokens - 1));
          expect(last.id).toBe(all.ids.at(-1));
        });
        expect(() => reader.read((views) => views.timelines(setting).timeline(0, timelines.length))).toThrow(
          expect.objectContaining({ code: 'trace/no-such-timeline' }),
        );
      },
    ),
    fuzz(20_261_123, 40),
  );
});

test('a timeline makes a sample just where the sample is not refused', () => {
  fc.assert(
    fc.property(fc.array(anyAsk, { minLength: 1, maxLength: 4 }), anySetting, (asks, setting) => {
      const episode = tracked(asks, setting);
      for (const { messages } of episode.end().timelines) {
        const list = messages.map((position) => episode.messages[position] ?? episode.at(null));
        for (const some of [list, list.slice(1), list.slice(0, -1), list.slice(-1)]) {
          expect(makesSample(some)).toBe(sampleOf(some, roomy).refusal === null);
        }
      }
    }),
    fuzz(20_261_123, 300),
  );
});

describe('a fork', () => {
  const two: readonly Ask[] = [
    { messages: [system, user], reply: made('let me think, it is 2') },
    { messages: [system, user, assistant('it is 2'), next], reply: made('3') },
  ];

  test('names the message, the field and the tokens that differ', () => {
    const { timelines, forks, rows } = explained(two);
    expect(timelines).toMatchObject([
      { calls: [0], agents: ['solver'], parent: null },
      { calls: [1], parent: { timeline: 0, messages: 2 } },
    ]);
    expect(forks).toMatchObject([
      {
        timeline: 1,
        earlier: 0,
        call: 1,
        earlierCall: 0,
        cause: 'content',
        message: 2,
        field: 'content',
        token: 3,
      },
    ]);
    const [{ before, now } = { before: null, now: null }] = forks;
    expect(before).toMatchObject({ role: 'assistant', text: 'let me think, it is 2' });
    expect(before?.tokens.texts.slice(0, 5)).toEqual(['<|im_start|>', 'assistant', '\n', 'let', ' me']);
    expect(now?.tokens).toMatchObject({
      from: 0,
      texts: ['<|im_start|>', 'assistant', '\n', 'it', ' is', ' 2', '<|im_end|>', '\n'],
      more: false,
    });
    expect(rows).toHaveLength(4);
  });

  test('of tools says which, and that ignoring them would merge', () => {
    const asks: readonly Ask[] = [
      { messages: [system, user], reply: made('2'), tools: [tool('add')] },
      { messages: [system, user, assistant('2'), next], reply: made('3'), tools: [tool('multiply')] },
    ];
    const { forks, rows } = explained(asks, { ...own, ignoreTools: false });
    expect(forks).toMatchObject([{ cause: 'tools', field: 'tools' }]);
    expect([forks[0]?.before?.text, forks[0]?.now?.text]).toEqual([
      expect.stringContaining('add'),
      expect.stringContaining('multiply'),
    ]);
    expect(rows.map(({ setting, timelines }) => [setting.ignoreTools, timelines])).toContainEqual([true, 1]);
  });
});

describe('drift', () => {
  test('of a reply is told by tokens, aligned', () => {
    const asks: readonly Ask[] = [
      { messages: [system, user], reply: made('it', ' i', 's 2') },
      { messages: [system, user, assistant('it is 2'), next], reply: made('3') },
    ];
    const { drifts, driftCount, timelines } = explained(asks);
    expect(timelines).toHaveLength(1);
    expect(driftCount).toBe(1);
    expect(drifts).toMatchObject([{ call: 0, again: 1, message: 2, differenceCount: 1 }]);
    const [difference] = drifts[0]?.differences ?? [];
    expect(difference).toMatchObject({
      sameText: true,
      made: { texts: [' i', 's'] },
      templated: { texts: [' is'] },
    });
    expect(explained(asks, { ...own, compareLevel: 'token' }).forks).toMatchObject([
      { cause: 'retokenized', field: 'tokens', message: 2, token: 4 },
    ]);
  });

  test('of a prompt is what fix_retokenization_drift decides', () => {
    const history = [system, user, assistant('2'), next];
    const prompt = chatMl(history, { addGenerationPrompt: true });
    const asks: readonly Ask[] = [
      { messages: [system, user], reply: made('2') },
      { messages: history, reply: told(prompt.replace('be kind', 'be very kind'), '3') },
    ];
    const view = explained(asks, { ...own, compareLevel: 'token' });
    expect(view.drift).toBe('other');
    const timelines = (fixesDrift: boolean): readonly number[] =>
      view.rows
        .filter(({ setting }) => setting.fixesDrift === fixesDrift && setting.compareLevel === 'token')
        .map((row) => row.timelines);
    expect([timelines(true), timelines(false)]).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(explained(asks.slice(0, 1)).drift).toBe('same');
  });
});

test('what is explained follows a running episode', () => {
  const file = path.join(temporaryFolder(), 'running.ajtrace');
  const writer = openTraceWriter(file, aRun());
  onTestFinished(() => writer.runEnded({ status: 'cancelled', error: null, endedAt: 0 }));
  const reader = opened(file);
  writer.episodeStarted(anEpisode(0));
  const episode = new Episode();
  const call = (number: number, messages: readonly unknown[], reply: string): void => {
    const { added, ...one } = episode.call(messages, answer(reply));
    writer.callEnded(aCall(0, number, one), added, []);
  };
  call(0, [system, user], '2');
  expect(reader.read((views) => views.merging(0, null))).toMatchObject({
    provisional: true,
    timelines: [{ calls: [0] }],
  });
  call(1, [system, user, assistant('2'), next], '3');
  expect(reader.read((views) => views.merging(0, null))).toMatchObject({
    provisional: true,
    timelines: [{ calls: [0, 1] }],
  });
});
