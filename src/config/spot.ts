import type { Entry, Node, NodePath } from './node.ts';
import type { ConfigDocument } from './parse.ts';
import type { Span } from './text.ts';

/** What of a document is at an offset: a key, or a value that is not a section or list. */
export interface Spot {
  readonly path: NodePath;
  readonly part: 'key' | 'value';
  /** The value, also where `part` is its key. */
  readonly node: Node;
  readonly span: Span;
}

/** Goes down from the top by the spans alone, so it costs no more than the entries of the sections around the offset. */
export function spotAt({ root }: ConfigDocument, offset: number): Spot | undefined {
  const path: (string | number)[] = [];
  let node = root;
  while (node !== undefined) {
    if (node.kind === 'mapping') {
      const entry: Entry | undefined = node.entries.findLast((one) => isWithin(entrySpan(one), offset));
      if (entry === undefined) return undefined;
      path.push(entry.key);
      if (isWithin(entry.keySpan, offset)) {
        return { path, part: 'key', node: entry.value, span: entry.keySpan };
      }
      node = entry.value;
    } else if (node.kind === 'sequence') {
      const index = node.items.findIndex((item) => isWithin(item.span, offset));
      path.push(index);
      node = node.items[index];
    } else {
      return isWithin(node.span, offset) ? { path, part: 'value', node, span: node.span } : undefined;
    }
  }
  return undefined;
}

/** What an alias stands for may lie before its key: then only the key is here. */
function entrySpan({ keySpan, value }: Entry): Span {
  return { start: keySpan.start, end: Math.max(keySpan.end, value.span.end) };
}

function isWithin({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset < Math.max(end, start + 1);
}
