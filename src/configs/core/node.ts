import type { ScalarType, ScalarValue } from './scalar.ts';
import type { Span } from './text.ts';

/** The meaning of a YAML text for upstream's loader, with the span of every key and value. */
export type Node = ScalarNode | MappingNode | SequenceNode | OpaqueNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  readonly span: Span;
  readonly type: ScalarType;
  readonly value: ScalarValue;
  readonly style: 'plain' | 'quoted' | 'block';
}

export interface MappingNode {
  readonly kind: 'mapping';
  readonly span: Span;
  readonly flow: boolean;
  /** In the order of the text, what `<<` brings in first; of entries with the same key the last one counts. */
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: Node;
}

export interface SequenceNode {
  readonly kind: 'sequence';
  readonly span: Span;
  readonly items: readonly Node[];
}

/** A value that cannot be known: a template's placeholder, or what a reported problem made unreadable. */
export interface OpaqueNode {
  readonly kind: 'opaque';
  readonly span: Span;
  readonly reason: 'placeholder' | 'unreadable';
}

/** Returns the entry of a mapping with this key; the last one where the key is repeated. */
export function entryOf(node: Node | undefined, key: string): Entry | undefined {
  return node?.kind === 'mapping' ? indexOf(node).get(key) : undefined;
}

const indices = new WeakMap<MappingNode, ReadonlyMap<string, Entry>>();

function indexOf(node: MappingNode): ReadonlyMap<string, Entry> {
  const known = indices.get(node);
  if (known !== undefined) return known;
  const index = new Map(node.entries.map((entry) => [entry.key, entry]));
  indices.set(node, index);
  return index;
}

/** Keys, and indices of list items. */
export type NodePath = readonly (string | number)[];

export function nodeAt(root: Node | undefined, path: NodePath): Node | undefined {
  let node = root;
  for (const step of path) {
    if (typeof step === 'number') node = node?.kind === 'sequence' ? node.items[step] : undefined;
    else node = entryOf(node, step)?.value;
  }
  return node;
}

/** `${…}`: its type is known only once it is resolved. `\${` is not one. */
export function hasInterpolation(node: Node): boolean {
  return node.kind === 'scalar' && typeof node.value === 'string' && /(?<!\\)(?:\\\\)*\$\{/.test(node.value);
}

/** A cache, because rules use the same paths at every change of a text. */
const steps = new Map<string, NodePath>();
const mostSteps = 5_000;

/** Returns the steps of a dotted path. A number is the index in a list. */
export function stepsOf(path: string): NodePath {
  const known = steps.get(path);
  if (known !== undefined) return known;
  const split = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  if (steps.size >= mostSteps) steps.clear();
  steps.set(path, split);
  return split;
}
