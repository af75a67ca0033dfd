/** The SQLite functions that the trace store needs. The node tier implements them. */

export type SqlValue = null | number | string | Uint8Array;

/** By name, without the colon that marks them in the statement. */
export type SqlParameters = Readonly<Record<string, SqlValue>>;

export interface SqlReader {
  /** Rows as objects by column; untrusted, for files come from anywhere. */
  all(statement: string, parameters?: SqlParameters): readonly unknown[];
}

/** Of a file that is open for reading only: nothing but temporary tables can be written. */
export interface SqlScratch extends SqlReader {
  /** @param parameters by place */
  run(statement: string, parameters: readonly SqlValue[]): void;
}

export interface SqlWriter {
  /** @param parameters by place: by name they take three times as long */
  run(statement: string, parameters: readonly SqlValue[]): void;
  /** All that `work` writes or, when it throws, nothing of it. */
  transaction(work: () => void): void;
}
