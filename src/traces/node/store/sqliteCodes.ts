/** SQLite's own number of a failure, without what it tells beyond the kind; undefined: not SQLite's. */
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
