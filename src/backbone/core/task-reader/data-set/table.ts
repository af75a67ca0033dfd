import type { CodedError } from '../../../../base/core/errors.ts';

/** One row: JSON values only. */
export type Row = Readonly<Record<string, unknown>>;

/** Which rows of a split are read, by their place in it. */
export interface RowSelection {
  has(index: number): boolean;
  /** No row after this one is. */
  readonly last: number;
}

/** One file of a split. */
export interface TableFile {
  readonly file: string;
  /** How many rows of the split are in the files before. */
  readonly offset: number;
  readonly wanted: RowSelection;
  /** Bytes between cells, of CSV. */
  readonly separator: string;
}

export interface TableRows {
  readonly rows: readonly { readonly index: number; readonly row: Row }[];
  /** Of the whole file; undefined: it was not read beyond the last row that is wanted. */
  readonly count: number | undefined;
}

/** Reads files of one format in the order of a split: the first one settles the columns and their types. */
export interface TableReader {
  /** Throws a CodedError `task-reader/…`. */
  read(table: TableFile): Promise<TableRows>;
  /** Of the first file; empty before. */
  readonly columns: readonly string[];
  readonly warnings: readonly CodedError[];
}
