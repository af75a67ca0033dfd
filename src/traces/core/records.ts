/** The JSON values and rows that a trace stores, with their decoders. */
import * as z from 'zod/mini';
import { episodeId } from '../../tracking/core/records/episodeResult.ts';
import { author, callRecord, callSource } from '../../tracking/core/records/trace.ts';

export const writerIdentity = z.object({
  pid: z.number(),
  /** The start time of the process, by which the system distinguishes processes with one id; null if it is unknown. */
  started: z.nullable(z.string()),
  host: z.string(),
  /** Start of the trace, in milliseconds since the Unix epoch. */
  at: z.number(),
});
export type WriterIdentity = z.infer<typeof writerIdentity>;

/** A number that may be infinite, because workflows may return infinite rewards. */
const real = z.custom<number>((value) => typeof value === 'number');
const blob = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

export const episodeRecord = z.object({
  ...episodeId,
  /** In lists only the beginning. An episode's own view has it in full. */
  query: z.string(),
  startedAt: z.number(),
  calls: z.number(),
  ended: z.number(),
  reward: z.nullable(real),
  isSuccess: z.number(),
  seconds: z.nullable(z.number()),
  error: z.nullable(z.string()),
  timelines: z.number(),
  tokens: z.number(),
  trainableTokens: z.number(),
});
export type EpisodeRecord = z.infer<typeof episodeRecord>;

const episodeOutcome = {
  ...episodeId,
  taskIndex: z.number(),
  /** Null: it ended with an error, or has not ended. */
  reward: z.nullable(real),
  isSuccess: z.number(),
};

export const recordedRecord = z.object({
  ...episodeOutcome,
  uuid: z.string(),
  task: z.nullable(z.string()),
  output: z.nullable(z.string()),
});
export type RecordedRecord = z.infer<typeof recordedRecord>;

export const outputRecord = z.object({ episode: z.number(), task: z.string(), output: z.string() });
export const returnedRecord = z.object({ task: z.string(), output: z.string() });
export const numberRecord = z.object({ value: z.number() });

export const groupRecord = z.object({
  /** Position of the task in the run. */
  group: z.number(),
  taskId: z.string(),
  query: z.string(),
  started: z.number(),
  ended: z.number(),
  /** Number of its episodes that match the filter. */
  matching: z.number(),
  /** Sums over its ended episodes. Calls include those of the others. */
  calls: z.number(),
  tokens: z.number(),
  trainableTokens: z.number(),
  seconds: z.nullable(z.number()),
  failed: z.nullable(z.number()),
  /** Mean over the episodes that ended with a reward. */
  meanReward: z.nullable(real),
  successRate: z.nullable(z.number()),
  /** Sample deviation of the rewards that training uses; null for fewer than two. */
  deviation: z.nullable(real),
  best: z.nullable(z.number()),
  bestReward: z.nullable(real),
  worst: z.nullable(z.number()),
  worstReward: z.nullable(real),
  trains: z.nullable(z.number()),
  whole: z.nullable(z.number()),
});
export type GroupRecord = z.infer<typeof groupRecord>;

export const groupFindingRecord = z.object({
  group: z.number(),
  severity: z.enum(['error', 'warning']),
  code: z.string(),
  episodes: z.number(),
});

export const rangeRecord = z.object({
  least: z.nullable(real),
  most: z.nullable(real),
  values: z.number(),
  different: z.number(),
  missing: z.number(),
});
export const binRecord = z.object({ bin: real, count: z.number() });

export const totalsRecord = z.object({
  started: z.number(),
  ended: z.number(),
  failed: z.number(),
  meanReward: z.nullable(real),
  successRate: z.nullable(z.number()),
  calls: z.number(),
  /** Timelines and tokens of episodes that ended. */
  timelines: z.number(),
  tokens: z.number(),
  trainableTokens: z.number(),
});
export type RunTotals = z.infer<typeof totalsRecord>;

/** The parts of a call from which tool spans are derived: its messages and its reply's tool calls. */
const callTimes = { call: true, agent: true, startedAt: true, seconds: true } as const;
export const toolTraceRecord = z.extend(z.pick(callRecord, callTimes), {
  messages: blob,
  toolCalls: z.nullable(z.string()),
});

export const callDetailsRecord = z.object({
  options: z.string(),
  tools: z.nullable(z.string()),
  messages: blob,
});

export const messageRecord = z.object({
  position: z.number(),
  role: z.string(),
  author,
  toolCallId: z.nullable(z.string()),
  tokens: z.number(),
  trainableTokens: z.number(),
});
export type MessageRecord = z.infer<typeof messageRecord>;

export const messageTextRecord = z.object({
  text: z.string(),
  /** The size of the text in the file. */
  bytes: z.number(),
  toolCalls: z.nullable(z.string()),
});

export const messageTokensRecord = z.object({ tokenIds: blob, logprobs: z.nullable(blob), lossMask: blob });

export const alternativesRecord = z.object({ width: z.number(), ids: blob, logprobs: blob });
export const callLengthRecord = z.object({ call: z.number(), messages: z.number() });

export const timelineRecord = z.object({
  calls: blob,
  messages: blob,
  tokens: z.number(),
  trainableTokens: z.number(),
});

export const trainingRecord = z.object({
  timeline: z.number(),
  advantage: real,
  clipLow: z.nullable(real),
  clipHigh: z.nullable(real),
});
/** SQLite returns null for a part of an empty blob. */
export const trainerLogprobsRecord = z.object({ logprobs: z.nullable(blob), base: z.nullable(blob) });

export const tokenRecord = z.object({ bytes: blob, special: z.number() });
export const episodeNumber = z.object({ episode: z.number() });
export const valueRecord = z.object({ value: z.string() });
export const neighborsRecord = z.object({
  position: z.number(),
  total: z.number(),
  previous: z.nullable(z.number()),
  next: z.nullable(z.number()),
});
export const anchorRecord = z.object({ entry: z.number(), position: z.number() });
export const countRecord = z.object({ count: z.number() });
export const resultRecord = z.object({ sequence: z.number(), result: z.string() });

export const lineRecord = z.extend(callSource, {
  calls: z.number(),
  episodes: z.number(),
  failed: z.number(),
  /** Means over the calls that did not fail; null: there is none. */
  promptTokens: z.nullable(z.number()),
  replyTokens: z.nullable(z.number()),
  seconds: z.nullable(z.number()),
  /** Mean over the episodes that made them and have a reward; null: none has. */
  reward: z.nullable(real),
  firstEpisode: z.number(),
  firstCall: z.number(),
});
export type LineRecord = z.infer<typeof lineRecord>;

export const toolLineRecord = z.object({ tool: z.string(), episodes: z.number(), reward: z.nullable(real) });
export type ToolLineRecord = z.infer<typeof toolLineRecord>;

export const partRecord = z.object({
  /** The number of episodes in which it ran. */
  episodes: z.number(),
  failed: z.number(),
  /** Mean of the seconds that it took in an episode. */
  seconds: z.nullable(z.number()),
  /** Mean over these episodes. */
  reward: z.nullable(real),
  successRate: z.nullable(z.number()),
});
export type PartRecord = z.infer<typeof partRecord>;

export const replayedRecord = z.object({ ...episodeOutcome, twin: z.number() });
