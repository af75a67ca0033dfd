import type { Entry, Node } from '../node.ts';
import type { Span } from '../text.ts';
import { keepDerived } from './derived.ts';

export function movedSpan({ start, end }: Span, by: number): Span {
  return { start: start + by, end: end + by };
}

export function movedEntry({ key, keySpan, value }: Entry, by: number): Entry {
  return { key, keySpan: movedSpan(keySpan, by), value: moved(value, by) };
}

/** A node as it stands where as many characters were put in before it. */
export function moved(node: Node, by: number): Node {
  const there = copyAt(node, movedSpan(node.span, by), by);
  if (there.kind === 'mapping' || there.kind === 'sequence') keepDerived(node, there);
  return there;
}

function copyAt(node: Node, span: Span, by: number): Node {
  switch (node.kind) {
    case 'mapping': {
      const entries = node.entries.map((entry) => movedEntry(entry, by));
      return { kind: 'mapping', span, flow: node.flow, entries };
    }
    case 'sequence':
      return { kind: 'sequence', span, items: node.items.map((item) => moved(item, by)) };
    case 'scalar':
      return { kind: 'scalar', span, type: node.type, value: node.value, style: node.style };
    case 'opaque':
      return { kind: 'opaque', span, reason: node.reason };
  }
}
