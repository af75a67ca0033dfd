import type { Finding } from '../finding.ts';
import { childOf, type KeyNode, type KeyTable, type ValueInfo } from '../key-tables/keyTable.ts';
import type { Entry, MappingNode, Node, NodePath } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';

/** One value of a document that the key table lists, or one item of such a list. */
export interface Visit {
  readonly document: ConfigDocument;
  readonly table: KeyTable;
  readonly path: NodePath;
  readonly node: Node;
  /** Undefined for list items that are not sections. */
  readonly key: KeyNode | undefined;
  readonly value: ValueInfo | undefined;
  /** The entry of the value, and the mapping it is in. Undefined for the document and for items of lists. */
  readonly written: { readonly entry: Entry; readonly parent: MappingNode } | undefined;
}

/** Checks one value. The values inside it are visited separately. */
export type Rule = (visit: Visit) => readonly Finding[];

/** Returns every value of a document that the key table lists, in the order of the text. */
export function visitAll(document: ConfigDocument, table: KeyTable): Visit[] {
  const visits: Visit[] = [];
  const add = (visit: Omit<Visit, 'document' | 'table'>): void => {
    visits.push({ document, table, ...visit });
    const { node, key, path } = visit;
    if (node.kind === 'mapping' && key !== undefined) {
      for (const entry of node.entries) {
        const child = childOf(key, entry.key);
        if (child === undefined) continue;
        const written = { entry, parent: node };
        add({ path: [...path, entry.key], node: entry.value, key: child, value: child.info, written });
      }
    } else if (node.kind === 'sequence' && key?.item !== undefined) {
      const { key: itemKey, value } = key.item;
      for (const [index, item] of node.items.entries()) {
        add({ path: [...path, index], node: item, key: itemKey, value, written: undefined });
      }
    }
  };
  const { root: node } = document;
  if (node !== undefined)
    add({ path: [], node, key: table.root, value: table.root.info, written: undefined });
  return visits;
}

/** The value's name in messages. */
export function nameOf({ path }: Visit): string {
  const named = path.findLast((part) => typeof part === 'string') ?? 'the document';
  return typeof path.at(-1) === 'number' ? `an item of \`${named}\`` : `\`${named}\``;
}
