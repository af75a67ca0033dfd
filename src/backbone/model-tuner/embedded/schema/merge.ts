import {
  asSchema,
  equalJson,
  isRecord,
  numberOf,
  schemaList,
  schemaMap,
  stringList,
  typesOf,
  type JsonType,
  type Schema,
} from './jsonSchema.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** One schema that asks for what both ask for; undefined when nothing can meet both. */
export function merge(left: Keywords, right: Schema): Keywords | undefined {
  if (right === true) return left;
  if (right === false) return undefined;
  const joined: Record<string, unknown> = { ...left };
  for (const [keyword, value] of Object.entries(right)) {
    if (value === undefined) continue;
    const present = joined[keyword];
    joined[keyword] = present === undefined ? value : (mergers[keyword]?.(present, value) ?? value);
  }
  const types = commonTypes(left, right);
  if (types?.length === 0) return undefined;
  if (types !== undefined) joined['type'] = types;
  return joined;
}

type Merger = (left: unknown, right: unknown) => unknown;

const larger: Merger = (left, right) => Math.max(numberOf(left) ?? -Infinity, numberOf(right) ?? -Infinity);
const smaller: Merger = (left, right) => Math.min(numberOf(left) ?? Infinity, numberOf(right) ?? Infinity);
const both: Merger = (left, right) => [...schemaList(left), ...schemaList(right)];
const conjunction: Merger = (left, right) => ({ allOf: [asSchema(left) ?? true, asSchema(right) ?? true] });

const mergers: Readonly<Record<string, Merger>> = {
  minimum: larger,
  exclusiveMinimum: larger,
  minLength: larger,
  minItems: larger,
  minProperties: larger,
  maximum: smaller,
  exclusiveMaximum: smaller,
  maxLength: smaller,
  maxItems: smaller,
  maxProperties: smaller,
  allOf: both,
  items: conjunction,
  additionalProperties: conjunction,
  contains: conjunction,
  not: (left, right) => ({ anyOf: [asSchema(left) ?? false, asSchema(right) ?? false] }),
  required: (left, right) => [...new Set([...stringList(left), ...stringList(right)])],
  enum: (left, right) =>
    Array.isArray(left) && Array.isArray(right)
      ? left.filter((item) => right.some((other) => equalJson(item, other)))
      : right,
  properties: (left, right) => mergeMaps(left, right),
  patternProperties: (left, right) => mergeMaps(left, right),
};

function mergeMaps(left: unknown, right: unknown): Readonly<Record<string, Schema>> {
  const joined: Record<string, Schema> = { ...schemaMap(left) };
  for (const [key, schema] of Object.entries(schemaMap(right))) {
    const present = joined[key];
    joined[key] = present === undefined ? schema : { allOf: [present, schema] };
  }
  return joined;
}

function commonTypes(left: Keywords, right: Keywords): JsonType[] | undefined {
  const ours = typesOf(left);
  const theirs = isRecord(right) ? typesOf(right) : undefined;
  if (ours === undefined || theirs === undefined) return ours ?? theirs;
  const widened = ours.flatMap((type) => (type === 'number' ? (['number', 'integer'] as const) : [type]));
  const found = widened.filter(
    (type) => theirs.includes(type) || (type === 'integer' && theirs.includes('number')),
  );
  return found.includes('number') ? found.filter((type) => type !== 'integer') : found;
}
