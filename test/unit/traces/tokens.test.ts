/** What is told of a timeline's tokens beside what is stored: who wrote them, drift, alternatives, search, strip. */
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { exportTrace } from '../../../src/traces/node/export/exportFile.ts';
import { Connection } from '../../../src/traces/node/store/connection.ts';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type {
  TracedMessage,
  TracedTimeline,
  TracedToken,
  TracedTraining,
} from '../../../src/tracking/core/records/trace.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { packAlternatives } from '../../../src/tracking/core/alternatives.ts';
import { fuzz } from '../fuzz.ts';
import { temporaryFolder } from './folder.ts';
import { aCall, aMessage, anEpisode, aResult, aRun } from './samples.ts';
import type { FindView, TokenQuery } from '../../../src/traces/core/protocol/tokenRpc.ts';

const exact = { tokenizer: { name: 'Qwen/Qwen2.5-7B', exact: true, file: '/models/tokenizer.json' } };

/** Tokens by their text, as a tokenizer that knows these only; ids count from 100. */
class Words {
  readonly tokens: TracedToken[] = [];
  readonly #ids = new Map<string, number>();

  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = 100 + this.#ids.size;
    this.#ids.set(text, id);
    const special = /^<\|.*\|>$/.test(text);
    this.tokens.push({ id, bytes: new TextEncoder().encode(text), special });
    return id;
  }

  /** A message whose tokens are these texts; those between bars count in the loss. */
  message(texts: readonly string[], changes: Partial<TracedMessage>): TracedMessage {
    let counts = 0;
    const tokens: { id: number; counts: number }[] = [];
    for (const text of texts) {
      if (text === '|') counts = 1 - counts;
      else tokens.push({ id: this.id(text), counts });
    }
    return aMessage('', {
      ...changes,
      tokenIds: Int32Array.from(tokens, ({ id }) => id),
      lossMask: Uint8Array.from(tokens, ({ counts: one }) => one),
    });
  }
}

interface Written {
  readonly messages: readonly TracedMessage[];
  readonly tokens: readonly TracedToken[];
  readonly run?: Parameters<typeof aRun>[0];
  /** Positions of a later call's request, where there is one. */
  readonly later?: { readonly messages: readonly number[]; readonly reply: number };
  readonly timeline?: Partial<TracedTimeline>;
  readonly training?: Omit<TracedTraining, 'episode' | 'timeline'>;
}

/** A trace of one episode with one timeline, of all messages unless told otherwise. */
function aTimeline({ messages, tokens, run = exact, later, timeline, training }: Written): {
  readonly reader: TraceReader;
  readonly file: string;
} {
  const file = path.join(temporaryFolder(), 'math.ajtrace');
  const writer = openTraceWriter(file, aRun({ repeat: 1, ...run }));
  writer.episodeStarted(anEpisode(0));
  const positions = messages.map((_, position) => position);
  const placed = messages.map((message, position) => ({ position, message }));
  const first = aCall(0, 0, { messages: positions.slice(0, 1), reply: positions[1] ?? null });
  writer.callEnded(first, placed, tokens);
  if (later !== undefined) writer.callEnded(aCall(0, 1, later), [], []);
  writer.episodeEnded(
    {
      result: aResult(0, { reward: 0.5 }),
      timelines: [{ calls: [0], messages: positions, tokens: 0, trainableTokens: 0, ...timeline }],
    },
    [],
  );
  if (training !== undefined) writer.trained([{ episode: 0, timeline: 0, ...training }]);
  writer.runEnded({ status: 'completed', error: null, endedAt: 1 });
  const reader = openTraceReader(file);
  onTestFinished(() => reader.close());
  return { reader, file };
}

/** Authors of all tokens, each by its first letters. */
function authorsOf(message: TracedMessage, tokens: readonly TracedToken[]): string {
  const { reader } = aTimeline({ messages: [message], tokens });
  return reader
    .read((views) => views.tokens.window(0, 0, 0, 1_000))
    .authors.map((author) => (author === 'llm(do_not_train)' ? 'f' : author.slice(0, 1)))
    .join('');
}

describe('what the chat template adds is told from what the message says', () => {
  const start = '<|im_start|>';
  const end = '<|im_end|>';
  test.each([
    ['of ChatML', [start, 'user', '\n', 'Hi', '!', end, '\n'], { text: 'Hi!' }, 'ttteett'],
    ['also where the text is the role', [start, 'user', '\n', 'user', end, '\n'], { text: 'user' }, 'tttett'],
    [
      'of Llama, which trims',
      ['<|begin|>', '<|header|>', 'user', '<|header|>', '\n', '\n', 'Hi', '<|eot|>'],
      { text: ' Hi ' },
      'tttttt' + 'et',
    ],
    [
      'with a default system message before it',
      [start, 'system', '\n', 'Hi', ' there', end, '\n', start, 'user', '\n', 'Hi', end, '\n'],
      { text: 'Hi' },
      'tttttttttt' + 'ett',
    ],
    [
      'with tools behind it',
      [start, 'system', '\n', 'Be', ' brief', '\n# Tools', '\nBe brief', end, '\n'],
      { role: 'system', text: 'Be brief' },
      'tttee' + 'tttt',
    ],
    [
      'within what marks a tool result',
      [start, 'user', '\n', '<tool_response>', '\n', '108', '\n', '</tool_response>', end, '\n'],
      { role: 'tool', text: '108' },
      'ttttt' + 'etttt',
    ],
    [
      'of an assistant message with tool calls, which the template writes',
      [start, 'assistant', '\n', 'Wait', '\n<tool_call>', '{}', '</tool_call>', end, '\n'],
      { role: 'assistant', author: 'llm(do_not_train)', text: 'Wait', toolCalls: '[{}]' },
      'ttt' + 'fffftt',
    ],
    ['of an empty message', [start, 'user', '\n', end, '\n'], { text: '' }, 'ttttt'],
    [
      'where the template writes it in other words',
      [start, 'user', '\n', 'HI', end, '\n'],
      { text: 'Hi' },
      'tttett',
    ],
    ['without a template', ['Hi', ' there', '\n'], { text: 'Hi there\n' }, 'eee'],
    [
      'of a reply by its mask',
      [start, 'assistant', '\n', '|', 'Hi', end, '|', '\n'],
      { author: 'llm', text: 'Hi' },
      'tttllt',
    ],
  ] as const)('%s', (_, texts, changes, authors) => {
    const words = new Words();
    expect(authorsOf(words.message(texts, changes), words.tokens)).toBe(authors);
  });
});

describe('drift', () => {
  /** A reply that the template writes otherwise in the request of a later call. */
  function drifted(run: Written['run']): TraceReader {
    const words = new Words();
    const made = { role: 'assistant', text: 'unlikely so', author: 'llm' } as const;
    const messages = [
      words.message(['<|s|>', 'user', '\n', 'Hi', '<|e|>'], { text: 'Hi' }),
      words.message(['<|s|>', 'a', '\n', '|', 'un', 'like', 'ly', ' so', '<|e|>', '|'], made),
      words.message(['<|s|>', 'a', '\n', 'unlike', 'ly', ' so', '<|e|>'], {
        ...made,
        author: 'llm(do_not_train)',
      }),
      words.message(['<|s|>', 'user', '\n', 'More', '<|e|>'], { text: 'More' }),
      words.message(['<|s|>', 'a', '\n', '|', 'Yes', '<|e|>', '|'], { ...made, text: 'Yes' }),
    ];
    const later = { messages: [0, 2, 3], reply: 4 };
    const timeline = { calls: [0, 1], messages: [0, 1, 3, 4] };
    return aTimeline({ messages, tokens: words.tokens, later, timeline, ...(run && { run }) }).reader;
  }

  test('is told of the tokens that the template would not have made, and what it makes', () => {
    const reader = drifted(undefined);
    const view = reader.read((views) => views.tokens.window(0, 0, 0, 100));
    const tokens = view.texts.filter((_, at) => view.drifted[at] === 1);
    expect(tokens).toEqual(['un', 'like']);
    expect(reader.read((views) => views.tokens.token(0, 0, 8)).drift).toMatchObject({
      text: 'unlike',
      made: 2,
    });
    expect(reader.read((views) => views.tokens.token(0, 0, 10)).drift).toBeNull();
    expect(
      reader
        .read((views) => views.tokens.strip(0, 0, 100))
        .drifted.flatMap((one, at) => (one === 1 ? [at] : [])),
    ).toEqual([8, 9]);
  });

  test('is not told of the ids of a stand-in', () => {
    const reader = drifted({ tokenizer: { name: 'built-in', exact: false, file: null } });
    expect(reader.read((views) => views.tokens.window(0, 0, 0, 100)).drifted).not.toContain(1);
    expect(reader.read((views) => views.timeline(0, 0)).exact).toBe(false);
  });

  test('the call that made a token is told, or the first that sent it', () => {
    const reader = drifted(undefined);
    const callOf = (token: number): unknown => reader.read((views) => views.tokens.token(0, 0, token)).call;
    expect(callOf(0)).toEqual({ call: 0, how: 'sent' });
    expect(callOf(8)).toEqual({ call: 0, how: 'made' });
    expect(callOf(14)).toEqual({ call: 1, how: 'sent' });
    expect(callOf(19)).toEqual({ call: 1, how: 'made' });
    expect(() => reader.read((views) => views.tokens.token(0, 0, 1_000))).toThrow('no token 1000');
  });
});

describe('alternatives', () => {
  function withAlternatives(): {
    readonly reader: TraceReader;
    readonly file: string;
    readonly ids: number[];
  } {
    const words = new Words();
    const ids = ['Yes', 'No', 'Maybe'].map((text) => words.id(text));
    const [yes = 0, no = 0, maybe = 0] = ids;
    const alternatives = packAlternatives([
      [
        { id: no, logprob: Math.log(0.5) },
        { id: yes, logprob: Math.log(0.25) },
        { id: null, logprob: Math.log(0.125) },
      ],
      [],
      [{ id: maybe, logprob: 0 }],
    ]);
    const reply = words.message(['|', 'Yes', 'Yes', 'Maybe', '|'], { author: 'llm', text: 'YesYesMaybe' });
    const logprobs = Float32Array.from([Math.log(0.25), -1, 0]);
    const message = { ...reply, logprobs, ...(alternatives && { alternatives }) };
    return { ...aTimeline({ messages: [message], tokens: words.tokens }), ids };
  }

  test('tell rank, what else there was, and the least entropy', () => {
    const { reader, ids } = withAlternatives();
    const [yes, no] = ids;
    const detail = reader.read((views) => views.tokens.token(0, 0, 0));
    expect(detail).toMatchObject({ rank: 2, bytes: [...Buffer.from('Yes')], inMessage: 0, message: 0 });
    expect(detail.alternatives.map(({ id, text }) => [id, text])).toEqual([
      [no, 'No'],
      [yes, 'Yes'],
      [null, ''],
    ]);
    expect(detail.alternatives[0]?.logprob).toBeCloseTo(Math.log(0.5));
    expect(reader.read((views) => views.tokens.token(0, 0, 1))).toMatchObject({
      rank: null,
      alternatives: [],
    });
    // A half, a quarter, an eighth and the rest, which is an eighth.
    const [first, second, third] = reader.read((views) => views.tokens.window(0, 0, 0, 3)).entropies;
    expect(first).toBeCloseTo(Math.LN2 * (0.5 * 1 + 0.25 * 2 + 0.125 * 3 + 0.125 * 3));
    expect([second, third]).toEqual([null, 0]);
    expect(reader.read((views) => views.tokens.window(0, 0, 2, 1)).entropies).toEqual([0]);
    expect(reader.read((views) => views.tokens.strip(0, 0, 1)).entropies[0]).toBeCloseTo(first ?? NaN);
  });
});

describe('the strip of a timeline', () => {
  test('tells of each stretch what stands out in it, as all of its tokens say', () => {
    const logprob = fc.constantFrom(NaN, -0.5, -1, -2);
    const token = fc.record({ counts: fc.nat(1), logprob, trainer: logprob, base: logprob });
    const lists = fc.array(fc.array(token, { maxLength: 12 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 20 }), fc.boolean(), (messages, stretches, trained) => {
        const made = messages.map((tokens) =>
          aMessage('a'.repeat(tokens.length), {
            author: 'llm',
            tokenIds: new Int32Array(tokens.length).fill(97),
            lossMask: Uint8Array.from(tokens, ({ counts }) => counts),
            logprobs: Float32Array.from(tokens, ({ logprob }) => logprob),
          }),
        );
        const all = messages.flat();
        const training = {
          ...{ advantage: 1, clip: null },
          logprobs: Float32Array.from(all, ({ trainer }) => trainer),
          baseLogprobs: Float32Array.from(all, ({ base }) => base),
        };
        const { reader } = aTimeline({ messages: made, tokens: [], ...(trained && { training }) });
        const strip = reader.read((views) => views.tokens.strip(0, 0, stretches));
        const parts = strip.trained.map((_, at) => all.slice(at * strip.size, (at + 1) * strip.size));
        expect(strip.total).toBe(all.length);
        expect(parts.length).toBeLessThanOrEqual(stretches);
        expect(parts.flat()).toHaveLength(all.length);
        const mean = (values: readonly number[]): number =>
          values.reduce((sum, one) => sum + one, 0) / values.length;
        expect(strip.trained).toEqual(parts.map((part) => mean(part.map(({ counts }) => counts))));
        const lowest = (values: readonly number[]): number | null =>
          values.length === 0 ? null : Math.min(...values);
        expect(strip.logprobs).toEqual(
          parts.map((part) =>
            lowest(part.flatMap(({ logprob }) => (Number.isNaN(logprob) ? [] : [logprob]))),
          ),
        );
        const known = (values: readonly number[]): number[] => values.filter((one) => !Number.isNaN(one));
        const logRatios = parts.map((part) => known(part.map((one) => one.trainer - one.logprob)));
        const farthest = logRatios.map((ratios) => Math.max(-1, ...ratios.map(Math.abs)));
        const found = strip.trainer?.ratios.map((ratio) => (ratio === null ? -1 : Math.abs(Math.log(ratio))));
        expect(found).toEqual(trained ? farthest : undefined);
        const off = parts.map((part) => known(part.map((one) => one.logprob - one.base)));
        const kls = off.map((differences) => differences.map((one) => Math.exp(-one) + one - 1));
        const highest = kls.map((values) => (values.length === 0 ? null : Math.max(...values)));
        expect(strip.trainer?.kls).toEqual(trained ? highest : undefined);
      }),
      fuzz(20_261_122, 60),
    );
  });
});

test('a trained timeline has the numbers of the trainer, and an older trace has none', async () => {
  const logprobs = Float32Array.from([NaN, Math.log(0.5), Math.log(0.25)]);
  const reply = aMessage('abc', { author: 'llm', lossMask: Uint8Array.of(0, 1, 1), logprobs });
  const training = {
    advantage: -0.75,
    clip: { low: 0.75, high: 1.25 },
    // The sample was cut before the last token.
    logprobs: Float32Array.from([NaN, Math.log(0.75)]),
    baseLogprobs: Float32Array.from([NaN, Math.log(0.25)]),
  };
  const place = { step: 12, weights: 11, checkpoint: 'tinker://run/sampler_weights/step-11' };
  const { reader, file } = aTimeline({
    ...{ messages: [reply], tokens: [], training, run: { training: place } },
    timeline: { tokens: 3, trainableTokens: 2 },
  });
  expect(reader.read((views) => views.run()).training).toEqual(place);
  const { advantage, clip } = training;
  expect(reader.read((views) => views.episode(0)).timelines[0]?.training).toEqual({ advantage, clip });
  expect(reader.read((views) => views.timeline(0, 0)).advantage).toBe(advantage);
  const { trainer } = reader.read((views) => views.tokens.window(0, 0, 1, 9));
  expect(trainer?.logprobs[0]).toBeCloseTo(Math.log(0.75));
  expect(trainer?.ratios[0]).toBeCloseTo(1.5);
  expect(trainer?.kls[0]).toBeCloseTo(Math.exp(-Math.LN2) + Math.LN2 - 1);
  expect([trainer?.logprobs[1], trainer?.ratios[1], trainer?.kls[1]]).toEqual([null, null, null]);
  const exported = async (format: 'jsonl' | 'html'): Promise<string> => {
    const redaction = { texts: false, patterns: [] };
    await exportTrace(file, `${file}.${format}`, { format, redaction, cancellation: neverCancelled });
    return readFileSync(`${file}.${format}`, 'utf8');
  };
  const ofTimeline = { advantage, clip_range: [0.75, 1.25] };
  expect(JSON.parse(await exported('jsonl'))).toMatchObject({
    training: place,
    timelines: [{ training: { ...ofTimeline, kl: [null, expect.closeTo(0.193), null] } }],
  });
  const page = await exported('html');
  expect(page).toContain('step 12, answered by the weights after step 11');
  expect(page).toContain('logprob -0.693, ratio 1.500');
  expect(page).toContain('trained with advantage −0.75');
  const connection = new Connection(file);
  connection.execute('DROP TABLE trained; DROP TABLE trainerLogprobs');
  connection.close();
  const older = openTraceReader(file);
  onTestFinished(() => older.close());
  expect(older.read((views) => views.episode(0)).timelines).toHaveLength(1);
  expect(older.read((views) => views.timeline(0, 0)).row).not.toHaveProperty('training');
  expect(older.read((views) => views.tokens.window(0, 0, 0, 9)).trainer).toBeNull();
  expect(older.read((views) => views.tokens.strip(0, 0, 9)).trainer).toBeNull();
});

test('a mask with any other byte than 0 counts each token once', () => {
  const message = aMessage('abcd', { author: 'llm', lossMask: Uint8Array.of(0, 255, 3, 1) });
  const { reader } = aTimeline({ messages: [message], tokens: [] });
  expect(reader.read((views) => views.tokens.window(0, 0, 0, 4)).lossMask).toEqual([0, 1, 1, 1]);
  expect(reader.read((views) => views.tokens.strip(0, 0, 1)).trained).toEqual([0.75]);
  expect(reader.read((views) => views.timeline(0, 0)).messages).toMatchObject([
    { tokens: 4, trainableTokens: 3 },
  ]);
  expect([...(reader.read((views) => views.conversations.ofTimeline(0, 0))[0]?.lossMask ?? [])]).toEqual([
    0, 1, 1, 1,
  ]);
});

describe('a search', () => {
  const words = new Words();
  const message = words.message(['The', ' cat', ' sat', '.', ' A', ' CAT', '\n', 'cat', 's'], {});
  const aReader = (): TraceReader => aTimeline({ messages: [message, message], tokens: words.tokens }).reader;
  const found = (reader: TraceReader, wanted: TokenQuery, from = 0): string => {
    const { matches, next } = reader.read((views) => views.tokens.find(0, 0, { wanted, from }));
    expect(next).toBeNull();
    return matches.map((match) => `${match.from}-${match.end}`).join(' ');
  };

  test('finds text across tokens, whatever its case, but not across messages', () => {
    const reader = aReader();
    expect(found(reader, { kind: 'text', text: 'cat', matchCase: false })).toBe(
      '1-2 5-6 7-8 10-11 14-15 16-17',
    );
    expect(found(reader, { kind: 'text', text: 'cat', matchCase: true })).toBe('1-2 7-8 10-11 16-17');
    expect(found(reader, { kind: 'text', text: 'at sat. A', matchCase: true })).toBe('1-5 10-14');
    expect(found(reader, { kind: 'text', text: 'catsThe', matchCase: true })).toBe('');
    expect(found(reader, { kind: 'text', text: 'cats', matchCase: true }, 9)).toBe('16-18');
    expect(found(reader, { kind: 'text', text: '.', matchCase: true })).toBe('3-4 12-13');
  });

  test('finds patterns and ids', () => {
    const reader = aReader();
    expect(found(reader, { kind: 'pattern', text: '^cats?$', matchCase: true })).toBe('7-9 16-18');
    expect(found(reader, { kind: 'pattern', text: 'x*', matchCase: true })).toBe('');
    expect(found(reader, { kind: 'id', id: words.id(' sat') })).toBe('2-3 11-12');
  });

  test('says why a pattern is none, and stops one that would never end', () => {
    const reader = aReader();
    const find = (text: string) => () =>
      reader.read((views) =>
        views.tokens.find(0, 0, { wanted: { kind: 'pattern', text, matchCase: true }, from: 0 }),
      );
    expect(find('(cat')).toThrow('is not a valid regular expression: unterminated group.');
    const many = words.message(Array<string>(60).fill('aa'), {});
    const slow = aTimeline({ messages: [many], tokens: words.tokens }).reader;
    const wanted = { kind: 'pattern', text: '(a+)+!', matchCase: true } as const;
    expect(() => slow.read((views) => views.tokens.find(0, 0, { wanted, from: 0 }))).toThrow(
      'takes too long',
    );
  });

  test('goes on where the last answer ended, and finds each match once', () => {
    const tokens = 300_000;
    const ids = Int32Array.from({ length: tokens }, (_, at) =>
      at % 50_000 === 49_999 ? words.id('cat') : words.id('The'),
    );
    const long = aMessage('', { tokenIds: ids, lossMask: new Uint8Array(tokens) });
    const { reader } = aTimeline({ messages: [long], tokens: words.tokens });
    const wanted = { kind: 'text', text: 'ecatT', matchCase: true } as const;
    const all: number[] = [];
    for (let from: number | null = 0; from !== null;) {
      const search: { readonly wanted: TokenQuery; readonly from: number } = { wanted, from };
      const answer: FindView = reader.read((views) => views.tokens.find(0, 0, search));
      all.push(...answer.matches.map((match) => match.from));
      from = answer.next;
    }
    expect(all).toEqual([49_998, 99_998, 149_998, 199_998, 249_998]);
    const many = reader.read((views) =>
      views.tokens.find(0, 0, { wanted: { kind: 'text', text: 'he', matchCase: true }, from: 0 }),
    );
    expect(many.matches).toHaveLength(1_000);
    expect(many.next).toBe(1_000);
  });
});
