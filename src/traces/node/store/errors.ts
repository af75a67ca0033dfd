import { CodedError, messageOf } from '../../../base/core/errors.ts';
import { fileError } from '../../core/errors.ts';

/** Returns SQLite's primary result code of an error; undefined: not an error of SQLite. */
export function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

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

export function isDamage(error: unknown): boolean {
  const codes: readonly (number | undefined)[] = [sqliteCodes.corrupt, sqliteCodes.ioError];
  return codes.includes(sqliteCode(error)) || (error instanceof CodedError && error.code === 'trace/damaged');
}

/** Returns true if the file ends before a page that belongs to it: SQLITE_IOERR_SHORT_READ. */
export function isShortRead(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 522;
}

export const storeErrors = {
  noSqlite: () =>
    new CodedError({
      code: 'trace/no-sqlite',
      message: 'This Node.js has no SQLite, so it cannot read or write traces.',
      hint: 'Set agentjet.runtimeExecutable to a Node.js from nodejs.org, version 22.18 or newer.',
    }),

  cannotWrite: (file: string, cause: unknown) =>
    fileError(file, {
      code: 'trace/cannot-write',
      message: `The trace cannot be written: ${messageOf(cause)}.`,
      hint: 'Free disk space, or choose another folder with --exp-dir (launch.json: expDir).',
      cause,
    }),

  noSuchFile: (file: string) =>
    fileError(file, {
      code: 'trace/no-such-file',
      message: 'The trace does not exist.',
      hint: 'Specify an .ajtrace file. Each run writes one into its folder below saved_experiments.',
    }),

  slowPattern: (pattern: string) =>
    new CodedError({
      code: 'trace/slow-pattern',
      message: `The search for “${pattern}” takes too long.`,
      hint: 'Remove nested repetitions such as (a+)+ from the pattern, or search for plain text.',
    }),

  noFile: (file: string) =>
    fileError(file, {
      code: 'trace/cannot-read',
      message: 'The trace cannot be read: the path is a folder or a device.',
      hint: 'Specify an .ajtrace file. Each run writes one into its folder below saved_experiments.',
    }),

  cannotRead: (file: string, cause: unknown) =>
    fileError(file, {
      code: 'trace/cannot-read',
      message: `The trace cannot be read: ${messageOf(cause)}.`,
      hint: 'Check that the file and its folder may be read.',
      cause,
    }),

  busy: (file: string, cause: unknown) =>
    fileError(file, {
      code: 'trace/busy',
      message: 'The trace is being written, and was locked for two seconds.',
      hint: 'Try again in a moment.',
      cause,
    }),

  notATrace: (file: string) =>
    fileError(file, {
      code: 'trace/not-a-trace',
      message: 'The file is not an AgentJet trace.',
      hint: 'Choose an .ajtrace file of a run. To open a recording of another tool, use agentjet trace.',
    }),

  empty: (file: string) =>
    fileError(file, {
      code: 'trace/empty',
      message: 'The trace is empty: its run ended before it wrote anything.',
      hint: 'Delete the file and run the episodes again.',
    }),

  newerFormat: (file: string, format: number, cause: unknown) =>
    fileError(file, {
      code: 'trace/newer-format',
      message: `The trace has format ${format}, which this version of AgentJet cannot read: ${messageOf(cause)}.`,
      hint: 'Update AgentJet.',
      cause,
    }),
};
