import { CodedError } from '../../../../base/core/errors.ts';

const replayPlaces = '--replay (launch.json: replay)';

/** The problems of a recording file. */
export const recordingErrors = {
  notFound: (file: string, partial: string | undefined) =>
    new CodedError({
      code: 'recording/not-found',
      message: `There is no recording ${file}.`,
      hint:
        partial === undefined
          ? `Make it with --record (launch.json: record), or correct ${replayPlaces}.`
          : `The run that made it did not end; what it recorded until then is in ${partial}: name that with ${replayPlaces}.`,
    }),

  unreadable: (file: string, cause: unknown) =>
    new CodedError(
      {
        code: 'recording/unreadable',
        message: `The recording ${file} cannot be read: ${reasonOf(cause)}.`,
        hint: `Name a file that you may read with ${replayPlaces}.`,
      },
      { cause },
    ),

  notARecording: (file: string, reason: string) =>
    new CodedError({
      code: 'recording/not-a-recording',
      message: `This is no recording of LLM calls: ${reason}.`,
      location: { file, line: 1 },
      hint: `Name a file that --record (launch.json: record) made with ${replayPlaces}.`,
    }),

  version: (file: string, found: number, known: number) =>
    new CodedError({
      code: 'recording/version',
      message: `The recording is of version ${found}, and this AgentJet reads version ${known}.`,
      location: { file, line: 1 },
      hint: found > known ? 'Update AgentJet, or record anew.' : 'Record anew.',
    }),

  brokenLine: (file: string, line: number, problem: string) =>
    new CodedError({
      code: 'recording/broken-line',
      message: `The line is no recorded call: ${problem}.`,
      location: { file, line },
      hint: 'Correct or delete the line, or record anew.',
    }),

  tornLine: (file: string, line: number) =>
    new CodedError({
      code: 'recording/torn-line',
      message: 'The last line of the recording is cut off, and its call is left out.',
      location: { file, line },
      hint: 'The run that made it was killed; record anew to have the whole of it.',
    }),

  exists: (file: string) =>
    new CodedError({
      code: 'recording/exists',
      message: `There is a recording ${file} already.`,
      hint: 'Add --force (launch.json: force) to replace it once the run has completed, or name another file.',
    }),

  cannotWrite: (file: string, cause: unknown) =>
    new CodedError(
      {
        code: 'recording/cannot-write',
        message: `The recording ${file} cannot be written: ${reasonOf(cause)}.`,
        hint: 'Choose another place with --record (launch.json: record).',
      },
      { cause },
    ),

  goesNoFurther: (file: string, cause: unknown) =>
    new CodedError(
      {
        code: 'recording/exhausted',
        message: `The recording of this run goes no further: ${reasonOf(cause)}.`,
        hint: `The run goes on without it; what there is of it is in ${file}.`,
      },
      { cause },
    ),
};

export function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
