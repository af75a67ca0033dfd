import type { FileMetaData } from 'hyparquet';
import { type CodedError, messageOf } from '../../../../base/core/errors.ts';
import type { PartReader } from '../../../../base/core/ports.ts';
import { dataSetErrors } from './errors.ts';
import { parquetRowReader, withPlainLeaves, type ReadRow } from './parquetValues.ts';
import type { Row, TableFile, TableReader, TableRows, RowSelection } from './table.ts';

/** Rows between two that are wanted are read along where they are no more than this. */
const gap = 1000;

/** Reads Parquet files: their footers, and of their row groups those with wanted rows. */
export class ParquetTable implements TableReader {
  readonly warnings: CodedError[] = [];
  columns: readonly string[] = [];
  readonly #bytes: PartReader;

  constructor(bytes: PartReader) {
    this.#bytes = bytes;
  }

  async read(table: TableFile): Promise<TableRows> {
    try {
      return await this.#read(table);
    } catch (error) {
      if (isCoded(error)) throw error;
      const reason = messageOf(error);
      throw dataSetErrors.broken(table.file, reason, undefined, error);
    }
  }

  async #read({ file, offset, wanted }: TableFile): Promise<TableRows> {
    const { compressors, parquetMetadataAsync, parquetReadObjects, parquetSchema } =
      await import('./parquetLibraries.ts');
    const source = {
      byteLength: await this.#bytes.size(file),
      slice: async (start: number, end?: number): Promise<ArrayBuffer> =>
        exactBuffer(await this.#bytes.readPart(file, start, end ?? source.byteLength)),
    };
    const metadata = await parquetMetadataAsync(source, { geoparquet: false });
    const { children } = parquetSchema(metadata);
    this.#sameColumns(
      file,
      children.map(({ element }) => element.name),
    );
    const bigNumbers = new Set<string>();
    const readRow = parquetRowReader(children, (column) => bigNumbers.add(column));
    const rows: { index: number; row: Row }[] = [];
    for (const { start, end } of runsOf(metadata, offset, wanted)) {
      const read = await parquetReadObjects({
        file: source,
        metadata: withPlainLeaves(metadata),
        compressors,
        rowStart: start,
        rowEnd: end,
        utf8: false,
        useOffsetIndex: true,
        geoparquet: false,
        parsers: {
          timestampFromNanoseconds: (nanoseconds) => nanoseconds,
          stringFromBytes: (bytes: Uint8Array | undefined) => bytes && this.#bytes.decode(bytes),
        },
      });
      rows.push(...taken(read, offset + start, wanted, readRow));
    }
    for (const column of bigNumbers) this.warnings.push(dataSetErrors.bigNumber(file, column));
    return { rows, count: Number(metadata.num_rows) };
  }

  #sameColumns(file: string, columns: readonly string[]): void {
    if (this.columns.length === 0) this.columns = columns;
    const isSame =
      columns.length === this.columns.length && columns.every((one) => this.columns.includes(one));
    if (!isSame) throw dataSetErrors.otherColumns(file, columns);
  }
}

interface Run {
  readonly start: number;
  readonly end: number;
}

/** The wanted rows of a file as runs, none of which reaches over the end of a row group. */
function runsOf(metadata: FileMetaData, offset: number, wanted: RowSelection): readonly Run[] {
  const runs: Run[] = [];
  let start = 0;
  for (const group of metadata.row_groups) {
    const end = start + Number(group.num_rows);
    let run: Run | undefined;
    for (let row = start; row < end && offset + row <= wanted.last; row++) {
      if (!wanted.has(offset + row)) continue;
      if (run !== undefined && row - run.end <= gap) {
        run = { start: run.start, end: row + 1 };
      } else {
        if (run !== undefined) runs.push(run);
        run = { start: row, end: row + 1 };
      }
    }
    if (run !== undefined) runs.push(run);
    start = end;
  }
  return runs;
}

function taken(
  read: readonly Row[],
  first: number,
  wanted: RowSelection,
  readRow: ReadRow,
): { index: number; row: Row }[] {
  return read.flatMap((row, at) =>
    wanted.has(first + at) ? [{ index: first + at, row: readRow(row) }] : [],
  );
}

function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) return buffer;
  return new Uint8Array(bytes).buffer.slice(byteOffset - byteOffset, byteLength);
}

function isCoded(error: unknown): error is CodedError {
  return error instanceof Error && error.name === 'CodedError';
}
