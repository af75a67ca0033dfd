import type { KeyNode, KeyTable } from './keyTable.ts';
import { scalarOf, type MappingValue, type Value } from './value.ts';

/** Entries of a `defaults` list that upstream ships; backbones' own are empty here, where no backbone reads them. */
export const bundledNames: ReadonlySet<string> = new Set(['verl_default', 'trinity_default', 'ajet_default']);

/**
 * What stands in for upstream's own defaults file where its folder is missing: every default the key table knows for
 * `ajet`, its examples' keys left out. Some of these upstream has in code rather than in that file; the effect is one.
 */
export function bundledDefault(name: string, table: KeyTable): MappingValue {
  const ajet = name === 'ajet_default' ? table.get('ajet') : undefined;
  const value = ajet && sectionOf(ajet);
  return {
    kind: 'mapping',
    origin: { kind: 'bundled', key: '' },
    entries: value ? new Map([['ajet', value]]) : new Map(),
  };
}

function sectionOf(key: KeyNode): MappingValue {
  const entries = new Map<string, Value>();
  for (const child of key.children.values()) {
    const value = valueOf(child);
    if (value !== undefined) entries.set(child.name, value);
  }
  return { kind: 'mapping', origin: { kind: 'bundled', key: key.path }, entries };
}

function valueOf(key: KeyNode): Value | undefined {
  if (key.info?.ofExample === true) return undefined;
  if (key.info?.hasDefault === true) return fromJson(key.info.default, key);
  if (key.children.size === 0) return undefined;
  const section = sectionOf(key);
  return section.entries.size > 0 ? section : undefined;
}

function fromJson(json: unknown, key: KeyNode): Value {
  const origin = { kind: 'bundled', key: key.path } as const;
  if (Array.isArray(json)) {
    return { kind: 'sequence', origin, items: json.map((item) => fromJson(item, key)) };
  }
  const float = key.info?.types.includes('number') === true;
  return { kind: 'scalar', origin, ...scalarOf(json, float) };
}
