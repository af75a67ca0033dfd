import type { CodedError } from '../../../../base/core/errors.ts';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { PartReader } from '../../../../base/core/ports.ts';

/** One row: JSON values only. */
export type Row = Readonly<Record<string, unknown>>;

/** Selects the rows of a split to read, by index. */
export interface RowSelection {
  has(index: number): boolean;
  readonly last: number;
}

export interface TableFile {
  readonly file: string;
  /** Number of rows of the split in earlier files. */
  readonly offset: number;
  readonly wanted: RowSelection;
  /** Bytes between cells, of CSV. */
  readonly separator: string;
}

export interface TableRows {
  readonly rows: readonly { readonly index: number; readonly row: Row }[];
  /** For the whole file; undefined if it was read only up to the last selected row. */
  readonly count: number | undefined;
}

/** Reads files of one format in the order of a split: the first one settles the columns and their types. */
export interface TableReader {
  /** Throws a CodedError `task-reader/…`. */
  read(table: TableFile): Promise<TableRows>;
  /** The columns of the first file; empty before it is read. */
  readonly columns: readonly string[];
  readonly warnings: readonly CodedError[];
}

export interface DataSetPorts {
  readonly parts: PartReader;
  readonly hub: DataSetHub;
}

export interface DataSetListing {
  /** Paths of all files relative to the data set, parts joined by `/`. */
  readonly paths: readonly string[];
  readonly readme: string | undefined;
}

/** The Hugging Face Hub and its local cache. */
export interface DataSetHub {
  isId(text: string): boolean;
  /** Fetches the missing ones of the files that `choose` picks. Throws what it throws, and `task-reader/hub-…`. */
  open<T extends { readonly files: readonly string[] }>(
    id: string,
    choose: (listing: DataSetListing) => T,
    listener: HubListener,
  ): Promise<{ readonly folder: string; readonly chosen: T }>;
}

export interface HubListener {
  readonly cancellation: CancellationToken;
  /** Reports progress in one line. */
  progress(message: string): void;
}
