import type { JsonShape } from './jsonShape.ts';
import type { Row } from './table.ts';

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
export function convertLikePandas(shape: JsonShape, rows: readonly Row[]): JsonShape {
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
