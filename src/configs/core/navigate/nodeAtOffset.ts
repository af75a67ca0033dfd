import { entryOf, type Entry, type MappingNode, type Node, type NodePath } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import type { Span } from '../text.ts';

/** The key, or the value that is not a section, at an offset of a text. */
export interface NodeAtOffset {
  readonly part: 'key' | 'value';
  readonly path: NodePath;
  /** The span of the key or of the value. */
  readonly span: Span;
  readonly node: Node;
  /** The entry of the node; undefined for list items. */
  readonly entry: Entry | undefined;
  readonly parent: Node | undefined;
}

/** Returns whether a span contains an offset. The end counts, for a caret behind the last character. */
export function contains({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset <= end;
}

/** Returns undefined where there is neither a key nor a plain value, as between sections. */
export function nodeAtOffset(document: ConfigDocument, offset: number): NodeAtOffset | undefined {
  let node = document.root;
  let parent: Node | undefined;
  let entry: Entry | undefined;
  const path: (string | number)[] = [];
  while (node !== undefined) {
    if (node.kind === 'mapping') {
      const inside = ownEntryAt(node, offset);
      if (inside === undefined) return undefined;
      path.push(inside.key);
      if (contains(inside.keySpan, offset)) {
        return { part: 'key', path, span: inside.keySpan, node: inside.value, entry: inside, parent: node };
      }
      entry = inside;
      parent = node;
      node = inside.value;
    } else if (node.kind === 'sequence') {
      const items: readonly Node[] = node.items;
      const index = items.findIndex((item) => contains(item.span, offset));
      if (index < 0) return undefined;
      path.push(index);
      entry = undefined;
      parent = node;
      node = items[index];
    } else {
      return { part: 'value', path, span: node.span, node, entry, parent };
    }
  }
  return undefined;
}

/** Returns the entry at an offset. Values that `<<` and aliases bring in are written elsewhere. */
function ownEntryAt(mapping: MappingNode, offset: number): Entry | undefined {
  return mapping.entries.findLast(({ keySpan, value }) => {
    if (contains(keySpan, offset)) return true;
    return value.span.start >= keySpan.end && contains(value.span, offset);
  });
}

export function entryAt(document: ConfigDocument, path: NodePath): Entry | undefined {
  const name = path.at(-1);
  if (typeof name !== 'string') return undefined;
  let parent = document.root;
  for (const step of path.slice(0, -1)) parent = childAt(parent, step);
  return entryOf(parent, name);
}

export function spanOfPath(document: ConfigDocument, path: NodePath): Span | undefined {
  const entry = entryAt(document, path);
  if (entry !== undefined) return entry.keySpan;
  let node = document.root;
  for (const step of path) node = childAt(node, step);
  return path.length > 0 ? node?.span : undefined;
}

/** Accepts indices as texts, as paths of interpolations have them. */
function childAt(node: Node | undefined, step: string | number): Node | undefined {
  if (node?.kind === 'sequence') return /^\d+$/.test(String(step)) ? node.items[Number(step)] : undefined;
  return entryOf(node, String(step))?.value;
}
