/** What is stored as JSON and as rows, with its decoders. */
import * as z from 'zod/mini';
import { errorReport, tokenizerNote } from '../protocol/run.ts';
import type { BatchRules, MergeRules, TracedRun, TracedRunEnd } from '../protocol/trace.ts';

/** Which process writes a trace. */
export const writerIdentity = z.object({
  pid: z.number(),
  /** When it started, as its system tells processes of one number apart; null where that cannot be told. */
  started: z.nullable(z.string()),
  host: z.string(),
  /** Milliseconds since the Unix epoch at which it began the trace. */
  at: z.number(),
});
export type WriterIdentity = z.infer<typeof writerIdentity>;

/** A run but for what has a place of its own. */
export type StoredRun = Omit<TracedRun, 'configText' | 'merging' | 'batch'>;

export const storedRun: z.ZodMiniType<StoredRun> = z.object({
  experiment: z.string(),
  config: z.string(),
  workflow: z.string(),
  workflowFile: z.string(),
  model: z.string(),
  tokenizer: tokenizerNote,
  limits: z.object({
    modelLength: z.number(),
    promptLength: z.number(),
    responseLength: z.number(),
    turnLength: z.number(),
  }),
  tasks: z.number(),
  repeat: z.number(),
  episodes: z.number(),
  startedAt: z.number(),
  judge: z.optional(z.string()),
});

export const storedMerging: z.ZodMiniType<MergeRules> = z.object({
  compareLevel: z.enum(['text', 'token']),
  ignoreTools: z.boolean(),
});

export const storedBatch: z.ZodMiniType<BatchRules> = z.object({
  perEpisode: z.number(),
  seed: z.number(),
});

export const storedEnd: z.ZodMiniType<TracedRunEnd> = z.object({
  status: z.enum(['completed', 'cancelled', 'failed']),
  error: z.nullable(errorReport),
  selection: z.optional(z.array(z.object({ episode: z.number(), times: z.number() }))),
  endedAt: z.number(),
});

/** Infinite ones, too: a workflow may well reward so. */
const real = z.custom<number>((value) => typeof value === 'number');
const blob = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

export const episodeRecord = z.object({
  episode: z.number(),
  taskId: z.string(),
  repeat: z.number(),
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

export const recordedRecord = z.object({
  episode: z.number(),
  uuid: z.string(),
  taskId: z.string(),
  taskIndex: z.number(),
  repeat: z.number(),
  reward: z.nullable(real),
  isSuccess: z.number(),
  task: z.nullable(z.string()),
  output: z.nullable(z.string()),
});

export const totalsRecord = z.object({
  started: z.number(),
  ended: z.number(),
  failed: z.number(),
  meanReward: z.nullable(real),
  successRate: z.nullable(z.number()),
  calls: z.number(),
  timelines: z.number(),
  tokens: z.number(),
  trainableTokens: z.number(),
});

export const callRecord = z.object({
  call: z.number(),
  agent: z.string(),
  tag: z.string(),
  startedAt: z.number(),
  seconds: z.number(),
  status: z.number(),
  error: z.nullable(z.string()),
  finishReason: z.nullable(z.string()),
  reply: z.nullable(z.number()),
  promptTokens: z.number(),
  replyTokens: z.number(),
});
export type CallRecord = z.infer<typeof callRecord>;

export const callDetailsRecord = z.object({
  options: z.string(),
  tools: z.nullable(z.string()),
  messages: blob,
});

export const mergeableCallRecord = z.object({
  call: z.number(),
  reply: z.nullable(z.number()),
  tools: z.nullable(z.string()),
  messages: blob,
});

export const messageRecord = z.object({
  position: z.number(),
  role: z.string(),
  author: z.enum(['env', 'llm', 'llm(do_not_train)']),
  toolCallId: z.nullable(z.string()),
  tokens: z.number(),
  trainableTokens: z.number(),
});
export type MessageRecord = z.infer<typeof messageRecord>;

export const messageTextRecord = z.object({ text: z.string(), toolCalls: z.nullable(z.string()) });
export type MessageTextRecord = z.infer<typeof messageTextRecord>;

export const messageTokensRecord = z.object({ tokenIds: blob, logprobs: z.nullable(blob), lossMask: blob });

export const timelineRecord = z.object({
  calls: blob,
  messages: blob,
  tokens: z.number(),
  trainableTokens: z.number(),
});

export const tokenRecord = z.object({ bytes: blob, special: z.number() });
export const tokenIdRecord = z.object({ id: z.number() });
export const valueRecord = z.object({ value: z.string() });
export const countRecord = z.object({ count: z.number() });
export const resultRecord = z.object({ sequence: z.number(), result: z.string() });
