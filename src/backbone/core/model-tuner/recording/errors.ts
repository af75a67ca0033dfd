import { CodedError, messageOf } from '../../../../base/core/errors.ts';

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
