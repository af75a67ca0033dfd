import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import type {
  TracedCall,
  TracedMessage,
  TracedTimeline,
  TraceWriter,
} from '../../../src/tracking/core/records/trace.ts';
import type { TracedRun } from '../../../src/tracking/core/records/tracedRun.ts';
import { hostileTexts } from './hostileTexts.ts';

/** Case number `id` of those of a list that goes round. */
const text = (id: number): string => hostileTexts[id % hostileTexts.length] ?? '';

const startedAt = Date.UTC(2026, 0, 15, 9, 30);
export const cases = hostileTexts.length;

/** Two of one task, and one whose calls all fork. */
export const comparedEpisodes: readonly number[] = [4, 5];
export const mergedEpisode = 6;
const mergedCalls = 60;
/** Behind the messages that were asked with, of which there is one more. */
const mergedReply = (call: number): number => mergedCalls + 1 + call;

/** Bytes of the first message of episode 1. */
export const hugeMessage = 50_000_000;

export const hostileRun: TracedRun = {
  experiment: text(1),
  config: `/${text(2)}/${text(3)}.yaml`,
  configText: text(4),
  workflow: text(5),
  workflowFile: text(6),
  model: text(7),
  judge: text(8),
  tokenizer: { name: text(9), exact: false, file: text(10) },
  limits: { modelLength: 1e308, promptLength: 3_000, responseLength: 15_000, turnLength: -1 },
  merging: { compareLevel: 'text', ignoreTools: true },
  tasks: Math.ceil(cases / 2),
  repeat: 2,
  episodes: cases,
  startedAt,
};

/** Every case in every field: lists have one for each episode, the rest is in episode 0. */
export function writeHostile(writer: TraceWriter): void {
  for (let id = 0; id < cases; id++) {
    writer.episodeStarted({
      episode: id,
      uuid: text(id),
      taskId: text(id),
      taskIndex: Math.floor(id / 2),
      repeat: id % 2,
      query: text(id + 1),
      startedAt: startedAt + id,
    });
  }
  writeCalls(writer);
  writeHuge(writer);
  for (const id of comparedEpisodes) writeCompared(writer, id);
  writeMerged(writer);
  writeSpans(writer);
  writer.codeFound({ execute: { file: text(11), line: 1 }, judge: { file: text(12), line: 1e9 } });
  for (let id = 0; id < cases; id++) {
    const timelines = timelinesOf(id);
    const metadata = { [text(id)]: id, ['__proto__']: { [text(id + 1)]: 1 } };
    const returned = { task: text(id), output: id % 3 === 0 ? text(id) : JSON.stringify({ metadata }) };
    writer.episodeEnded({ result: resultOf(id), returned, timelines }, []);
  }
}

function timelinesOf(id: number): readonly TracedTimeline[] {
  if (id === 0)
    return [{ calls: [0], messages: positions(cases + 1), tokens: 3 * (cases + 1), trainableTokens: 3 }];
  if (id === 1) return [{ calls: [0], messages: [0, 1], tokens: 6, trainableTokens: 3 }];
  if (id === mergedEpisode)
    return positions(mergedCalls).map((call) => {
      return { calls: [call], messages: [call, call + 1, mergedReply(call)], tokens: 9, trainableTokens: 3 };
    });
  if (!comparedEpisodes.includes(id)) return [];
  return [{ calls: [0], messages: positions(cases + 1), tokens: 3 * (cases + 1), trainableTokens: 3 }];
}

function resultOf(id: number): EpisodeResult {
  const problem = { code: text(id + 2), severity: 'error' as const, message: text(id + 3), calls: [0] };
  const report = { code: text(id + 4), message: text(id + 5), hint: text(id + 6), stack: text(id + 7) };
  const location = { file: text(id + 8), line: 1 };
  const failed = id > 1 && id % 2 === 1;
  return {
    episode: id,
    taskId: text(id),
    repeat: id % 2,
    reward: failed ? null : id,
    isSuccess: !failed,
    llmCalls: 1,
    seconds: 1e12,
    error: failed ? { ...report, location } : null,
    metrics: { [text(id)]: 1e300, ['__proto__']: 1 },
    tracking: { timelines: 1, tokens: 3, trainableTokens: 1, problems: [problem] },
  };
}

function positions(length: number): readonly number[] {
  return Array.from({ length }, (_, position) => position);
}

/** Tokens: the case itself, a part of it that is special, and bytes that are no UTF-8. */
const tokensOf = (id: number): Int32Array => Int32Array.of(id, 1_000 + id, 2_000);

function message(id: number, details: Partial<TracedMessage> = {}): TracedMessage {
  return {
    role: text(id),
    author: 'env',
    text: text(id),
    toolCalls: null,
    toolCallId: text(id),
    tokenIds: tokensOf(id),
    logprobs: Float32Array.of(-Infinity, Number.NaN, -1e30),
    lossMask: Uint8Array.of(0, 1, 255),
    ...details,
  };
}

function reply(id: number): TracedMessage {
  const named = { name: text(id), arguments: text(id + 1) };
  const calls = JSON.stringify([{ id: text(id), type: text(id), function: named }]);
  // Every other one as no tool call is written.
  return message(id, { author: 'llm', role: 'assistant', toolCalls: id % 2 === 0 ? calls : text(id) });
}

function writeCalls(writer: TraceWriter): void {
  const encoder = new TextEncoder();
  const tokens = positions(cases).flatMap((id) => [
    { id, bytes: encoder.encode(text(id)).subarray(0, 400), special: false },
    { id: 1_000 + id, bytes: encoder.encode(text(id)).subarray(0, 40), special: true },
  ]);
  const broken = { id: 2_000, bytes: Uint8Array.of(0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0), special: false };
  const messages = positions(cases).map((id) => ({ position: id, message: message(id) }));
  const replies = positions(cases).map((id) => ({ position: cases + id, message: reply(id) }));
  writer.callEnded(callOf(0, positions(cases)), [...messages, ...replies], [...tokens, broken]);
  for (let id = 1; id < cases; id++) writer.callEnded(callOf(id, [id]), [], []);
}

function callOf(id: number, messages: readonly number[]): TracedCall {
  const offered = positions(cases).map((tool) => ({
    type: 'function',
    function: { name: text(tool), description: text(tool + 1), parameters: { [text(tool)]: text(tool) } },
  }));
  return {
    episode: 0,
    call: id,
    agent: text(id),
    tag: text(id + 1),
    startedAt: startedAt + id * 10,
    seconds: id % 7 === 0 ? 1e9 : 0.01,
    status: id % 3 === 0 ? 200 : 599,
    error: id % 3 === 0 ? null : text(id),
    options: id % 2 === 0 ? JSON.stringify({ [text(id)]: text(id), deep: text(id + 1) }) : text(id),
    tools: id === 0 ? JSON.stringify(offered) : id < 20 ? text(id) : null,
    finishReason: text(id),
    messages,
    reply: cases + id,
    source: { file: text(id), line: id, column: null, function: text(id + 1) },
    ...(id % 3 === 1 && { leftOut: leftOut(id) }),
    promptTokens: 3,
    replyTokens: 3,
  };
}

/** Two of a task: every third message is another. */
function writeCompared(writer: TraceWriter, episode: number): void {
  const isOther = episode !== comparedEpisodes[0];
  const messages = positions(cases).map((id) => {
    return { position: id, message: message(isOther && id % 3 === 0 ? id + 1 : id) };
  });
  const last = { position: cases, message: reply(isOther ? 2 : 4) };
  writer.callEnded({ ...callOf(0, positions(cases)), episode }, [...messages, last], []);
}

/** Calls that each fork: what one has is the next one's with another beginning. */
function writeMerged(writer: TraceWriter): void {
  const calls = mergedCalls;
  const messages = positions(calls + 1).map((id) => ({ position: id, message: message(3 * id) }));
  const replies = positions(calls).map((id) => ({ position: mergedReply(id), message: reply(id) }));
  for (const call of positions(calls)) {
    const traced = {
      ...callOf(call, [call, call + 1]),
      episode: mergedEpisode,
      reply: mergedReply(call),
      tools: JSON.stringify([text(call)]),
    };
    writer.callEnded(traced, call === 0 ? [...messages, ...replies] : [], []);
  }
}

const kinds = ['workflow', 'judge', 'environment', 'helper', 'call'] as const;

function writeSpans(writer: TraceWriter): void {
  for (const id of positions(cases)) {
    writer.span({
      episode: 0,
      span: id,
      kind: kinds[id % kinds.length] ?? 'judge',
      name: text(id),
      call: null,
      startedAt: startedAt + 10 * id,
      seconds: id % 4 === 0 ? null : 0.05,
      error: id % 2 === 0 ? null : text(id + 1),
    });
  }
}

/** Parts of a message that training leaves out: images and whatever else a request may have. */
function leftOut(id: number): NonNullable<TracedCall['leftOut']> {
  const content = [
    { type: 'image_url', image_url: { url: text(id) } },
    { type: 'image_url', image_url: { url: `data:image/svg+xml,${text(id)}` } },
    { type: text(id + 1), [text(id)]: text(id + 1) },
  ];
  return [{ before: 0, message: { role: text(id), content } }];
}

function writeHuge(writer: TraceWriter): void {
  const part = '# <img src=x onerror="globalThis.hostile=[1]"> **bold** [l](javascript:1)\n\n';
  const huge = part.repeat(Math.ceil(hugeMessage / part.length));
  const messages = [
    { position: 0, message: message(0, { role: 'user', text: huge }) },
    { position: 1, message: reply(1) },
  ];
  const line = 'y'.repeat(2_000_000);
  const call = { ...callOf(0, [0]), episode: 1, reply: 1, options: JSON.stringify({ line }), tools: line };
  writer.callEnded(call, messages, []);
}
