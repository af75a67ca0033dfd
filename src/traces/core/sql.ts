/** The SQLite functions that the trace store needs. The node tier implements them. */

export type SqlValue = null | number | string | Uint8Array;

/** Parameters by name, without the colon that marks them in the statement. */
export type SqlParameters = Readonly<Record<string, SqlValue>>;

export interface SqlReader {
  /** Returns rows as objects by column. They are untrusted, because files come from anywhere. */
  all(statement: string, parameters?: SqlParameters): readonly unknown[];
}

/** Access to a file that is open for reading only. Only temporary tables can be written. */
export interface SqlScratch extends SqlReader {
  /** @param parameters by position */
  run(statement: string, parameters: readonly SqlValue[]): void;
}

export interface SqlWriter {
  /** @param parameters by position; by name they take three times as long */
  run(statement: string, parameters: readonly SqlValue[]): void;
  /** Commits everything that `work` writes, or nothing if it throws. */
  transaction(work: () => void): void;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
