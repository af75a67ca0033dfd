import type { Location } from '../../base/core/errors.ts';
import type { MappingNode, Node } from './node.ts';
import { resolvePlain, type ScalarType, type ScalarValue } from './scalar.ts';
import type { LineMap } from './text.ts';

export type Origin =
  | { readonly kind: 'file'; readonly location: Location }
  /** The defaults that come with this program; `key` is a path in the key table. */
  | {
      readonly kind: 'bundled';
      readonly key: string;
      /** The launcher's file that it replaces, if it is not one of the defaults. */
      readonly file?: string;
    }
  /** A value that the launcher computed from other keys for a backbone. */
  | {
      readonly kind: 'rule';
      /** The expression in the conversion table: a path, or an operator expression in parentheses. */
      readonly expression: string;
      /** The keys that take part, with what they were worth and where that was written. */
      readonly inputs: readonly RuleInput[];
      /** The computation, such as `8 * 4 * 2 = 64`, if there was one. */
      readonly text?: string;
    };

export interface RuleInput {
  readonly path: string;
  readonly value: Value;
}

/** A value of a composed config; each part keeps its origin. */
export type Value = ScalarPart | SequenceValue | MappingValue;

export interface ScalarPart {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  readonly value: ScalarValue;
  readonly origin: Origin;
}

export interface SequenceValue {
  readonly kind: 'sequence';
  readonly items: readonly Value[];
  readonly origin: Origin;
}

export interface MappingValue {
  readonly kind: 'mapping';
  readonly entries: ReadonlyMap<string, Value>;
  readonly origin: Origin;
  /** Keys that are numbers or booleans: an interpolation, whose steps are texts, does not find them. */
  readonly otherKeys?: ReadonlySet<string>;
}

/** JSON-like, with integers and floats both as numbers. */
export type Plain = ScalarValue | Plain[] | { [key: string]: Plain };

export function toPlain(value: Value): Plain {
  if (value.kind === 'scalar') return value.value;
  if (value.kind === 'sequence') return value.items.map(toPlain);
  // fromEntries defines properties, so a key such as `__proto__` stays a key.
  return Object.fromEntries([...value.entries].map(([key, child]) => [key, toPlain(child)]));
}

export function isNull(value: Value): boolean {
  return value.kind === 'scalar' && value.value === null;
}

/** A scalar of JSON; anything else counts as null. `float`: numbers are meant as floats. */
export function scalarOf(json: unknown, float: boolean): Pick<ScalarPart, 'type' | 'value'> {
  if (typeof json === 'string') return { type: 'string', value: json };
  if (typeof json === 'boolean') return { type: 'boolean', value: json };
  if (typeof json !== 'number') return { type: 'null', value: null };
  return { type: float || !Number.isInteger(json) ? 'float' : 'integer', value: json };
}

/** The source of a document. `text` is needed if quotes around keys matter. */
export interface NodeSource {
  readonly file: string;
  readonly lines: LineMap;
  readonly text?: string;
}

/** A document's value in one file. Opaque parts are handed to `unreadable` and count as null. */
export function fromNode(node: Node, source: NodeSource, unreadable: (location: Location) => void): Value {
  return new NodeReader(source, unreadable).read(node);
}

class NodeReader {
  readonly #source: NodeSource;
  readonly #unreadable: (location: Location) => void;

  constructor(source: NodeSource, unreadable: (location: Location) => void) {
    this.#source = source;
    this.#unreadable = unreadable;
  }

  read(node: Node): Value {
    const { file, lines } = this.#source;
    const location = lines.location(file, node.span.start);
    const origin: Origin = { kind: 'file', location };
    switch (node.kind) {
      case 'scalar':
        return { kind: 'scalar', type: node.type, value: node.value, origin };
      case 'sequence':
        return { kind: 'sequence', origin, items: node.items.map((item) => this.read(item)) };
      case 'mapping':
        return this.#mapping(node, origin);
      case 'opaque':
        this.#unreadable(location);
        return { kind: 'scalar', type: 'null', value: null, origin };
    }
  }

  #mapping(node: MappingNode, origin: Origin): MappingValue {
    const { text } = this.#source;
    const entries = new Map<string, Value>();
    for (const { key, value } of node.entries) entries.set(key, this.read(value));
    const otherKeys = text === undefined ? undefined : keysThatAreNoTexts(node, text);
    return { kind: 'mapping', origin, entries, ...(otherKeys && { otherKeys }) };
  }
}

const mayBeNoText = /^(?:[-+.0-9~nNtTfFyYoO]|$)/;

function keysThatAreNoTexts({ entries }: MappingNode, text: string): ReadonlySet<string> | undefined {
  const found = entries.filter(({ key, keySpan }) => {
    if (!mayBeNoText.test(key) || resolvePlain(key).type === 'string') return false;
    return !/['"]/.test(text.charAt(keySpan.start));
  });
  return found.length === 0 ? undefined : new Set(found.map(({ key }) => key));
}

/** Returns the location of a value; undefined for bundled and computed values. */
export function locationOf({ origin }: Value): Location | undefined {
  return origin.kind === 'file' ? origin.location : undefined;
}

/** Returns true if a value is fully composed: no `${`, no `???`, and all keys are texts. */
export function isSettled(value: Value): boolean {
  if (value.kind === 'scalar') {
    return typeof value.value !== 'string' || !(value.value.includes('${') || value.value === '???');
  }
  const known = settled.get(value);
  if (known !== undefined) return known;
  const found =
    value.kind === 'sequence'
      ? value.items.every(isSettled)
      : value.otherKeys === undefined && everySettled(value.entries.values());
  settled.set(value, found);
  return found;
}

/** Values are never changed. */
const settled = new WeakMap<Value, boolean>();

function everySettled(values: Iterable<Value>): boolean {
  for (const value of values) if (!isSettled(value)) return false;
  return true;
}

/** The value at a dotted path; a number steps into a list. */
export function valueAt(root: Value, path: string): Value | undefined {
  let value: Value | undefined = root;
  for (const step of path.split('.')) {
    if (value?.kind === 'mapping') value = value.entries.get(step);
    else if (value?.kind === 'sequence') value = /^\d+$/.test(step) ? value.items[Number(step)] : undefined;
    else return undefined;
  }
  return value;
}

export function treeOf(path: string, value: Value): MappingValue {
  const [first = '', ...rest] = path.split('.');
  const { origin } = value;
  const below = rest.reduceRight<Value>(
    (inner, step) => ({ kind: 'mapping', entries: new Map([[step, inner]]), origin }),
    value,
  );
  return { kind: 'mapping', entries: new Map([[first, below]]), origin };
}

export function withoutKey(mapping: MappingValue, key: string): MappingValue {
  if (!mapping.entries.has(key)) return mapping;
  const entries = new Map(mapping.entries);
  entries.delete(key);
  return { ...mapping, entries };
}

/** The later layer wins, as in OmegaConf: mappings are joined key by key, anything else is replaced, null included. */
export function mergeMappings(earlier: MappingValue, later: MappingValue): MappingValue {
  const entries = new Map(earlier.entries);
  for (const [key, value] of later.entries) {
    const below = entries.get(key);
    const joined = below?.kind === 'mapping' && value.kind === 'mapping';
    entries.set(key, joined ? mergeMappings(below, value) : value);
  }
  return { kind: 'mapping', entries, origin: later.origin };
}
