import type { Finding } from '../finding.ts';
import type { KeyNode, KeyTable, ValueInfo } from '../keyTable.ts';
import type { Entry, MappingNode, Node, NodePath } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';

/** One value of a document that the key table knows, or one item of such a list. */
export interface Visit {
  readonly document: ConfigDocument;
  readonly table: KeyTable;
  readonly path: NodePath;
  readonly node: Node;
  /** Undefined for items of lists that are no sections. */
  readonly key: KeyNode | undefined;
  readonly value: ValueInfo | undefined;
  /** What the value was written under; undefined for the document and for items of lists. */
  readonly written: { readonly entry: Entry; readonly parent: MappingNode } | undefined;
}

/** Looks at one value; the values inside it are visited on their own. */
export type Rule = (visit: Visit) => readonly Finding[];

/** Every known value of a document, from the top; what the table does not list is not entered. */
export function* visitAll(document: ConfigDocument, table: KeyTable): Generator<Visit> {
  if (document.root === undefined) return;
  const root = { path: [], node: document.root, key: table.root, value: undefined, written: undefined };
  yield* visitFrom({ document, table, ...root });
}

function* visitFrom(visit: Visit): Generator<Visit> {
  yield visit;
  const { node, key, path } = visit;
  if (node.kind === 'mapping') {
    for (const entry of node.entries) {
      const child = key?.children.get(entry.key);
      if (child === undefined) continue;
      const written = { entry, parent: node };
      const below = { path: [...path, entry.key], node: entry.value, key: child, value: child.info, written };
      yield* visitFrom({ ...visit, ...below });
    }
  } else if (node.kind === 'sequence' && key?.item !== undefined) {
    const { key: itemKey, value } = key.item;
    for (const [index, item] of node.items.entries()) {
      yield* visitFrom({
        ...visit,
        path: [...path, index],
        node: item,
        key: itemKey,
        value,
        written: undefined,
      });
    }
  }
}

/** What a message calls the value. */
export function nameOf({ path }: Pick<Visit, 'path'>): string {
  const name = path.findLast((part) => typeof part === 'string') ?? 'the document';
  return typeof path.at(-1) === 'number' ? `an item of \`${name}\`` : `\`${name}\``;
}
