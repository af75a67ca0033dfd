import { isoMoment } from './pythonText.ts';

/** The type that pyarrow infers for the JSON values of one place: every row gets every field, absent ones as null. */
export type JsonShape =
  | { readonly kind: 'null' | 'boolean' }
  /** `moments`: nanoseconds of one, in moments since 1970. */
  | { readonly kind: 'number'; readonly moments?: bigint }
  /** `moments`: all texts so far are dates, which become moments; `zoned`: they keep their time zone. */
  | { readonly kind: 'text'; readonly moments: boolean; readonly zoned?: boolean }
  | { readonly kind: 'list'; readonly item: JsonShape }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, JsonShape> };

export const nullShape: JsonShape = { kind: 'null' };

/** Thrown for a field with values of two types. */
export class ShapeClash extends Error {
  override readonly name = 'ShapeClash';
  constructor(path: string, first: string, second: string) {
    super(`"${path}" is a ${first} in one row and a ${second} in another, which training rejects`);
  }
}

/** Extends a shape so that it includes `value`. Throws a {@link ShapeClash}. */
export function widenShape(shape: JsonShape, value: unknown, path = ''): JsonShape {
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

/** Converts a value to the shape. */
export function applyShape(value: unknown, shape: JsonShape): unknown {
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
