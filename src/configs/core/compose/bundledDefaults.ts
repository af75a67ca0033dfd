import trinityDefault from '../data/trinity-default.json' with { type: 'json' };
import { dialects, type Dialect } from '../dialect.ts';
import type { KeyNode, KeyTable } from '../key-tables/keyTable.ts';
import { mergeMappings, scalarOf, type MappingValue, type Value } from '../value.ts';

/** Entries of a `defaults` list that upstream ships. */
export const bundledNames: ReadonlySet<string> = new Set(dialects.flatMap((dialect) => dialect.bundled));

/** The content of each of those files: sections of the key table, or AgentJet's own values. */
const contents: Readonly<Record<string, (table: KeyTable) => MappingValue>> = {
  ajet_default: (table) => launcherDefaults(table, 'ajet'),
  astune_default: (table) => launcherDefaults(table, 'astuner'),
  verl_default: (table) =>
    mapping(
      '',
      [...table.root.children.values()]
        .filter(({ unlisted }) => unlisted === 'passed-on')
        .flatMap((key) => entryOf(key)),
    ),
  trinity_default: (table) => fixedTrinityDefaults(table),
};

/**
 * Returns the substitute for upstream's defaults file if its folder is missing; empty for other names. It has every
 * default of the key table, without keys that are newer than the file, keys of examples, and paths of one machine.
 * Upstream sets some of these defaults in code; the effect is the same.
 */
export function bundledDefault(name: string, table: KeyTable): MappingValue {
  return kept(table, name, () => contents[name]?.(table) ?? mapping('', []));
}

/**
 * Returns the default base of a config that does not name one. This is the last bundled file of the dialect, or the
 * defaults of the classes into which the program reads its config.
 */
export function bundledDefaults(dialect: Dialect): MappingValue {
  const name = dialect.bundled.at(-1);
  const table = dialect.keys();
  if (name !== undefined) return bundledDefault(name, table);
  return kept(table, '', () => mapping('', childEntries(table.root, isCurrent)));
}

/** Returns the defaults of the keys below a section, even if the section is missing or an item of a list. */
export function defaultsBelow(table: KeyTable, path: string): MappingValue {
  const key = table.get(path);
  return mapping(path, key === undefined ? [] : childEntries(key, isCurrent));
}

/** Values are never changed, so each is made once: a config is composed at every change of its text. */
const made = new WeakMap<KeyTable, Map<string, MappingValue>>();

function kept(table: KeyTable, name: string, make: () => MappingValue): MappingValue {
  const ofTable = made.get(table) ?? new Map<string, MappingValue>();
  made.set(table, ofTable);
  const value = ofTable.get(name) ?? make();
  // Names come from texts: only those that are known are worth keeping.
  if (name === '' || Object.hasOwn(contents, name)) ofTable.set(name, value);
  return value;
}

function launcherDefaults(table: KeyTable, section: string): MappingValue {
  const key = table.get(section);
  return mapping('', key === undefined ? [] : [[section, mapping(key.path, childEntries(key, isDefault))]]);
}

function isDefault({ info }: KeyNode): boolean {
  return info?.hasCurrentDefault !== false;
}

function isCurrent({ info }: KeyNode): boolean {
  return info?.removed === undefined && info?.absent === undefined;
}

function fixedTrinityDefaults(table: KeyTable): MappingValue {
  const parts = Object.entries(trinityDefault.values).map(([path, json]) => {
    const steps = path.split('.');
    return steps.reduceRight<Value>(
      (below, step, index) => mapping(steps.slice(0, index).join('.'), [[step, below]]),
      fromJson(json, path, isFloat(path, table)),
    );
  });
  return parts
    .filter((part) => part.kind === 'mapping')
    .reduce((earlier, part) => ({ ...mergeMappings(earlier, part), origin: earlier.origin }));
}

function mapping(key: string, entries: Iterable<readonly [string, Value]>): MappingValue {
  return { kind: 'mapping', origin: { kind: 'bundled', key }, entries: new Map(entries) };
}

/** JSON has one kind of number, so the key table decides; for unknown keys the name does. */
function isFloat(path: string, table: KeyTable): boolean {
  return trinityDefault.floats.includes(path) || table.get(path)?.info?.types.includes('number') === true;
}

type Wanted = (key: KeyNode) => boolean;

function childEntries(key: KeyNode, wanted: Wanted = () => true): [string, Value][] {
  return [...key.children.values()].flatMap((child) => entryOf(child, wanted));
}

function entryOf(key: KeyNode, wanted: Wanted = () => true): [string, Value][] {
  if (key.info?.ofExample === true || !wanted(key)) return [];
  const value = valueOf(key, wanted);
  return value === undefined ? [] : [[key.name, value]];
}

function valueOf(key: KeyNode, wanted: Wanted): Value | undefined {
  if (key.info?.hasDefault === true) {
    return fromJson(key.info.default, key.path, key.info.types.includes('number'));
  }
  if (key.children.size === 0) return undefined;
  const entries = childEntries(key, wanted);
  return entries.length > 0 ? mapping(key.path, entries) : undefined;
}

/** `float`: numbers are meant as floats. */
function fromJson(json: unknown, key: string, float: boolean): Value {
  const origin = { kind: 'bundled', key } as const;
  if (Array.isArray(json)) {
    return { kind: 'sequence', origin, items: json.map((item) => fromJson(item, key, float)) };
  }
  if (typeof json === 'object' && json !== null) {
    return mapping(
      key,
      Object.entries(json).map(([name, child]) => [name, fromJson(child, `${key}.${name}`, float)]),
    );
  }
  return { kind: 'scalar', origin, ...scalarOf(json, float) };
}
