import { CodedError } from '../../../base/core/errors.ts';

/** Returns SQLite's primary result code of an error; undefined: not an error of SQLite. */
export function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Kinds of failures by SQLite's numbers. */
export const sqliteCodes = {
  error: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  corrupt: 11,
  ioError: 10,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

/** Returns whether an error means that the trace is damaged. */
export function isDamage(error: unknown): boolean {
  const codes: readonly (number | undefined)[] = [sqliteCodes.corrupt, sqliteCodes.ioError];
  return codes.includes(sqliteCode(error)) || (error instanceof CodedError && error.code === 'trace/damaged');
}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

export const storeErrors = {
  noSqlite: () =>
    new CodedError({
      code: 'trace/no-sqlite',
      message: 'This Node.js has no SQLite, so traces can be neither written nor read.',
      hint: 'Choose a Node.js of nodejs.org, 22.18 or newer, with the setting agentjet.runtimeExecutable.',
    }),

  cannotWrite: (file: string, cause: unknown) =>
    new CodedError(
      {
        code: 'trace/cannot-write',
        message: `The trace cannot be written: ${reasonOf(cause)}.`,
        location: { file },
        hint: 'Make room on its disk, or choose another place with --exp-dir (launch.json: expDir).',
      },
      { cause },
    ),

  noSuchFile: (file: string) =>
    new CodedError({
      code: 'trace/no-such-file',
      message: 'The trace does not exist.',
      location: { file },
      hint: 'Name an .ajtrace file; each run leaves one in its folder below saved_experiments.',
    }),

  slowPattern: (pattern: string) =>
    new CodedError({
      code: 'trace/slow-pattern',
      message: `The search for “${pattern}” takes too long.`,
      hint: 'Write the pattern without repetitions of repetitions, such as (a+)+, or search for plain text.',
    }),

  noFile: (file: string) =>
    new CodedError({
      code: 'trace/cannot-read',
      message: 'The trace cannot be read: there is no file of this name, but a folder or a device.',
      location: { file },
      hint: 'Name an .ajtrace file; each run leaves one in its folder below saved_experiments.',
    }),

  cannotRead: (file: string, cause: unknown) =>
    new CodedError(
      {
        code: 'trace/cannot-read',
        message: `The trace cannot be read: ${reasonOf(cause)}.`,
        location: { file },
        hint: 'Check that the file and its folder may be read.',
      },
      { cause },
    ),

  busy: (file: string, cause: unknown) =>
    new CodedError(
      {
        code: 'trace/busy',
        message: 'The trace is being written right now and stayed locked for two seconds.',
        location: { file },
        hint: 'Try again in a moment.',
      },
      { cause },
    ),

  notATrace: (file: string) =>
    new CodedError({
      code: 'trace/not-a-trace',
      message: 'The file is no trace of AgentJet.',
      location: { file },
      hint: 'Choose an .ajtrace file that a run has written; agentjet trace shows what other tools recorded.',
    }),

  empty: (file: string) =>
    new CodedError({
      code: 'trace/empty',
      message: 'The trace is empty: its run ended before it could begin to write.',
      location: { file },
      hint: 'Delete the file and run the episodes again.',
    }),

  cutOff: (file: string) =>
    new CodedError({
      code: 'trace/damaged',
      message: 'The trace is damaged: its file is cut off.',
      location: { file },
      hint: 'Copy the file again from where it was written, or run the episodes again.',
    }),

  damaged: (file: string, cause: unknown) =>
    new CodedError(
      {
        code: 'trace/damaged',
        message: `The trace is damaged: ${reasonOf(cause)}.`,
        location: { file },
        hint: 'Copy the file again from where it was written, or run the episodes again.',
      },
      { cause },
    ),

  newerFormat: (file: string, format: number, cause: unknown) =>
    new CodedError(
      {
        code: 'trace/newer-format',
        message: `The trace has format ${format}, in which this version of AgentJet does not find what it needs: ${reasonOf(cause)}.`,
        location: { file },
        hint: 'Update AgentJet.',
      },
      { cause },
    ),
};
