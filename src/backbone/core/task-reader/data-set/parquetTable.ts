import { omit } from '../../../../base/core/omit.ts';
import type { FileMetaData, SchemaElement, SchemaTree } from 'hyparquet';
import { CodedError, messageOf } from '../../../../base/core/errors.ts';
import type { PartReader } from '../../../../base/core/ports.ts';
import { dataSetErrors } from './errors.ts';
import type { Row, TableFile, TableReader, TableRows, RowSelection } from './table.ts';
import { decimalText, isoDate, isoMoment, isoTime } from './pythonText.ts';

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
      if (error instanceof CodedError) throw error;
      throw dataSetErrors.broken(table.file, messageOf(error), undefined, error);
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
    const readRow = recordReader(children, (column) => bigNumbers.add(column));
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
  const { buffer, byteLength } = bytes;
  return buffer instanceof ArrayBuffer && byteLength === buffer.byteLength
    ? buffer
    : new Uint8Array(bytes).buffer;
}

type ReadRow = (row: Row) => Row;

type ReadValue = (value: unknown) => unknown;

/** Removes the types that the reader would make less precise than Python's: their values arrive as they are stored. */
function withPlainLeaves(metadata: FileMetaData): FileMetaData {
  const schema = metadata.schema.map((element) => {
    if (momentOf(element) === undefined && !isDecimal(element)) return element;
    return omit(element, 'converted_type', 'logical_type');
  });
  return { ...metadata, schema };
}

/**
 * Returns a function that converts a row to JSON values: decimals to their digits, bytes to base64, and dates and times to
 * Python's `isoformat()`. Integers that JavaScript cannot represent become strings, with a call of `onBigNumber`.
 */
function recordReader(children: readonly SchemaTree[], onBigNumber: (column: string) => void): ReadRow {
  const readers = children.map((child) => {
    const name = child.element.name;
    return [name, valueReader(child, () => onBigNumber(child.path.join('.')))] as const;
  });
  return (row) => Object.fromEntries(readers.map(([name, read]) => [name, read(row[name])]));
}

function valueReader(tree: SchemaTree, onBigNumber: () => void): ReadValue {
  const one = singleReader(tree, onBigNumber);
  const isRepeated = tree.element.repetition_type === 'REPEATED';
  return isRepeated ? listOf(one) : one;
}

function listOf(item: ReadValue): ReadValue {
  return (value) =>
    value === null || value === undefined ? null : Array.from(value as Iterable<unknown>, item);
}

function singleReader({ element, children }: SchemaTree, onBigNumber: () => void): ReadValue {
  const [child] = children;
  if (child === undefined) return orNull(leafReader(element, onBigNumber));
  const isList = element.converted_type === 'LIST' || element.logical_type?.type === 'LIST';
  if (isList) return listOf(itemReader(child, onBigNumber));
  const isMap = element.converted_type === 'MAP' || element.logical_type?.type === 'MAP';
  const mapped = isMap ? child.children[1] : undefined;
  if (mapped !== undefined) {
    const read = valueReader(mapped, onBigNumber);
    return orNull((value) =>
      Object.fromEntries(Object.entries(value as Row).map(([key, one]) => [key, read(one)])),
    );
  }
  return orNull(recordReader(children, onBigNumber) as ReadValue);
}

/** Returns the reader of a list's items in both layouts of Parquet: a second group may surround the items. */
function itemReader(repeated: SchemaTree, onBigNumber: () => void): ReadValue {
  const [item, ...others] = repeated.children;
  if (item !== undefined && others.length === 0) return valueReader(item, onBigNumber);
  return singleReader(repeated, onBigNumber);
}

function orNull(read: ReadValue): ReadValue {
  return (value) => (value === null || value === undefined ? null : read(value));
}

function leafReader(element: SchemaElement, onBigNumber: () => void): ReadValue {
  const moment = momentOf(element);
  if (moment !== undefined) return moment;
  if (isDecimal(element)) {
    const scale = scaleOf(element);
    return (value) => decimalText(wholeNumber(value), scale);
  }
  return (value) => {
    if (typeof value === 'bigint') {
      const number = Number(value);
      if (Number.isSafeInteger(number)) return number;
      onBigNumber();
      return String(value);
    }
    if (value instanceof Uint8Array)
      return btoa(Array.from(value, (byte) => String.fromCharCode(byte)).join(''));
    return typeof value === 'number' && !Number.isFinite(value) ? notFinite(value) : value;
  };
}

/** Returns NaN and infinity as Python's json writes them. */
function notFinite(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'Infinity' : '-Infinity';
}

const units: Readonly<Record<string, bigint>> = { MILLIS: 1_000_000n, MICROS: 1000n, NANOS: 1n };

function momentOf({
  type,
  converted_type: converted,
  logical_type: logical,
}: SchemaElement): ReadValue | undefined {
  if (type === 'INT96') return (value) => isoMoment(wholeNumber(value), false);
  if (converted === 'DATE' || logical?.type === 'DATE') return (value) => isoDate(Number(value));
  const named = /^(TIME|TIMESTAMP)_(MILLIS|MICROS)$/.exec(converted ?? '');
  const isTyped = logical?.type === 'TIMESTAMP' || logical?.type === 'TIME';
  const kind = isTyped ? logical.type : named?.[1];
  const unit = units[(isTyped ? logical.unit : named?.[2]) ?? ''];
  if (kind === undefined || unit === undefined) return undefined;
  const isUtc = isTyped ? logical.isAdjustedToUTC : true;
  if (kind === 'TIMESTAMP') return (value) => isoMoment(wholeNumber(value) * unit, isUtc);
  return (value) => {
    const nanoseconds = wholeNumber(value) * unit;
    return isoTime(nanoseconds / 1_000_000_000n, nanoseconds % 1_000_000_000n);
  };
}

function isDecimal({ converted_type: converted, logical_type: logical }: SchemaElement): boolean {
  return converted === 'DECIMAL' || logical?.type === 'DECIMAL';
}

function scaleOf({ scale, logical_type: logical }: SchemaElement): number {
  return logical?.type === 'DECIMAL' ? logical.scale : (scale ?? 0);
}

/** Reads an integer from a stored number, or from big-endian bytes in two's complement. */
function wholeNumber(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(value);
  if (!(value instanceof Uint8Array)) throw new TypeError('expected a number');
  const unsigned = value.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return BigInt.asIntN(value.length * 8, unsigned);
}
