import type { MappingValue, Origin, Value } from '../value.ts';

export type InsertResult =
  | { readonly ok: true; readonly root: MappingValue; readonly was: Value | undefined }
  /** The path of the value that is not a section. */
  | { readonly ok: false; readonly blocked: readonly string[]; readonly by: Value };

/** The tree with one value set, sections on the way made where there are none, as coming from `origin`. */
export function insertValue(
  root: MappingValue,
  path: readonly string[],
  value: Value,
  origin: Origin,
): InsertResult {
  const [step, ...rest] = path;
  if (step === undefined) return { ok: true, root, was: undefined };
  const below = root.entries.get(step);
  if (rest.length === 0) return { ok: true, root: withEntry(root, step, value), was: below };
  if (below !== undefined && below.kind !== 'mapping') return { ok: false, blocked: [step], by: below };
  const section = below ?? { kind: 'mapping', entries: new Map(), origin };
  const placed = insertValue(section, rest, value, origin);
  if (!placed.ok) return { ...placed, blocked: [step, ...placed.blocked] };
  return { ...placed, root: withEntry(root, step, placed.root) };
}

export function withEntry(section: MappingValue, key: string, value: Value): MappingValue {
  return { ...section, entries: new Map(section.entries).set(key, value) };
}
