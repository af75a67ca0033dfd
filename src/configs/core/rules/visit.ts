import type { Finding } from '../finding.ts';
import { childOf, type KeyNode, type KeyTable, type ValueInfo } from '../key-tables/keyTable.ts';
import type { Entry, MappingNode, Node, NodePath } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';

/** The part that all visits of one document share. */
interface VisitScope {
  readonly document: ConfigDocument;
  readonly table: KeyTable;
}

/** The entry of a value, and the mapping it is in. */
interface WrittenEntry {
  readonly entry: Entry;
  readonly parent: MappingNode;
}

/** One value of a document that the key table lists, or one item of such a list. */
export class Visit {
  readonly #all: VisitScope;
  readonly #above: Visit | undefined;
  /** Key or index in the parent; empty for the document itself. */
  readonly step: string | number;
  readonly node: Node;
  /** Undefined for list items that are not sections. */
  readonly key: KeyNode | undefined;
  readonly #item: ValueInfo | undefined;
  /** Undefined for the document and for items of lists. */
  readonly written: WrittenEntry | undefined;

  constructor(
    all: VisitScope,
    above: Visit | undefined,
    place: Pick<Visit, 'step' | 'node' | 'key' | 'written'>,
    item?: ValueInfo,
  ) {
    this.#all = all;
    this.#above = above;
    this.step = place.step;
    this.node = place.node;
    this.key = place.key;
    this.written = place.written;
    this.#item = item;
  }

  get document(): ConfigDocument {
    return this.#all.document;
  }

  get table(): KeyTable {
    return this.#all.table;
  }

  get value(): ValueInfo | undefined {
    return this.#item ?? this.key?.info;
  }

  /** From the top of the document. */
  get path(): NodePath {
    return this.#above === undefined ? [] : [...this.#above.path, this.step];
  }

  /** Returns the values right inside this one that the key table lists. */
  inside(): Visit[] {
    const { node, key } = this;
    const visits: Visit[] = [];
    if (node.kind === 'mapping' && key !== undefined) {
      for (const entry of node.entries) {
        const child = childOf(key, entry.key);
        if (child === undefined) continue;
        const place = { step: entry.key, node: entry.value, key: child, written: { entry, parent: node } };
        visits.push(new Visit(this.#all, this, place));
      }
    } else if (node.kind === 'sequence' && key?.item !== undefined) {
      const { key: itemKey, value } = key.item;
      for (const [step, item] of node.items.entries()) {
        const place = { step, node: item, key: itemKey, written: undefined };
        visits.push(new Visit(this.#all, this, place, value));
      }
    }
    return visits;
  }

  /** The value's name in messages. */
  get name(): string {
    const named = this.path.findLast((part) => typeof part === 'string') ?? 'the document';
    return typeof this.step === 'number' ? `an item of \`${named}\`` : `\`${named}\``;
  }
}

/** Checks one value. The values inside it are visited separately. */
export type Rule = (visit: Visit) => readonly Finding[];

/** Returns every value of a document that the key table lists, in the order of the text. */
export function visitAll(document: ConfigDocument, table: KeyTable): Visit[] {
  const { root } = document;
  if (root === undefined) return [];
  const place = { step: '', node: root, key: table.root, written: undefined };
  const visits: Visit[] = [];
  addAll(new Visit({ document, table }, undefined, place), visits);
  return visits;
}

function addAll(visit: Visit, visits: Visit[]): void {
  visits.push(visit);
  for (const inside of visit.inside()) addAll(inside, visits);
}
