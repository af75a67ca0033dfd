import { isRecord } from '../../../../base/core/isRecord.ts';
import { type CodedError, messageOf } from '../../../../base/core/errors.ts';
import type { FileReader } from '../../../../base/core/ports.ts';
import { dataSetErrors } from './errors.ts';
import { nullShape, applyShape, widenShape, type JsonShape } from './jsonShape.ts';
import type { Row, TableFile, TableReader, TableRows } from './table.ts';

/** Columns that pandas takes for moments by their name. */
const momentNames = /(?:_at|_time)$|^timestamp|^(?:modified|date)$/;

/** pandas does not read numbers up to this one as timestamps: the seconds of a year. */
const leastStamp = 31_536_000;

/** Nanoseconds of the units that a number may be counted in, tried in this order. */
const units = [1_000_000_000n, 1_000_000n, 1000n, 1n];

/**
 * Returns the shape of a file that is one list of rows, which `datasets` reads through pandas. Strings and numbers become
 * timestamps only in columns whose names suggest it.
 */
function convertLikePandas(shape: JsonShape, rows: readonly Row[]): JsonShape {
  if (shape.kind !== 'record') return shape;
  const fields = [...shape.fields].map(([name, field]) => {
    if (!momentNames.test(name.toLowerCase())) return [name, withoutMoments(field)] as const;
    const numbers = rows.map((row) => row[name]).filter((value) => typeof value === 'number');
    return [name, field.kind === 'number' ? stamps(numbers) : withoutMoments(field, true)] as const;
  });
  return { kind: 'record', fields: new Map(fields) };
}

function withoutMoments(shape: JsonShape, isMoment = false): JsonShape {
  if (shape.kind === 'text') return { kind: 'text', moments: shape.moments && isMoment, zoned: true };
  if (shape.kind === 'list') return { kind: 'list', item: withoutMoments(shape.item) };
  if (shape.kind !== 'record') return shape;
  const names = [...shape.fields.keys()].sort();
  return {
    kind: 'record',
    fields: new Map(names.map((name) => [name, withoutMoments(shape.fields.get(name) ?? { kind: 'null' })])),
  };
}

function stamps(numbers: readonly number[]): JsonShape {
  const isStamp = numbers.every((value) => Number.isSafeInteger(value) && value > leastStamp);
  const unit = units.find((one) => numbers.every((value) => BigInt(Math.trunc(value)) * one < 2n ** 63n));
  return isStamp && unit !== undefined ? { kind: 'number', moments: unit } : { kind: 'number' };
}

/** Bytes of rows that settle the columns and their types; `datasets` reads as many at a time. */
const typedBytes = 10 * 2 ** 20;

/** Reads JSON Lines, and JSON files that are one list of rows, as `datasets` does through pyarrow. */
export class JsonTable implements TableReader {
  readonly warnings: CodedError[] = [];
  #shape: JsonShape = nullShape;
  #settled = false;
  #isList = false;
  readonly #files: Pick<FileReader, 'lines'>;

  constructor(files: Pick<FileReader, 'lines'>) {
    this.#files = files;
  }

  get columns(): readonly string[] {
    return this.#shape.kind === 'record' ? [...this.#shape.fields.keys()] : [];
  }

  async read({ file, offset, wanted }: TableFile): Promise<TableRows> {
    const rows: { index: number; row: Row }[] = [];
    const held: Row[] = [];
    let bytes = 0;
    let count = 0;
    const take = (row: Row, index: number): void => {
      if (wanted.has(index)) rows.push({ index, row: this.#toRow(row, index, file) });
    };
    const settle = (): void => {
      if (!this.#settled && this.#isList) this.#shape = convertLikePandas(this.#shape, held);
      this.#settled = true;
      held.splice(0).forEach((row, at) => take(row, offset + at));
    };
    for await (const { row, length } of this.#rows(file)) {
      count += 1;
      if (this.#settled) {
        take(row, offset + count - 1);
      } else {
        this.#widen(row, file, count);
        held.push(row);
        bytes += length;
        if (bytes >= typedBytes) settle();
      }
      if (this.#settled && offset + count > wanted.last) return { rows, count: undefined };
    }
    settle();
    return { rows, count };
  }

  #widen(row: Row, file: string, count: number): void {
    try {
      this.#shape = widenShape(this.#shape, row);
    } catch (error) {
      throw dataSetErrors.broken(file, `${messageOf(error)} (row ${count})`, undefined, error);
    }
  }

  #toRow(row: Row, index: number, file: string): Row {
    let shape: JsonShape;
    try {
      shape = widenShape(this.#shape, row);
    } catch (error) {
      throw dataSetErrors.broken(file, `${messageOf(error)} (row ${index})`, undefined, error);
    }
    const columns = shape.kind === 'record' ? [...shape.fields.keys()] : [];
    if (columns.length !== this.columns.length) throw dataSetErrors.otherColumns(file, columns);
    return applyShape(row, this.#shape) as Row;
  }

  async *#rows(file: string): AsyncGenerator<{ row: Row; length: number }> {
    let line = 0;
    let list: string[] | undefined;
    for await (const text of linesOf(file, this.#files)) {
      line += 1;
      const json = line === 1 ? text.replace(/^\uFEFF/, '') : text;
      if (list === undefined && json.trim() === '') continue;
      if (list === undefined && line === 1 && json.trimStart().startsWith('[')) list = [];
      if (list !== undefined) list.push(json);
      else
        yield {
          row: toRecord(parsed(json, file, line), file, line),
          length: new TextEncoder().encode(json).length + 1,
        };
    }
    if (list === undefined) return;
    const rows = parsed(list.join('\n'), file, 1);
    this.#isList = true;
    if (!Array.isArray(rows)) throw dataSetErrors.broken(file, 'it is not a list of rows');
    for (const row of rows) yield { row: toRecord(row, file, 1), length: 0 };
  }
}

async function* linesOf(file: string, files: Pick<FileReader, 'lines'>): AsyncGenerator<string> {
  try {
    yield* files.lines(file);
  } catch (error) {
    throw dataSetErrors.broken(file, messageOf(error), undefined, error);
  }
}

function parsed(text: string, file: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw dataSetErrors.broken(file, messageOf(error), line, error);
  }
}

function toRecord(value: unknown, file: string, line: number): Row {
  if (isRecord(value)) return value;
  throw dataSetErrors.broken(file, 'a row is not a JSON object', line);
}
