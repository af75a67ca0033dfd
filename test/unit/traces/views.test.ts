import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import type { TracedRun } from '../../../src/tracking/core/records/tracedRun.ts';
import type { TraceWriter } from '../../../src/tracking/core/records/trace.ts';
import { largestWindow } from '../../../src/traces/core/protocol/traceRpc.ts';
import type { TraceReader } from '../../../src/traces/core/views.ts';
import { temporaryFolder } from './folder.ts';
import { aCall, aMessage, anEpisode, aResult, aRun } from './samples.ts';

function aTrace(run: Partial<TracedRun> = {}): {
  readonly writer: TraceWriter;
  readonly reader: TraceReader;
} {
  const file = path.join(temporaryFolder(), 'math.ajtrace');
  const writer = openTraceWriter(file, aRun(run));
  const reader = openTraceReader(file);
  onTestFinished(() => {
    reader.close();
    writer.runEnded({ status: 'completed', error: null, endedAt: 0 });
  });
  return { writer, reader };
}

test('lists show the beginnings of what an episode shows whole', () => {
  const { writer, reader } = aTrace();
  const query = '😀'.repeat(1_000);
  writer.episodeStarted(anEpisode(0, { query }));
  const error = { code: 'x/failed', message: 'why '.repeat(1_000), stack: 'at line 1' };
  writer.episodeEnded({ result: aResult(0, { reward: null, error }), timelines: [] }, []);
  const [listed] = reader.read((views) => views.episodes(0, 1)).rows;
  expect(listed).toMatchObject({ query: '😀'.repeat(150) });
  expect(listed?.error?.message).toHaveLength(2_000);
  expect(listed?.error).not.toHaveProperty('stack');
  expect(reader.read((views) => views.episode(0)).row).toMatchObject({ query, error });
});

test('a long message is cut, and says so', () => {
  const { writer, reader } = aTrace();
  writer.episodeStarted(anEpisode(0));
  const text = 'a'.repeat(largestWindow.listed);
  const messages = [text, `${text}b`].map((one, position) => ({ position, message: aMessage(one) }));
  writer.callEnded(aCall(0, 0), messages, []);
  const { reply, messages: sent } = reader.read((views) => views.call(0, 0));
  expect(sent).toMatchObject([{ text, length: text.length, truncated: false }]);
  expect(reply).toMatchObject({ text, length: text.length + 1, truncated: true, firstToken: text.length });
});

test('the report names the first episodes of a finding, and counts all', () => {
  const { writer, reader } = aTrace({ repeat: 1 });
  const untracked = { timelines: 0, tokens: 0, trainableTokens: 0, problems: [] };
  for (let episode = 0; episode < 502; episode++) {
    writer.episodeStarted(anEpisode(episode));
    writer.episodeEnded({ result: aResult(episode, { tracking: untracked }), timelines: [] }, []);
    if (episode === 0)
      expect(reader.read((views) => views.run()).report).toMatchObject({ trains: 0, doesNotTrain: 1 });
  }
  const { report } = reader.read((views) => views.run());
  const told = [
    { code: 'no-call', count: 502 },
    { code: 'duplicate-task-id' },
    { code: 'approximate-tokenizer' },
  ];
  expect(report).toMatchObject({ trains: 0, doesNotTrain: 502, findings: told });
  expect(report.findings[0]?.episodes).toEqual(Array.from({ length: 500 }, (_, episode) => episode));
});

test('whether an episode trains is open until its group has ended', () => {
  const { writer, reader } = aTrace({ repeat: 2 });
  const end = (episode: number): void => {
    writer.episodeStarted(anEpisode(episode));
    writer.episodeEnded({ result: aResult(episode, { reward: 1 }), timelines: [] }, []);
  };
  end(0);
  expect(reader.read((views) => views.episodes(0, 1)).rows).toMatchObject([{ trains: null, findings: [] }]);
  end(1);
  // Also of one that is listed without the rest of its group.
  expect(reader.read((views) => views.episodes(0, 1)).rows).toMatchObject([{ trains: false }]);
  expect(reader.read((views) => views.episodes(0, 1)).rows[0]?.findings).toHaveLength(1);
});

test('a canned reply is in no timeline of a running episode', () => {
  const { writer, reader } = aTrace();
  writer.episodeStarted(anEpisode(0));
  const canned = aMessage('no room', { author: 'llm(do_not_train)' });
  const messages = [aMessage('one'), canned].map((message, position) => ({ position, message }));
  writer.callEnded(aCall(0, 0), messages, []);
  expect(reader.read((views) => views.episode(0)).timelines).toEqual([]);
  expect(reader.read((views) => views.call(0, 0))).toMatchObject({
    reply: { text: 'no room' },
    row: { timeline: null },
  });
});

test('samples are made of the messages of a timeline, and of all that a batch depends on', () => {
  const { writer, reader } = aTrace({ batch: { perEpisode: 2, seed: 5 } });
  expect(reader.read((views) => views.batch())).toMatchObject({
    rules: { perEpisode: 2, seed: 5 },
    results: [],
    repeat: 2,
  });
  const messages = [aMessage('one'), aMessage('two', { author: 'llm' })];
  for (const episode of [1, 0]) {
    writer.episodeStarted(anEpisode(episode));
    writer.callEnded(
      aCall(episode, 0),
      messages.map((message, position) => ({ position, message })),
      [],
    );
    const timelines = [{ calls: [0], messages: [0, 1], tokens: 6, trainableTokens: 3 }];
    writer.episodeEnded({ result: aResult(episode), timelines }, []);
  }
  expect(reader.read((views) => views.batch()).results.map(({ episode }) => episode)).toEqual([0, 1]);
  expect(reader.read((views) => views.conversations.ofTimeline(1, 0))).toEqual(messages);
  expect(() => reader.read((views) => views.conversations.ofTimeline(1, 1))).toThrow('timeline');
  expect(aTrace().reader.read((views) => views.batch()).rules).toBeNull();
});

test('a call that ends later changes the timelines that a running episode shows', () => {
  const { writer, reader } = aTrace();
  writer.episodeStarted(anEpisode(0));
  const say = (
    position: number,
    text: string,
  ): { position: number; message: ReturnType<typeof aMessage> } => {
    return { position, message: aMessage(text, { author: position % 2 === 1 ? 'llm' : 'env' }) };
  };
  writer.callEnded(aCall(0, 0), [say(0, 'one'), say(1, 'two')], []);
  expect(reader.read((views) => views.episode(0)).timelines).toMatchObject([{ calls: [0], messages: 2 }]);
  const longer = aCall(0, 1, { messages: [0, 1, 2], reply: 3 });
  writer.callEnded(longer, [say(2, 'three'), say(3, 'four')], []);
  expect(reader.read((views) => views.episode(0)).timelines).toMatchObject([
    { calls: [0, 1], messages: 4, provisional: true },
  ]);
  expect(reader.read((views) => views.episode(0)).calls).toMatchObject([{ timeline: 0 }, { timeline: 0 }]);
});

test('texts are read in windows that cut no character, and found wherever they are', () => {
  const { writer, reader } = aTrace();
  writer.episodeStarted(anEpisode(0));
  const toolCalls = '[{"function":{"name":"Add"}}]';
  const messages = [aMessage('a😀b\u0000Add. (x)'), aMessage('add', { author: 'llm', toolCalls })];
  writer.callEnded(
    aCall(0, 0),
    messages.map((message, position) => ({ position, message })),
    [],
  );
  const call = { kind: 'call', call: 0 } as const;
  const read = (message: number, from: number, limit: number): string =>
    reader.read((views) => views.conversations.text(0, call, message, { from, limit })).text;
  expect(read(0, 0, 2)).toBe('a');
  expect(read(0, 1, 1)).toBe('😀');
  expect(reader.read((views) => views.conversations.text(0, call, 0, { from: 2, limit: 99 }))).toEqual({
    from: 1,
    text: '😀b\u0000Add. (x)',
    length: 13,
  });
  expect(read(1, 9, 2)).toBe('');
  expect(() => reader.read((views) => views.conversations.text(0, call, 2, { from: 0, limit: 1 }))).toThrow(
    'has no message 2',
  );
  const found = (text: string, matchCase = false): unknown =>
    reader.read((views) => views.conversations.search(0, call, { text, matchCase }));
  expect(found('ADD')).toEqual({
    matches: [
      { message: 0, field: 'text', at: 5, length: 3 },
      { message: 1, field: 'text', at: 0, length: 3 },
      { message: 1, field: 'toolCalls', at: toolCalls.indexOf('Add'), length: 3 },
    ],
    more: false,
  });
  expect(found('ADD', true)).toEqual({ matches: [], more: false });
  expect(found('. (')).toMatchObject({ matches: [{ at: 8 }] });
  expect(found('')).toEqual({ matches: [], more: false });
  const timeline = { kind: 'timeline', timeline: 0 } as const;
  expect(
    reader.read((views) => views.conversations.search(0, timeline, { text: 'add', matchCase: true })).matches,
  ).toHaveLength(1);
});

test('a search ends where it has found enough', () => {
  const { writer, reader } = aTrace();
  writer.episodeStarted(anEpisode(0));
  const many = 'x'.repeat(largestWindow.matches + 1);
  writer.callEnded(aCall(0, 0, { messages: [], reply: 0 }), [{ position: 0, message: aMessage(many) }], []);
  const { matches, more } = reader.read((views) =>
    views.conversations.search(0, { kind: 'call', call: 0 }, { text: 'x', matchCase: false }),
  );
  expect([matches.length, more]).toEqual([largestWindow.matches, true]);
});
