import { describeKey } from './describe.ts';
import { ajetKeys, type KeyNode, type KeyTable } from './keyTable.ts';
import type { ConfigDocument } from './parse.ts';
import { visitAll, type Visit } from './rules/visit.ts';
import type { Span, TextRange } from './text.ts';

export interface Hover {
  readonly range: TextRange;
  readonly markdown: string;
}

/** What is known about the key, or the key of the value, at an offset. */
export function hover(
  document: ConfigDocument,
  offset: number,
  table: KeyTable = ajetKeys(),
): Hover | undefined {
  for (const visit of visitAll(document, table)) {
    const span = spanAt(visit, offset);
    const key = keyOf(visit);
    if (span !== undefined && key?.info !== undefined) {
      return { range: document.lines.range(span), markdown: describeKey(key) };
    }
  }
  return undefined;
}

function spanAt({ node, written }: Visit, offset: number): Span | undefined {
  const own = node.kind === 'scalar' ? [node.span] : [];
  const spans = written === undefined ? own : [written.entry.keySpan, ...own];
  return spans.find((span) => span.start <= offset && offset < Math.max(span.end, span.start + 1));
}

/** An item of a list is explained by the list. */
function keyOf({ key, path, table }: Visit): KeyNode | undefined {
  return key ?? table.find(path.slice(0, -1));
}
