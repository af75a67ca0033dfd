import type { ConfigDocument } from '../parse.ts';
import type { MappingValue, Value } from '../value.ts';

/** Orders the keys of the text first, in its order, before inherited keys. */
export function ownFirst(root: MappingValue, { root: written }: Pick<ConfigDocument, 'root'>): MappingValue {
  const own = written?.kind === 'mapping' ? written.entries.map(({ key }) => key) : [];
  const names = new Set([...own, ...root.entries.keys()]);
  const entries = [...names].flatMap((key) => {
    const value = root.entries.get(key);
    return value === undefined ? [] : [[key, value] as const];
  });
  return { ...root, entries: new Map(entries) };
}

/** Two texts with the same values in them are the same text, whatever the order of their keys. */
export function sorted<T extends Value>(value: T): T {
  if (value.kind === 'sequence') return { ...value, items: value.items.map(sorted) };
  if (value.kind !== 'mapping') return value;
  const entries = [...value.entries]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, child]) => [key, sorted(child)] as const);
  return { ...value, entries: new Map(entries) };
}
