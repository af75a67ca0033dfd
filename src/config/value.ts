import type { Location } from '../base/errors.ts';
import type { Node } from './node.ts';
import type { ScalarType, ScalarValue } from './scalar.ts';
import type { LineMap } from './text.ts';

/** Where an effective value comes from. */
export type Origin =
  | { readonly kind: 'file'; readonly location: Location }
  /** The defaults that come with this program; `key` is a path in the key table. */
  | { readonly kind: 'bundled'; readonly key: string }
  /** What the launcher made of other keys on the way to a backbone. */
  | {
      readonly kind: 'rule';
      /** As in the launcher's conversion table: a path, or an operator expression in parentheses. */
      readonly expression: string;
      /** The keys that take part, with what they were worth and where that was written. */
      readonly inputs: readonly RuleInput[];
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
}

/** JSON-like, with integers and floats both as numbers. */
export type Plain = ScalarValue | Plain[] | { [key: string]: Plain };

export function toPlain(value: Value): Plain {
  if (value.kind === 'scalar') return value.value;
  if (value.kind === 'sequence') return value.items.map(toPlain);
  // fromEntries defines properties, so a key such as `__proto__` stays a key.
  return Object.fromEntries([...value.entries].map(([key, child]) => [key, toPlain(child)]));
}

/** A scalar of JSON; anything else counts as null. `float`: numbers are meant as floats. */
export function scalarOf(json: unknown, float: boolean): Pick<ScalarPart, 'type' | 'value'> {
  if (typeof json === 'string') return { type: 'string', value: json };
  if (typeof json === 'boolean') return { type: 'boolean', value: json };
  if (typeof json !== 'number') return { type: 'null', value: null };
  return { type: float || !Number.isInteger(json) ? 'float' : 'integer', value: json };
}

/** A document's value in one file. Opaque parts are handed to `unreadable` and count as null. */
export function fromNode(
  node: Node,
  source: { readonly file: string; readonly lines: LineMap },
  unreadable: (location: Location) => void,
): Value {
  const location = source.lines.location(source.file, node.span.start);
  const origin: Origin = { kind: 'file', location };
  switch (node.kind) {
    case 'scalar':
      return { kind: 'scalar', type: node.type, value: node.value, origin };
    case 'sequence':
      return {
        kind: 'sequence',
        origin,
        items: node.items.map((item) => fromNode(item, source, unreadable)),
      };
    case 'mapping': {
      const read = node.entries.map(({ key, value }) => [key, fromNode(value, source, unreadable)] as const);
      return { kind: 'mapping', origin, entries: new Map(read) };
    }
    case 'opaque':
      unreadable(location);
      return { kind: 'scalar', type: 'null', value: null, origin };
  }
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
