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

export interface NodeBelow {
  readonly node: Node;
  readonly path: NodePath;
  /** The entry of the node; undefined for the top and for list items. */
  readonly entry: Entry | undefined;
  readonly parent: Node | undefined;
}

/** Yields a node and all nodes below it, in the order of the text. A repeated value comes once for each path. */
export function* nodesIn(
  node: Node | undefined,
  path: NodePath = [],
  entry?: Entry,
  parent?: Node,
): Generator<NodeBelow> {
  if (node === undefined) return;
  yield { node, path, entry, parent };
  if (node.kind === 'mapping') {
    for (const one of node.entries) yield* nodesIn(one.value, [...path, one.key], one, node);
  } else if (node.kind === 'sequence') {
    for (const [index, item] of node.items.entries()) yield* nodesIn(item, [...path, index], undefined, node);
  }
}

/** Returns the scalars in a node; those that aliases repeat are listed once. */
export function scalarsIn(root: Node | undefined): ReadonlySet<ScalarNode> {
  const scalars = new Set<ScalarNode>();
  for (const { node } of nodesIn(root)) if (node.kind === 'scalar') scalars.add(node);
  return scalars;
}

/** `${…}`: its type is known only once it is resolved. `\${` is not one. */
export function hasInterpolation(node: Node): boolean {
  return node.kind === 'scalar' && typeof node.value === 'string' && /(?<!\\)(?:\\\\)*\$\{/.test(node.value);
}

/** Returns the steps of a dotted path. A number is the index in a list. */
export function stepsOf(path: string): NodePath {
  return path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}
