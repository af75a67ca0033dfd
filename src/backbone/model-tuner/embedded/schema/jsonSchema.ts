/** A JSON schema as a request holds it: untrusted, so every keyword is looked at before it is used. */
export type Schema = boolean | Readonly<Record<string, unknown>>;

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type JsonType = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object';

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'boolean' || isRecord(value) ? value : undefined;
}

export function schemaList(value: unknown): Schema[] {
  return Array.isArray(value) ? value.map(asSchema).filter((item) => item !== undefined) : [];
}

export function schemaMap(value: unknown): Readonly<Record<string, Schema>> {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const schema = asSchema(item);
    return schema === undefined ? [] : [[key, schema] as const];
  });
  return Object.fromEntries(entries);
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

export function stringList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The types a schema allows; undefined: it does not say. */
export function typesOf(schema: Readonly<Record<string, unknown>>): JsonType[] | undefined {
  const { type } = schema as { type?: unknown };
  if (typeof type === 'string') return [type as JsonType];
  const listed = stringList(type) as JsonType[];
  return listed.length > 0 ? listed : undefined;
}

/** What a local reference (`#`, `#/$defs/name`, `#name` of an `$anchor`) points to; undefined when it leads nowhere. */
export function resolveReference(reference: string, root: Schema): Schema | undefined {
  if (reference === '#' || (isRecord(root) && reference === root['$id'])) return root;
  if (!reference.startsWith('#/')) return undefined;
  let target: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decodePointer(part);
    if (Array.isArray(target)) target = target[Number(key)];
    else if (isRecord(target) && Object.hasOwn(target, key)) target = target[key];
    else return undefined;
  }
  return asSchema(target);
}

function decodePointer(part: string): string {
  const unescaped = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(unescaped);
  } catch {
    return unescaped; // a percent sign that encodes nothing stands for itself
  }
}

/** A regular expression as JSON schema means it: unanchored, Unicode; undefined when it is not valid. */
export function compilePattern(pattern: unknown): RegExp | undefined {
  if (typeof pattern !== 'string') return undefined;
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined; // an invalid pattern constrains nothing that could be met
  }
}

export function equalJson(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => equalJson(item, b[index]));
  }
  if (isRecord(a)) {
    const keys = Object.keys(a);
    return (
      isRecord(b) &&
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]))
    );
  }
  return a === b;
}
