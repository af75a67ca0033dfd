import { isRecord } from '../../../../base/core/isRecord.ts';
import { type CodedError, messageOf } from '../../../../base/core/errors.ts';
import type { FileReader } from '../../../../base/core/ports.ts';
import { dataSetErrors } from './errors.ts';
import type { Row, TableFile, TableReader, TableRows } from './table.ts';
import { isoMoment } from './pythonText.ts';

/** Columns that pandas takes for moments by their name. */
const momentNames = /(?:_at|_time)$|^timestamp|^(?:modified|date)$/;

/** pandas does not read numbers up to this one as timestamps: the seconds of a year. */
const leastStamp = 31_536_000;

/** Nanoseconds of the units that a number may be counted in, tried in this order. */
const units = [1_000_000_000n, 1_000_000n, 1000n, 1n];

/** One list of rows goes through pandas, which makes timestamps only of columns whose names suggest it. */
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
        this.#shape = widened(this.#shape, row, file, count);
        held.push(row);
        bytes += length;
        if (bytes >= typedBytes) settle();
      }
      if (this.#settled && offset + count > wanted.last) return { rows, count: undefined };
    }
    settle();
    return { rows, count };
  }

  #toRow(row: Row, index: number, file: string): Row {
    const shape = widened(this.#shape, row, file, index);
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

function widened(shape: JsonShape, row: Row, file: string, place: number): JsonShape {
  try {
    return widenShape(shape, row);
  } catch (error) {
    throw dataSetErrors.broken(file, `${messageOf(error)} (row ${place})`, undefined, error);
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

/** The type that pyarrow infers for the JSON values of one place: every row gets every field, absent ones as null. */
type JsonShape =
  | { readonly kind: 'null' | 'boolean' }
  /** `moments`: nanoseconds of one, in moments since 1970. */
  | { readonly kind: 'number'; readonly moments?: bigint }
  /** `moments`: all texts so far are dates, which become moments; `zoned`: they keep their time zone. */
  | { readonly kind: 'text'; readonly moments: boolean; readonly zoned?: boolean }
  | { readonly kind: 'list'; readonly item: JsonShape }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, JsonShape> };

const nullShape: JsonShape = { kind: 'null' };

/** Thrown for a field with values of two types. */
class ShapeClash extends Error {
  override readonly name = 'ShapeClash';
  constructor(path: string, first: string, second: string) {
    super(`"${path}" is a ${first} in one row and a ${second} in another, which training rejects`);
  }
}

/** Extends a shape so that it includes `value`. Throws a {@link ShapeClash}. */
function widenShape(shape: JsonShape, value: unknown, path = ''): JsonShape {
  if (value === null || value === undefined) return shape;
  const own = kindOf(value);
  if (shape.kind !== 'null' && shape.kind !== own) throw new ShapeClash(path, shape.kind, own);
  switch (own) {
    case 'text': {
      const moments = (shape.kind !== 'text' || shape.moments) && momentOf(value as string) !== undefined;
      return shape.kind === 'text' && shape.moments === moments ? shape : { kind: own, moments };
    }
    case 'list': {
      const before = shape.kind === 'list' ? shape.item : nullShape;
      const item = (value as unknown[]).reduce<JsonShape>(
        (one, part) => widenShape(one, part, `${path}[]`),
        before,
      );
      return shape.kind === 'list' && item === before ? shape : { kind: own, item };
    }
    case 'record':
      return widenedRecord(shape, value, path);
    default:
      return shape.kind === own ? shape : { kind: own };
  }
}

function widenedRecord(shape: JsonShape, value: object, path: string): JsonShape {
  const before = shape.kind === 'record' ? shape.fields : undefined;
  const fields = new Map(before);
  for (const [name, part] of Object.entries(value)) {
    fields.set(name, widenShape(fields.get(name) ?? nullShape, part, path === '' ? name : `${path}.${name}`));
  }
  const isSame = before?.size === fields.size && [...fields].every(([name, one]) => before.get(name) === one);
  return isSame ? shape : { kind: 'record', fields };
}

function kindOf(value: unknown): 'boolean' | 'number' | 'text' | 'list' | 'record' {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  return typeof value === 'number' ? 'number' : 'record';
}

function applyShape(value: unknown, shape: JsonShape): unknown {
  if (value === null || value === undefined) return null;
  if (shape.kind === 'text' && shape.moments) return momentOf(value as string, shape.zoned) ?? value;
  if (shape.kind === 'number' && shape.moments !== undefined) {
    return isoMoment(BigInt(Math.trunc(value as number)) * shape.moments, false);
  }
  if (shape.kind === 'list') return (value as unknown[]).map((item) => applyShape(item, shape.item));
  if (shape.kind !== 'record') return value;
  const fields = [...shape.fields].map(([name, field]) => {
    const own = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : null;
    return [name, applyShape(own, field)] as const;
  });
  return Object.fromEntries(fields);
}

const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d)(?::?(\d\d)(?::?(\d\d))?)?Z?)?$/;

/** Returns Python's `isoformat()` of a text that pyarrow reads as a timestamp. */
function momentOf(text: string, isZoned = false): string | undefined {
  const parts = iso.exec(text);
  if (parts === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map((part: string | undefined) => Number(part ?? 0));
  const milliseconds = Date.UTC(year, month - 1, day);
  const isDay = new Date(milliseconds).toISOString().startsWith(text.slice(0, 10));
  if (!isDay || hour > 23 || minute > 59 || second > 59) return undefined;
  const seconds = milliseconds / 1000 + hour * 3600 + minute * 60 + second;
  return isoMoment(BigInt(seconds) * 1_000_000_000n, isZoned && text.endsWith('Z'));
}
