/**
 * A recording is a text file of JSON values, one per line: a header, then the calls in the order in which they ended.
 * Messages and tools that an earlier call had already are named by its id, so that a file grows with what is new.
 */

import * as z from 'zod/mini';
import { recordingFormat } from '../../../../base/core/recordingFormat.ts';
import { errorReport } from '../../../../base/core/errorReport.ts';
import type { FinishedCall } from '../call.ts';
import type { EpisodeName } from './episodeNames.ts';
import { CodedError, messageOf } from '../../../../base/core/errors.ts';

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

type RecordedField =
  | 'call'
  | 'agentName'
  | 'targetTag'
  | 'request'
  | 'startedAt'
  | 'seconds'
  | 'status'
  | 'completion'
  | 'failure';

export interface RecordedCall extends Pick<FinishedCall, RecordedField> {
  readonly episode: EpisodeName;
}

export interface Recording {
  /** Absolute. */
  readonly file: string;
  readonly header: RecordingHeader;
  readonly calls: readonly RecordedCall[];
}

const replayPlaces = '--replay (launch.json: replay)';

export const recordingErrors = {
  notFound: (file: string, partial: string | undefined) =>
    new CodedError({
      code: 'recording/not-found',
      message: `The recording ${file} does not exist.`,
      hint:
        partial === undefined
          ? `Create it with --record (launch.json: record), or correct ${replayPlaces}.`
          : `Its run did not complete. The calls up to that point are in ${partial}: set ${replayPlaces} to that file.`,
    }),

  unreadable: (file: string, cause: unknown) =>
    new CodedError({
      code: 'recording/unreadable',
      message: `The recording ${file} cannot be read: ${messageOf(cause)}.`,
      hint: `Set ${replayPlaces} to a file that you can read.`,
      cause,
    }),

  notARecording: (file: string, reason: string) =>
    new CodedError({
      code: 'recording/not-a-recording',
      message: `This file is not a recording of LLM calls: ${reason}.`,
      location: { file, line: 1 },
      hint: `Set ${replayPlaces} to a file that --record (launch.json: record) wrote.`,
    }),

  version: (file: string, found: number, known: number) =>
    new CodedError({
      code: 'recording/version',
      message: `The recording has version ${found}, but this AgentJet reads version ${known}.`,
      location: { file, line: 1 },
      hint: found > known ? 'Update AgentJet, or record again.' : 'Record again.',
    }),

  brokenLine: (file: string, line: number, problem: string) =>
    new CodedError({
      code: 'recording/broken-line',
      message: `The line is not a recorded call: ${problem}.`,
      location: { file, line },
      hint: 'Correct or delete the line, or record again.',
    }),

  tornLine: (file: string, line: number) =>
    new CodedError({
      code: 'recording/torn-line',
      message: 'The last line of the recording is cut off. Its call is ignored.',
      location: { file, line },
      hint: 'Its run was killed. To get a complete recording, record again.',
    }),

  exists: (file: string) =>
    new CodedError({
      code: 'recording/exists',
      message: `The recording ${file} already exists.`,
      hint: 'Add --force (launch.json: force) to replace it when the run has completed, or name another file.',
    }),

  cannotWrite: (file: string, cause: unknown) =>
    new CodedError({
      code: 'recording/cannot-write',
      message: `The recording ${file} cannot be written: ${messageOf(cause)}.`,
      hint: 'Choose another file with --record (launch.json: record).',
      cause,
    }),

  goesNoFurther: (file: string, cause: unknown) =>
    new CodedError({
      code: 'recording/exhausted',
      message: `Recording of this run stopped: ${messageOf(cause)}.`,
      hint: `The run continues without a recording. The calls recorded so far are in ${file}.`,
      cause,
    }),
};
