/**
 * A recording is a text file of JSON values, one per line: a header, then the calls in the order in which they ended.
 * Messages and tools that an earlier call had already are named by its id, so that a file grows with what is new.
 */
import * as z from 'zod/mini';
import { errorReport } from '../../../../base/core/errorReport.ts';
import type { ChatCompletion, ChatRequest, ModelFailure } from '../model.ts';
import type { EpisodeName } from './episodeNames.ts';

export const recordingFormat = 'agentjet-recording';
export const recordingVersion = 1;

export const recordingHeader = z.object({
  format: z.literal(recordingFormat),
  version: z.literal(recordingVersion),
  /** ISO 8601. */
  createdAt: z.string(),
  /** Name of the YAML file. */
  config: z.string(),
  model: z.string(),
});
export type RecordingHeader = z.infer<typeof recordingHeader>;

const fields = z.record(z.string(), z.unknown());

const failure = z.object({
  status: z.number(),
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.nullable(z.string()),
    code: z.nullable(z.string()),
  }),
  headers: z.optional(z.record(z.string(), z.string())),
  report: z.optional(errorReport),
});

const count = z.int().check(z.gte(0));

export const callLine = z.object({
  /** Position in the recording, from 0. */
  id: count,
  task: z.string(),
  repeat: count,
  /** Distinguishes episodes whose tasks have the same id. */
  twin: z.optional(count),
  attempt: z.optional(count),
  /** Position in the episode, from 0, in order of arrival. */
  call: count,
  agent: z.string(),
  target: z.string(),
  /** The first `first` messages of the call `from`, then these. */
  messages: z.object({ from: z.optional(count), first: z.optional(count), then: z.array(fields) }),
  /** The tools of the call `from`. */
  tools: z.optional(z.union([z.array(fields), z.object({ from: count })])),
  /** The rest of the request. */
  options: fields,
  /** Milliseconds since the Unix epoch. */
  startedAt: z.number(),
  seconds: z.number(),
  status: z.number(),
  /** After a failure: the part received until then. */
  completion: z.optional(z.looseObject({ choices: z.array(fields) })),
  failure: z.optional(failure),
});
export type CallLine = z.infer<typeof callLine>;

export interface RecordedCall {
  readonly episode: EpisodeName;
  readonly call: number;
  readonly agentName: string;
  readonly targetTag: string;
  readonly request: ChatRequest;
  readonly startedAt: number;
  readonly seconds: number;
  /** 499 for a canceled call. */
  readonly status: number;
  readonly completion: ChatCompletion | undefined;
  /** Undefined if the call was answered. */
  readonly failure: ModelFailure | undefined;
}

export interface Recording {
  /** Absolute. */
  readonly file: string;
  readonly header: RecordingHeader;
  readonly calls: readonly RecordedCall[];
}
