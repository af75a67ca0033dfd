import Papa from 'papaparse';
import type { CodedError } from '../../../../base/core/errors.ts';
import type { PartReader } from '../../../../base/core/ports.ts';
import { dataSetErrors } from './errors.ts';
import type { Row, TableFile, TableReader, TableRows } from './table.ts';

/** Rows whose cells settle the types of the columns; `datasets` reads as many at a time. */
const typedRows = 10_000;

/** Characters of one row; beyond it, a quote was most likely never closed. */
const rowLimit = 64 * 2 ** 20;

type Cells = readonly string[];

/** Reads CSV files as `datasets` does through pandas: with a header, types by column, `NA` and the like as null. */
export class CsvTable implements TableReader {
  readonly warnings: CodedError[] = [];
  columns: readonly string[] = [];
  #types: readonly ColumnType[] = [];
  readonly #bytes: PartReader;

  constructor(bytes: PartReader) {
    this.#bytes = bytes;
  }

  async read(table: TableFile): Promise<TableRows> {
    const { file, offset, wanted } = table;
    const rows: { index: number; row: Row }[] = [];
    const held: Cells[] = [];
    let header: Cells | undefined;
    let count = 0;
    const take = (cells: Cells, index: number): void => {
      if (wanted.has(index)) rows.push({ index, row: this.#toRow(cells, header ?? [], index, file) });
    };
    const settle = (): void => {
      if (this.#types.length === 0 && header !== undefined) this.#settleTypes(header, held);
      held.splice(0).forEach((cells, at) => take(cells, offset + at));
    };
    for await (const cells of rowsOf(table, this.#bytes)) {
      if (header === undefined) {
        header = this.#header(cells, file);
        continue;
      }
      if (cells.length > header.length) throw tooManyCells(file, count + 1, cells, header);
      count += 1;
      if (this.#types.length === 0) {
        held.push(cells);
        if (count === typedRows) settle();
      } else {
        take(cells, offset + count - 1);
      }
      if (held.length === 0 && offset + count > wanted.last) return { rows, count: undefined };
    }
    settle();
    if (header === undefined) throw dataSetErrors.broken(file, 'it is empty, but must begin with a header');
    return { rows, count };
  }

  #header(cells: Cells, file: string): Cells {
    const seen = new Map<string, number>();
    const names = cells.map((cell, at) => {
      const name = cell === '' ? `Unnamed: ${at}` : cell;
      const before = seen.get(name) ?? 0;
      seen.set(name, before + 1);
      return before === 0 ? name : `${name}.${before}`;
    });
    if (this.columns.length === 0) this.columns = names;
    const isSame = names.length === this.columns.length && names.every((name) => this.columns.includes(name));
    if (!isSame) throw dataSetErrors.otherColumns(file, names);
    return names;
  }

  #settleTypes(header: Cells, rows: readonly Cells[]): void {
    const types = header.map((_, at) => columnType(rows.map((cells) => cells[at] ?? '')));
    this.#types = this.columns.map((name) => types[header.indexOf(name)] ?? columnType([]));
  }

  #toRow(cells: Cells, header: Cells, index: number, file: string): Row {
    return Object.fromEntries(
      this.columns.map((name, at) => {
        const type = this.#types[at] ?? columnType([]);
        const value = type.read(cells[header.indexOf(name)] ?? '');
        if (value === undefined) throw dataSetErrors.otherType(file, index, name, type.name);
        return [name, value];
      }),
    );
  }
}

async function* rowsOf({ file, separator }: TableFile, bytes: PartReader): AsyncGenerator<Cells> {
  let text = '';
  let isStart = true;
  for await (const piece of bytes.pieces(file)) {
    text += isStart ? piece.replace(/^\uFEFF/, '') : piece;
    isStart = false;
    const { rows, end } = parse(text, separator, false);
    text = text.slice(end);
    yield* rows;
    if (text.length > rowLimit) {
      throw dataSetErrors.broken(file, 'a row does not end. A closing quote may be missing');
    }
  }
  yield* parse(text, separator, true).rows;
}

/** Whole rows; `end` is where what is left begins. */
function parse(text: string, delimiter: string, isLast: boolean): { rows: readonly Cells[]; end: number } {
  const parser = new Papa.Parser({ delimiter, newline: '\n' });
  const result = parser.parse(text, 0, !isLast) as Papa.ParseResult<string[]>;
  const rows = result.data.map(withoutReturn).filter((cells) => cells.length > 1 || cells[0]?.trim() !== '');
  return { rows, end: result.meta.cursor };
}

/** Removes the carriage return of a Windows line ending. */
function withoutReturn(cells: string[]): Cells {
  const last = cells.at(-1);
  return last?.endsWith('\r') === true ? [...cells.slice(0, -1), last.slice(0, -1)] : cells;
}

function tooManyCells(file: string, row: number, cells: Cells, header: Cells): CodedError {
  return dataSetErrors.broken(
    file,
    `row ${row} has ${cells.length} cells, but the header has ${header.length}`,
  );
}

const notAvailable = new Set([
  '',
  '#N/A',
  '#N/A N/A',
  '#NA',
  '-1.#IND',
  '-1.#QNAN',
  '-NaN',
  '-nan',
  '1.#IND',
  '1.#QNAN',
  '<NA>',
  'N/A',
  'NA',
  'NULL',
  'NaN',
  'None',
  'n/a',
  'nan',
  'null',
]);

const truths: Readonly<Record<string, boolean>> = {
  True: true,
  TRUE: true,
  true: true,
  False: false,
  FALSE: false,
  false: false,
};

/** Reads a cell as a JSON value; undefined: it is not of the column's type. */
type ReadCell = (cell: string) => unknown;

interface ColumnType {
  /** For messages, e.g. `a number`. */
  readonly name: string;
  readonly read: ReadCell;
}

const whole = /^[ \t]*[+-]?\d+[ \t]*$/;
const decimal = /^[ \t]*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[ \t]*$/;
const infinite = /^[ \t]*([+-]?)inf(?:inity)?[ \t]*$/i;

const wholeNumbers: ColumnType = {
  name: 'a whole number',
  read: (cell) => (whole.test(cell) ? exact(BigInt(unsigned(cell))) : undefined),
};
const numbers: ColumnType = { name: 'a number', read: readNumber };
const booleans: ColumnType = {
  name: 'true or false',
  read: (cell) => (Object.hasOwn(truths, cell) ? truths[cell] : undefined),
};
const texts: ColumnType = { name: 'a text', read: (cell) => cell };

/** The first type that fits all cells but "NA" and so on. As in pandas, a missing cell makes whole numbers floats. */
function columnType(cells: readonly string[]): ColumnType {
  const present = cells.filter((cell) => !notAvailable.has(cell));
  const isComplete = present.length === cells.length;
  const fits = ({ read }: ColumnType): boolean => present.every((cell) => read(cell) !== undefined);
  if (present.length > 0 && fits(wholeNumbers)) return integerType(present, isComplete);
  return nullable([numbers, booleans].find(fits) ?? texts);
}

/** Returns the type of a column of integers. pandas keeps integers beyond 64 bits, signed or not, as strings. */
function integerType(cells: readonly string[], isComplete: boolean): ColumnType {
  const values = cells.map((cell) => BigInt(unsigned(cell)));
  const lie = (from: bigint, to: bigint): boolean => values.every((value) => value >= from && value < to);
  if (lie(-(2n ** 63n), 2n ** 63n)) return nullable(isComplete ? wholeNumbers : numbers);
  if (!lie(-(2n ** 63n), 2n ** 64n)) return nullable(texts);
  // With a sign or a gap among them, even "NA" is a text.
  return isComplete && lie(0n, 2n ** 64n) ? nullable(wholeNumbers) : texts;
}

function nullable({ name, read }: ColumnType): ColumnType {
  return { name, read: (cell) => (notAvailable.has(cell) ? null : read(cell)) };
}

function unsigned(cell: string): string {
  return cell.trim().replace(/^\+/, '');
}

/** A text where a number would not hold all digits. */
function exact(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

/** Reads a number as pandas does: at most 17 digits, scaled by one power of ten, so it may miss the nearest number. */
function readNumber(cell: string): number | string | undefined {
  const sign = infinite.exec(cell)?.[1];
  if (sign !== undefined) return sign === '-' ? '-Infinity' : 'Infinity';
  if (!decimal.test(cell)) return undefined;
  const parts = /([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?/.exec(cell.trim());
  const [, minus = '', before = '', after = '', power = '0'] = parts ?? [];
  const digits = `${before}${after}`;
  const used = digits.slice(0, 17);
  const decimals = Math.max(0, used.length - before.length);
  const skipped = Math.max(0, before.length - 17);
  let value = 0;
  for (const digit of used) value = value * 10 + Number(digit);
  const scaled = scale(value, skipped - decimals + Number(power));
  return minus === '-' ? -scaled : scaled;
}

function scale(value: number, exponent: number): number {
  if (exponent > 308) return value === 0 ? 0 : Infinity;
  if (exponent >= 0) return value * Number(`1e${exponent}`);
  if (exponent >= -308) return value / Number(`1e${-exponent}`);
  return value / Number(`1e${Math.min(308, -308 - exponent)}`) / 1e308;
}
