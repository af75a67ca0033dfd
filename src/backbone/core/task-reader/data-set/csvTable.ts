import Papa from 'papaparse';
import type { CodedError } from '../../../../base/core/errors.ts';
import type { PartReader } from '../../../../base/core/ports.ts';
import { dataSetErrors } from './errors.ts';
import { columnType, type ColumnType } from './pandasColumns.ts';
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
