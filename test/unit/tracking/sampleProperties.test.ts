/** What training gets of an episode, whatever its calls share: nothing that trains is lost, and every list fits. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TracedMessage, TracedTimeline } from '../../../src/tracking/core/records/trace.ts';
import { groupBy } from '../../../src/tracking/core/groupBy.ts';
import { sampleRecord } from '../../../src/tracking/core/sampleRecord.ts';
import { sampleOf } from '../../../src/tracking/core/samples.ts';
import type { ReplyToken, TrackedCall } from '../../../src/tracking/core/tracker.ts';
import { fuzz } from '../fuzz.ts';
import { answer, assistant, Episode, system } from './episode.ts';
import { chatMl, type TinyText } from './tinyText.ts';

/** One call: what it goes on from, what it adds, and how the engine makes its reply. */
interface Step {
  /** An earlier call, counted back; beyond the first: a conversation of its own. */
  readonly from: number;
  /** Messages of that call's history that are left out again. */
  readonly without: number;
  readonly asks: readonly string[];
  readonly reply: string;
  /** Whether the engine makes a token of each letter, where the tokenizer makes words. */
  readonly inLetters: boolean;
  readonly isCut: boolean;
  readonly tools: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  from: fc.nat(3),
  without: fc.nat({ max: 2 }).map((count) => Math.max(0, count - 1)),
  asks: fc.array(fc.constantFrom('go on', 'and you', 'why'), { maxLength: 2 }),
  reply: fc.constantFrom('yes', 'no way', 'it is 2', ''),
  inLetters: fc.boolean(),
  isCut: fc.boolean(),
  tools: fc.boolean(),
});
const steps = fc.array(step, { minLength: 1, maxLength: 7 });
const merging = fc.record({ compareLevel: fc.constantFrom('text', 'token'), ignoreTools: fc.boolean() });
const tool = { type: 'function', function: { name: 'add', parameters: { type: 'object' } } };

interface Message {
  role: string;
  content: string;
}

function tokensOf(text: TinyText, { reply, inLetters, isCut }: Step): ReplyToken[] {
  const pieces = inLetters ? Array.from(reply) : [reply];
  const ids = pieces.flatMap((piece) => text.tokenizer.encode(piece));
  const all = isCut ? ids : [...ids, text.tokenizer.eos];
  return all.map((id, at) => ({ id, bytes: [], logprob: -(at + 1) / 8 }));
}

/** The calls of an episode, as they were tracked. */
function run(episode: Episode, list: readonly Step[]): readonly TrackedCall[] {
  const histories: Message[][] = [];
  return list.map((one) => {
    const known = histories[histories.length - 1 - one.from] ?? [system, { role: 'user', content: 'hi' }];
    const kept = known.slice(0, Math.max(2, known.length - one.without));
    const messages = [...kept, ...one.asks.map((content) => ({ role: 'user', content }))];
    histories.push([...messages, assistant(one.reply)]);
    const tokens = tokensOf(episode.text, one);
    const reply = answer(one.reply, { tokens, finishReason: one.isCut ? 'length' : 'stop' });
    return episode.call(messages, reply, one.tools ? [tool] : null);
  });
}

function messagesOf(episode: Episode, { messages }: TracedTimeline): readonly TracedMessage[] {
  return messages.map((position) => episode.at(position));
}

function count(values: ArrayLike<number>): number {
  return Array.from(values).reduce((sum, value) => sum + value, 0);
}

describe('merging', () => {
  it('loses no token that trains: each reply is once in the loss, but for duplicates and ends of cut replies', () => {
    fc.assert(
      fc.property(steps, merging, (list, options) => {
        const episode = new Episode({ merging: options });
        const calls = run(episode, list);
        const { timelines } = episode.end();
        expect(timelines.flatMap((timeline) => timeline.calls).toSorted((a, b) => a - b)).toEqual([
          ...list.keys(),
        ]);
        for (const timeline of timelines) {
          const whole = messagesOf(episode, timeline);
          // By place in the timeline: the last call whose reply stands there; earlier ones are its duplicates.
          const replies = new Map(timeline.calls.map((call) => [calls[call]?.messages.length ?? -1, call]));
          for (const [place, call] of replies) {
            const [made, taken] = [episode.at(calls[call]?.reply ?? null), whole[place]];
            expect(taken).toMatchObject({ author: 'llm', tokenIds: made.tokenIds, logprobs: made.logprobs });
            // The end of a cut reply is the template's, and trained once it is taken over.
            const isEndTrained = list[call]?.isCut === true && place < whole.length - 1;
            expect(count(taken?.lossMask ?? [])).toBe(count(made.lossMask) + (isEndTrained ? 1 : 0));
          }
          const trained = whole.flatMap(({ author }, place) => (author === 'llm' ? [place] : []));
          expect(trained).toEqual([...replies.keys()].toSorted((a, b) => a - b));
        }
      }),
      fuzz(71, 5_000),
    );
  });

  it('is of duplicates only what is the same: an earlier reply goes where a later call asked and was answered alike', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const episode = new Episode();
        const calls = run(episode, list);
        for (const { calls: merged } of episode.end().timelines) {
          const byPlace = groupBy(merged, (call) => calls[call]?.messages.length ?? -1);
          for (const same of byPlace.values()) {
            expect(new Set(same.map((call) => list[call]?.reply)).size).toBe(1);
          }
        }
      }),
      fuzz(72, 2_000),
    );
  });
});

const limits = fc.record({
  promptLength: fc.integer({ min: 1, max: 40 }),
  responseLength: fc.integer({ min: 1, max: 40 }),
});

describe('a sample', () => {
  it('has a number for each token in every list, and its parts make the whole', () => {
    fc.assert(
      fc.property(steps, merging, limits, (list, options, lengths) => {
        const episode = new Episode({ merging: options });
        run(episode, list);
        const owner = {
          task_batch_index: 0,
          task_id: 't',
          task_tag: '',
          step_reward: 1,
          reference_advantage: 0,
        };
        for (const timeline of episode.end().timelines) {
          const messages = messagesOf(episode, timeline);
          const sample = sampleOf(messages, lengths);
          const record = sampleRecord(owner, messages, sample, lengths);
          const { length } = record.input_ids;
          const lists = [
            [record.input_ids, record.prompt_ids, record.response_ids],
            [record.attention_mask, record.prompt_attention_mask, record.response_attention_mask],
            [record.position_ids, record.prompt_position_ids, record.response_position_ids],
            [record.loss_mask, record.prompt_loss_mask, record.response_loss_mask],
            [record.logprobs, record.prompt_logprobs, record.response_logprobs],
          ] as const;
          for (const [whole, prompt, response] of lists) {
            expect(whole).toHaveLength(length);
            expect([...prompt, ...response]).toEqual(whole);
            expect(prompt).toHaveLength(record.prompt_ids.length);
          }
          expect(record.prompt_ids.length).toBeLessThanOrEqual(lengths.promptLength);
          expect(record.response_ids.length).toBeLessThanOrEqual(lengths.responseLength);
          expect(record.position_ids).toEqual([...record.input_ids.keys()]);
          expect(length + sample.cutTokens).toBe(timeline.tokens);
          expect(count(record.loss_mask) + sample.cutTrainable).toBe(timeline.trainableTokens);
        }
      }),
      fuzz(73, 3_000),
    );
  });

  it('decodes to the conversation, however the engine cut its tokens', () => {
    const turns = fc.array(fc.record({ ask: fc.constantFrom('go on', 'why'), one: step }), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(turns, (list) => {
        const episode = new Episode();
        const messages: Message[] = [system];
        for (const { ask, one } of list) {
          messages.push({ role: 'user', content: ask });
          episode.call(
            messages,
            answer(one.reply, { tokens: tokensOf(episode.text, { ...one, isCut: false }) }),
          );
          messages.push(assistant(one.reply));
        }
        const { timelines } = episode.end();
        expect(timelines).toHaveLength(1);
        const [timeline] = timelines;
        const ids =
          timeline === undefined
            ? []
            : messagesOf(episode, timeline).flatMap(({ tokenIds }) => [...tokenIds]);
        expect(episode.text.tokenizer.textOf(ids).join('')).toBe(
          chatMl(messages, { addGenerationPrompt: false }),
        );
      }),
      fuzz(74, 2_000),
    );
  });
});
