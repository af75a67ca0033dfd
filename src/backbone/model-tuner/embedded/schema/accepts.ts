import {
  asSchema,
  compilePattern,
  equalJson,
  isRecord,
  numberOf,
  resolveReference,
  schemaList,
  schemaMap,
  stringList,
  typesOf,
  type Json,
  type JsonType,
  type Schema,
} from './jsonSchema.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** Deeper than any instance that {@link produceValue} makes; stops a schema that refers to itself in a circle. */
const deepest = 64;

/**
 * Whether a value meets a schema, for the keywords that requests use in practice (draft 2020-12 and the older forms
 * of `items` and `definitions`). `format` and unknown keywords are taken as remarks.
 */
export function accepts(schema: Schema, value: Json, root: Schema, depth = 0): boolean {
  if (typeof schema === 'boolean') return schema;
  if (depth > deepest) return false;
  return (
    acceptsType(schema, value) &&
    acceptsCombination(schema, value, root, depth + 1) &&
    (typeof value !== 'number' || acceptsNumber(schema, value)) &&
    (typeof value !== 'string' || acceptsString(schema, value)) &&
    (!Array.isArray(value) || acceptsArray(schema, value, root, depth + 1)) &&
    (!isRecord(value) || acceptsObject(schema, value, root, depth + 1))
  );
}

function acceptsType(schema: Keywords, value: Json): boolean {
  const types = typesOf(schema);
  if (types !== undefined && !types.some((type) => isOfType(type, value))) return false;
  if (Object.hasOwn(schema, 'const') && !equalJson(schema['const'], value)) return false;
  const allowed = schema['enum'];
  return !Array.isArray(allowed) || allowed.some((item) => equalJson(item, value));
}

export function isOfType(type: JsonType, value: Json): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

function acceptsCombination(schema: Keywords, value: Json, root: Schema, depth: number): boolean {
  const meets = (part: Schema): boolean => accepts(part, value, root, depth);
  const { $ref: reference, allOf, anyOf, oneOf, not, if: condition } = schema;
  if (typeof reference === 'string') {
    const target = resolveReference(reference, root);
    if (target === undefined || !meets(target)) return false;
  }
  if (Array.isArray(allOf) && !schemaList(allOf).every(meets)) return false;
  if (Array.isArray(anyOf) && !schemaList(anyOf).some(meets)) return false;
  if (Array.isArray(oneOf) && schemaList(oneOf).filter(meets).length !== 1) return false;
  const excluded = asSchema(not);
  if (excluded !== undefined && meets(excluded)) return false;
  const premise = asSchema(condition);
  if (premise === undefined) return true;
  const consequence = asSchema(meets(premise) ? schema['then'] : schema['else']);
  return consequence === undefined || meets(consequence);
}

function acceptsNumber(schema: Keywords, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const step = numberOf(multipleOf);
  return (
    value >= (numberOf(minimum) ?? -Infinity) &&
    value <= (numberOf(maximum) ?? Infinity) &&
    value > (numberOf(exclusiveMinimum) ?? -Infinity) &&
    value < (numberOf(exclusiveMaximum) ?? Infinity) &&
    (step === undefined || Number.isInteger(value / step))
  );
}

function acceptsString(schema: Keywords, value: string): boolean {
  const length = Array.from(value).length;
  const pattern = compilePattern(schema['pattern']);
  return (
    length >= (numberOf(schema['minLength']) ?? 0) &&
    length <= (numberOf(schema['maxLength']) ?? Infinity) &&
    (schema['pattern'] === undefined || pattern?.test(value) === true)
  );
}

function acceptsArray(schema: Keywords, value: readonly Json[], root: Schema, depth: number): boolean {
  const { minItems, maxItems, uniqueItems, contains } = schema;
  if (value.length < (numberOf(minItems) ?? 0) || value.length > (numberOf(maxItems) ?? Infinity))
    return false;
  if (
    uniqueItems === true &&
    value.some((item, at) => value.findIndex((other) => equalJson(item, other)) < at)
  ) {
    return false;
  }
  if (!value.every((item, index) => accepts(itemSchema(schema, index), item, root, depth))) return false;
  const wanted = asSchema(contains);
  if (wanted === undefined) return true;
  const found = value.filter((item) => accepts(wanted, item, root, depth)).length;
  return (
    found >= (numberOf(schema['minContains']) ?? 1) && found <= (numberOf(schema['maxContains']) ?? Infinity)
  );
}

/** The schema of the item at a position, in the new form (`prefixItems`) or the old (a list of `items`). */
export function itemSchema(schema: Keywords, index: number): Schema {
  const { items, prefixItems, additionalItems } = schema;
  const listed = Array.isArray(items) ? schemaList(items) : schemaList(prefixItems);
  const rest = Array.isArray(items) ? additionalItems : items;
  return listed[index] ?? asSchema(rest) ?? true;
}

function acceptsObject(schema: Keywords, value: Keywords, root: Schema, depth: number): boolean {
  const keys = Object.keys(value);
  const { minProperties, maxProperties, required } = schema;
  const names = asSchema(schema['propertyNames']);
  return (
    keys.length >= (numberOf(minProperties) ?? 0) &&
    keys.length <= (numberOf(maxProperties) ?? Infinity) &&
    stringList(required).every((key) => Object.hasOwn(value, key)) &&
    (names === undefined || keys.every((key) => accepts(names, key, root, depth))) &&
    keys.every((key) =>
      propertySchemas(schema, key).every((part) => accepts(part, value[key] as Json, root, depth)),
    )
  );
}

/** Every schema that a property must meet: its own, those whose pattern its name fits, else the one for the rest. */
export function propertySchemas(schema: Keywords, key: string): Schema[] {
  const own = schemaMap(schema['properties']);
  const found = Object.hasOwn(own, key) ? [own[key] ?? true] : [];
  for (const [pattern, part] of Object.entries(schemaMap(schema['patternProperties']))) {
    if (compilePattern(pattern)?.test(key) === true) found.push(part);
  }
  return found.length > 0 ? found : [asSchema(schema['additionalProperties']) ?? true];
}
