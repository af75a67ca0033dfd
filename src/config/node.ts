import type { ScalarType, ScalarValue } from './scalar.ts';
import type { Span } from './text.ts';

/** What a YAML text means to the loader upstream uses, with the place of every key and value. */
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

export function entryOf(node: Node | undefined, key: string): Entry | undefined {
  if (node?.kind !== 'mapping') return undefined;
  const { entries } = node;
  if (entries.length > fewEntries) return indexOf(node).get(key);
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry?.key === key) return entry;
  }
  return undefined;
}

/** So many are looked through as quickly as they are looked up. */
const fewEntries = 8;
const indices = new WeakMap<MappingNode, ReadonlyMap<string, Entry>>();

/** Nodes are never changed, and outlive edits elsewhere. */
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
