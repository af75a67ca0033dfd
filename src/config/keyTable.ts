import * as z from 'zod/mini';
import { compileCondition, type Condition } from './condition.ts';
import rows from './data/ajet-keys.json' with { type: 'json' };
import type { NodePath } from './node.ts';

const valueTypes = ['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'] as const;
export type ValueType = (typeof valueTypes)[number];

const oneOrMore = <T extends z.core.$ZodType>(item: T) => z.union([item, z.array(item)]);
const itemRow = z.strictObject({ type: z.enum(valueTypes), enum: z.optional(z.array(z.string())) });
const keyRow = z.strictObject({
  /** Dotted; `[]` behind a name stands for any item of that list. */
  path: z.string(),
  type: oneOrMore(z.enum(valueTypes)),
  default: z.json(),
  /** Whether `default` means something: null may be a default too. */
  hasDefault: z.boolean(),
  /** The user has to set it: its default, if any, is only a placeholder. */
  required: z.optional(z.boolean()),
  description: z.string(),
  /** Where upstream reads or defines the key. */
  source: z.string(),
  verlPath: z.optional(oneOrMore(z.string())),
  trinityPath: z.optional(oneOrMore(z.string())),
  enum: z.optional(z.array(z.string())),
  /** `enum` lists the documented values; others work as well. */
  enumIsOpen: z.optional(z.boolean()),
  min: z.optional(z.number()),
  max: z.optional(z.number()),
  exclusiveMin: z.optional(z.number()),
  /** A rule across keys, in words. */
  constraint: z.optional(z.string()),
  appliesWhen: z.optional(z.string()),
  /** A section that goes to a library as a whole, with whatever else is in it. */
  passedOn: z.optional(z.boolean()),
  deprecated: z.optional(z.boolean()),
  /** Nothing upstream reads it. */
  unused: z.optional(z.boolean()),
  /** First and last release that knows the key, in upstream's words: `0.4`, `0.3.3`. */
  since: z.optional(z.string()),
  removed: z.optional(z.string()),
  /** Path of the key that took its place. */
  renamedTo: z.optional(z.string()),
  /** What to do instead, for a deprecated key. */
  insteadUse: z.optional(z.string()),
  /** Why nobody should set it: the program computes it. */
  doNotSet: z.optional(z.string()),
  /** When a value that is set is not used. */
  ignoredWhenSet: z.optional(z.string()),
  unit: z.optional(z.string()),
  /** Values of `enum` count in any letter case. */
  caseInsensitive: z.optional(z.boolean()),
  /** About single values of `enum`. */
  valueNotes: z.optional(z.record(z.string(), z.string())),
  items: z.optional(itemRow),
});
type KeyRow = z.infer<typeof keyRow>;

/** What is known about a value, whether of a key or of a list's item. */
export interface ValueInfo {
  readonly types: readonly ValueType[];
  readonly allowed?: readonly string[] | undefined;
  /** Other values than `allowed` work too. */
  readonly allowsOthers: boolean;
  readonly caseInsensitive?: boolean | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly exclusiveMin?: number | undefined;
}

export interface KeyInfo extends ValueInfo {
  readonly description: string;
  readonly default: unknown;
  readonly hasDefault: boolean;
  readonly required: boolean;
  readonly deprecated: boolean;
  readonly unused: boolean;
  readonly since?: string | undefined;
  readonly removed?: string | undefined;
  /** Path of the key that took its place. */
  readonly renamedTo?: string | undefined;
  readonly insteadUse?: string | undefined;
  readonly doNotSet?: string | undefined;
  readonly ignoredWhenSet?: string | undefined;
  readonly unit?: string | undefined;
  readonly valueNotes?: Readonly<Record<string, string>> | undefined;
  /** Belongs to one of upstream's examples; AgentJet itself does not know it. */
  readonly ofExample: boolean;
  readonly constraint?: string | undefined;
  /** As in the table, for people. */
  readonly appliesWhen?: string | undefined;
  readonly condition?: Condition | undefined;
  /** What the value becomes in the configuration of a training backbone. */
  readonly becomes: { readonly verl: readonly string[]; readonly trinity: readonly string[] };
}

/** One key with what is below it. */
export interface KeyNode {
  readonly name: string;
  /** As in the table, such as `ajet.task_reader.feedback_tracing.filters[].type`. */
  readonly path: string;
  readonly parent: KeyNode | undefined;
  /** Absent for a section that the table implies but does not list. */
  readonly info: KeyInfo | undefined;
  readonly children: ReadonlyMap<string, KeyNode>;
  /** What the items of a list are. */
  readonly item: { readonly value: ValueInfo; readonly key: KeyNode | undefined } | undefined;
  /**
   * What a key means that is not listed here. `closed`: nothing reads it. `passed-on`: the section goes to a backbone or
   * a library as a whole, which may know it. `open`: anything goes.
   */
  readonly unlisted: 'closed' | 'passed-on' | 'open';
}

export class KeyTable {
  readonly root: KeyNode;
  readonly #byPath: ReadonlyMap<string, KeyNode>;

  constructor(root: KeyNode, byPath: ReadonlyMap<string, KeyNode>) {
    this.root = root;
    this.#byPath = byPath;
  }

  /** Every key of the table and the sections it implies, in the table's order. */
  get keys(): Iterable<KeyNode> {
    return this.#byPath.values();
  }

  get(path: string): KeyNode | undefined {
    return this.#byPath.get(path);
  }

  /** The key at a path of a document, or the key whose list's item is there. */
  find(path: NodePath): KeyNode | undefined {
    let node: KeyNode | undefined = this.root;
    for (const step of path) node = typeof step === 'number' ? node?.item?.key : node?.children.get(step);
    return node;
  }
}

let table: KeyTable | undefined;

/** The keys of AgentJet's configs, read when first asked for. */
export function ajetKeys(): KeyTable {
  return (table ??= readKeyTable(rows));
}

/** Reads and checks a table of keys; throws on one that is malformed, which is ours to mend. */
export function readKeyTable(data: unknown): KeyTable {
  const checked = z.array(keyRow).parse(data);
  const byPath = new Map<string, MutableKey>();
  const root = newKey('', '', undefined);
  for (const row of checked) {
    const key = keyFor(row.path, root, byPath);
    if (key.row !== undefined) throw new Error(`The key table lists ${row.path} twice.`);
    key.row = row;
  }
  const known = new Set(byPath.keys());
  for (const key of byPath.values()) complete(key, known);
  return new KeyTable(root, byPath);
}

interface MutableKey extends KeyNode {
  row: KeyRow | undefined;
  info: KeyInfo | undefined;
  readonly children: Map<string, MutableKey>;
  item: KeyNode['item'];
  itemKey: MutableKey | undefined;
  unlisted: KeyNode['unlisted'];
}

function newKey(name: string, path: string, parent: KeyNode | undefined): MutableKey {
  const nothing = { row: undefined, info: undefined, item: undefined, itemKey: undefined };
  return { name, path, parent, children: new Map(), unlisted: 'open', ...nothing };
}

/** The key at a path of the table, made together with those above it where they are not there yet. */
function keyFor(path: string, root: MutableKey, byPath: Map<string, MutableKey>): MutableKey {
  let node = root;
  for (const segment of path.split('.')) {
    const name = segment.replace(/\[\]$/, '');
    const keyPath = node.path === '' ? name : `${node.path}.${name}`;
    const key = node.children.get(name) ?? newKey(name, keyPath, node);
    node.children.set(name, key);
    byPath.set(keyPath, key);
    node = key;
    if (segment === name) continue;
    node.itemKey ??= newKey('', `${keyPath}[]`, node);
    byPath.set(node.itemKey.path, node.itemKey);
    node = node.itemKey;
  }
  return node;
}

function complete(key: MutableKey, known: ReadonlySet<string>): void {
  const { row } = key;
  key.unlisted = unlistedIn(key);
  if (row === undefined) return;
  key.info = infoOf(row, known);
  if (row.items !== undefined || key.itemKey !== undefined) {
    const types = [row.items?.type ?? 'object'] as const;
    const value = { types, allowed: row.items?.enum, allowsOthers: false };
    key.item = { value, key: key.itemKey };
  }
}

function infoOf(row: KeyRow, known: ReadonlySet<string>): KeyInfo {
  return {
    types: list(row.type),
    allowed: row.enum,
    allowsOthers: row.enumIsOpen === true,
    min: row.min,
    max: row.max,
    exclusiveMin: row.exclusiveMin,
    description: row.description,
    default: row.default,
    hasDefault: row.hasDefault,
    required: row.required === true,
    deprecated: row.deprecated === true,
    unused: row.unused === true,
    since: row.since,
    removed: row.removed,
    renamedTo: row.renamedTo,
    insteadUse: row.insteadUse,
    doNotSet: row.doNotSet,
    ignoredWhenSet: row.ignoredWhenSet,
    unit: row.unit,
    valueNotes: row.valueNotes,
    caseInsensitive: row.caseInsensitive,
    ofExample: isOfAnExample(row),
    constraint: row.constraint,
    appliesWhen: row.appliesWhen,
    condition: row.appliesWhen === undefined ? undefined : compileCondition(row.appliesWhen, row.path, known),
    becomes: { verl: list(row.verlPath), trinity: list(row.trinityPath) },
  };
}

/** Only `ajet` is AgentJet's own; beside it stand the backbones' sections and those of users' workflows. */
function unlistedIn({ path, row, children }: MutableKey): KeyNode['unlisted'] {
  if (!/^ajet(?:\.|$)/.test(path) || children.size === 0) return 'open';
  if (row === undefined) return 'closed';
  if (isOfAnExample(row)) return 'open';
  const passedOn = row.passedOn ?? (row.verlPath ?? row.trinityPath) !== undefined;
  return passedOn ? 'passed-on' : 'closed';
}

function isOfAnExample({ appliesWhen }: KeyRow): boolean {
  return appliesWhen?.endsWith(' only') === true;
}

function list<T>(value: T | T[] | undefined): T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
