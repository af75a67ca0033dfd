import trinityDefault from './data/trinity-default.json' with { type: 'json' };
import { dialects, type Dialect } from './dialect.ts';
import type { KeyNode, KeyTable } from './keyTable.ts';
import { mergeMappings, scalarOf, type MappingValue, type Value } from './value.ts';

/** Entries of a `defaults` list that upstream ships. */
export const bundledNames: ReadonlySet<string> = new Set(dialects.flatMap((dialect) => dialect.bundled));

/** What each of those files has: sections of the key table, or values of AgentJet's own. */
const contents: Readonly<Record<string, (table: KeyTable) => MappingValue>> = {
  ajet_default: (table) => launcherDefaults(table, 'ajet'),
  astune_default: (table) => launcherDefaults(table, 'astuner'),
  verl_default: (table) =>
    mapping(
      '',
      [...table.root.children.values()].filter(isOfVerl).flatMap((key) => entryOf(key)),
    ),
  trinity_default: (table) => fixedTrinityDefaults(table),
};

/**
 * What stands in for upstream's own defaults file where its folder is missing: every default the key table knows, keys
 * of upstream's examples and keys newer than that file left out. Some of these upstream has in code rather than in that
 * file; the effect is one. Defaults that are paths of somebody's machine are not there. Empty for other names.
 */
export function bundledDefault(name: string, table: KeyTable): MappingValue {
  return kept(table, name, () => contents[name]?.(table) ?? mapping('', []));
}

/**
 * What a config of a dialect is laid over where it names nothing itself: the last of the dialect's bundled files, or
 * the defaults of the classes that the program reads its config into.
 */
export function bundledDefaults(dialect: Dialect): MappingValue {
  const name = dialect.bundled.at(-1);
  const table = dialect.keys();
  if (name !== undefined) return bundledDefault(name, table);
  return kept(table, '', () => mapping('', childEntries(table.root, isCurrent)));
}

/** What the keys below a section have by default, where the section itself may be missing, or one of many in a list. */
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
  return mapping('', key === undefined ? [] : [[section, mapping(key.path, childEntries(key, isOld))]]);
}

function isOld({ info }: KeyNode): boolean {
  return info?.since === undefined;
}

function isCurrent({ info }: KeyNode): boolean {
  return info?.removed === undefined;
}

/** The sections that are passed on to verl. */
function isOfVerl(key: KeyNode): boolean {
  return key.unlisted === 'passed-on';
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

/** JSON has one kind of number; what the table does not know, such as arguments of a function, is told by its name. */
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
