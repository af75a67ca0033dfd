import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { TracedMessage, TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import type { CompareView, CompareRow } from '../../../src/traces/core/protocol/tokenRpc.ts';
import { commonPrefixLength } from '../../../src/base/core/commonPrefix.ts';
import { compareMessages, type ComparedMessage } from '../../../src/traces/core/compare.ts';
import { compareView, type ReadTrace } from '../../../src/traces/core/methods.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { packAlternatives } from '../../../src/tracking/core/alternatives.ts';
import { fuzz } from '../fuzz.ts';
import { temporaryFolder } from './folder.ts';
import { aCall, aMessage, anEpisode, aResult, aRun, tokensOf } from './samples.ts';

/** A few messages that often say the same, at times with other tokens. */
const message: fc.Arbitrary<ComparedMessage> = fc
  .record({ role: fc.constantFrom('user', 'assistant', 'tool'), text: fc.nat(3), drift: fc.nat(9) })
  .map(({ role, text, drift }) => {
    const tokens = [1, text, text, text + 1, 2];
    return {
      role,
      key: `${role} ${text}`,
      tokenIds: Int32Array.from(drift === 0 ? [1, 7, text, 2] : tokens),
    };
  });
const timeline = fc.array(message, { maxLength: 10 });
/** The second mostly goes the way of the first. */
const pair = fc.oneof(
  fc.tuple(timeline, timeline),
  fc.tuple(timeline, timeline, fc.nat(10)).map(([one, other, kept]) => {
    return [one, [...one.slice(0, kept), ...other]] as [ComparedMessage[], ComparedMessage[]];
  }),
);

function messagesOf(rows: readonly CompareRow[], side: 'left' | 'right'): number[] {
  return rows.flatMap((row) => (row[side] === null ? [] : [row[side].message]));
}

function tokensIn(messages: readonly ComparedMessage[]): number[] {
  return messages.flatMap(({ tokenIds }) => [...tokenIds]);
}

describe('two timelines', () => {
  test('have each message in one row, in order, and what is called the same is', () => {
    fc.assert(
      fc.property(pair, ([left, right]) => {
        const { rows } = compareMessages(left, right);
        expect(messagesOf(rows, 'left')).toEqual([...left.keys()]);
        expect(messagesOf(rows, 'right')).toEqual([...right.keys()]);
        for (const row of rows) {
          const [one, other] = [left[row.left?.message ?? -1], right[row.right?.message ?? -1]];
          if (row.kind === 'left' || row.kind === 'right') {
            expect([one, other].filter((side) => side !== undefined)).toHaveLength(1);
            continue;
          }
          expect(one?.role).toBe(other?.role);
          expect(row.sameText).toBe(one?.key === other?.key);
          const same = String(one?.tokenIds) === String(other?.tokenIds);
          expect(row.kind).toBe(same ? 'same' : 'changed');
          expect(row.hunks.length === 0).toBe(same);
        }
      }),
      fuzz(20_261_122, 800),
    );
  });

  test('first part where no earlier token differs', () => {
    fc.assert(
      fc.property(pair, ([left, right]) => {
        const [one, other] = [tokensIn(left), tokensIn(right)];
        const at = commonPrefixLength(one, other);
        const expected = at === one.length && at === other.length ? null : at;
        expect(compareMessages(left, right).divergence).toBe(expected);
      }),
      fuzz(7, 800),
    );
  });

  test('that are equal have no difference', () => {
    fc.assert(
      fc.property(timeline, (messages) => {
        const { rows, divergence, coarse } = compareMessages(messages, [...messages]);
        expect(rows.every(({ kind }) => kind === 'same')).toBe(true);
        expect([divergence, coarse]).toEqual([null, false]);
      }),
      fuzz(8, 100),
    );
  });

  test('tell the tokens of a message apart that differ', () => {
    const say = (...tokenIds: number[]): ComparedMessage => ({
      role: 'assistant',
      key: String(tokenIds),
      tokenIds: Int32Array.from(tokenIds),
    });
    const { rows } = compareMessages([say(1, 2, 3, 4, 5)], [say(1, 9, 3, 5, 6)]);
    expect(rows[0]?.hunks).toEqual([1, 2, 1, 2, 3, 4, 3, 3, 5, 5, 4, 5]);
  });
});

interface Episode {
  readonly messages: readonly TracedMessage[];
  readonly result: Parameters<typeof aResult>[1];
  readonly output?: string;
}

function writeEpisode(writer: TraceWriter, episode: number, { messages, result, output }: Episode): void {
  const positions = messages.map((_, position) => position);
  writer.episodeStarted(anEpisode(episode));
  writer.callEnded(
    aCall(episode, 0, { messages: positions.slice(0, -1), reply: positions.at(-1) ?? null }),
    messages.map((one, position) => ({ position, message: one })),
    episode === 0 ? tokensOf('What is it? Yes.NopeMore') : [],
  );
  const tokens = messages.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
  const returned = output === undefined ? undefined : { task: '{}', output };
  const timelines = [
    { calls: [], messages: [0], tokens: messages[0]?.tokenIds.length ?? 0, trainableTokens: 0 },
    { calls: [0], messages: positions, tokens, trainableTokens: 4 },
  ];
  writer.episodeEnded({ result: aResult(episode, result), returned, timelines }, []);
}

function aTrace(episodes: readonly Episode[]): string {
  const file = path.join(temporaryFolder(), 'math.ajtrace');
  const writer = openTraceWriter(file, aRun());
  episodes.forEach((episode, number) => writeEpisode(writer, number, episode));
  writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
  return file;
}

function compared(left: string, episode: number, right: string, other: number): CompareView {
  const readers = new Map<string, TraceReader>();
  onTestFinished(() => readers.forEach((reader) => reader.close()));
  const use: ReadTrace = (trace, ask) => {
    const reader = readers.get(trace) ?? openTraceReader(trace);
    readers.set(trace, reader);
    return reader.read(ask);
  };
  const side = (trace: string, number: number) => ({ trace, episode: number, timeline: null });
  return compareView(side(left, episode), side(right, other), use);
}

/** A reply in which the model might as well have said something else. */
function reply(text: string, other: string): TracedMessage {
  const made = aMessage(text, { author: 'llm' });
  const alternatives = packAlternatives([
    [
      { id: text.codePointAt(0) ?? 0, logprob: -0.25 },
      { id: other.codePointAt(0) ?? 0, logprob: -1.5 },
    ],
    ...Array.from(text.slice(1), () => []),
  ]);
  const logprobs = Float32Array.from(text, () => -0.25);
  return { ...made, logprobs, ...(alternatives && { alternatives }) };
}

describe('two episodes', () => {
  const question = aMessage('What is it?');
  const yes: Episode = {
    messages: [question, reply('Yes.', 'N')],
    result: { reward: 1, isSuccess: true, metrics: { steps: 3 } },
    output: '{"metadata":{"format":0.5,"parts":{"answer":1,"deep":{"er":1}},"note":"x"}}',
  };
  const nope: Episode = {
    messages: [question, reply('Nope', 'Y')],
    result: { reward: 0, metrics: { steps: 5 } },
    output: '{"metadata":{"format":0.25}}',
  };

  test('are compared by the timelines that train most, down to the first token that differs', () => {
    const file = aTrace([yes, nope]);
    const view = compared(file, 0, file, 1);
    expect(view.left).toMatchObject({ timeline: 1, tokens: 15, row: { episode: 0 } });
    expect(view.rows.map(({ kind, role }) => `${role} ${kind}`)).toEqual(['user same', 'assistant changed']);
    expect(view.divergence).toMatchObject({
      token: 11,
      left: { text: 'Y', message: 1, inMessage: 0, otherLogprob: -1.5 },
      right: { text: 'N', message: 1, inMessage: 0, otherLogprob: -1.5 },
    });
    expect(view.divergence?.left?.logprob).toBeCloseTo(-0.25);
  });

  test('have the parts of their rewards beside each other', () => {
    const file = aTrace([yes, nope]);
    expect(compared(file, 0, file, 1).rewards).toEqual([
      { name: 'reward', left: 1, right: 0 },
      { name: 'steps', left: 3, right: 5 },
      { name: 'metadata.format', left: 0.5, right: 0.25 },
      { name: 'metadata.parts.answer', left: 1, right: null },
    ]);
  });

  test('may be of two traces, and one that returned nothing that can be read has no parts', () => {
    const [file, other] = [aTrace([yes]), aTrace([{ ...yes, output: 'not JSON' }])];
    const view = compared(file, 0, other, 0);
    expect(view.divergence).toBeNull();
    expect(view.rewards.at(-1)).toEqual({ name: 'metadata.parts.answer', left: 1, right: null });
    expect(compared(other, 0, other, 0).rewards.map(({ name }) => name)).toEqual(['reward', 'steps']);
  });

  test('of which one ends where the other goes on differ there', () => {
    const file = aTrace([yes, { ...yes, messages: [...yes.messages, aMessage('More?')] }]);
    const { divergence, rows } = compared(file, 0, file, 1);
    expect(divergence).toMatchObject({ token: 15, left: null, right: { text: 'M', message: 2 } });
    expect(rows.at(-1)).toMatchObject({ kind: 'right', left: null, right: { message: 2, firstToken: 15 } });
  });
});

describe('the same task of another run', () => {
  /** Each episode with the id and the text of its task. */
  function runOf(...tasks: readonly (readonly [taskId: string, query: string])[]): TraceReader {
    const writer = openTraceWriter(
      path.join(temporaryFolder(), 'run.ajtrace'),
      aRun({ experiment: 'other' }),
    );
    tasks.forEach(([taskId, query], episode) => writer.episodeStarted(anEpisode(episode, { taskId, query })));
    writer.runEnded({ status: 'completed', error: null, endedAt: 1 });
    const reader = openTraceReader(writer.file);
    onTestFinished(() => reader.close());
    return reader;
  }
  const long = 'What is '.repeat(100);
  const other = () => runOf(['1', 'two?'], ['1', 'two?'], ['2', `${long}2?`], ['3', `${long}3?`], ['4', '']);
  const found = (taskId: string, query: string): unknown => {
    const { episodes, sameQuery, experiment } = other().read((views) =>
      views.counterparts({ taskId, query }),
    );
    expect(experiment).toBe('other');
    return [episodes.map(({ episode }) => episode), sameQuery];
  };

  test('is found by its id, where that says the same', () => {
    expect(found('1', 'two?')).toEqual([[0, 1], true]);
    expect(found('2', `${long}2?`)).toEqual([[2], true]);
  });

  test('is found by what it says, where ids are other ones, also beyond what lists show of it', () => {
    expect(found('1', `${long}3?`)).toEqual([[3], true]);
    expect(found('unknown', 'two?')).toEqual([[0, 1], true]);
  });

  test('that says something else is told, and one that is not there is an error', () => {
    expect(found('1', 'three?')).toEqual([[0, 1], false]);
    for (const query of ['three?', '']) {
      expect(() => found('unknown', query)).toThrow(expect.objectContaining({ code: 'trace/no-such-task' }));
    }
  });

  test('is that of an episode, whole', () => {
    expect(other().read((views) => views.task(3))).toEqual({ taskId: '3', query: `${long}3?` });
  });
});
