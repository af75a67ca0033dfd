import type { WorkspaceFacts } from '../context.ts';
import type { Finding } from '../finding.ts';
import { childOf, type KeyNode, type KeyTable, type ValueInfo } from '../keyTable.ts';
import type { Entry, MappingNode, Node, NodePath } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';

/** What all visits of one document share. */
interface Visiting {
  readonly document: ConfigDocument;
  readonly table: KeyTable;
  readonly facts: WorkspaceFacts | undefined;
}

/** What a value was written under. */
interface Written {
  readonly entry: Entry;
  readonly parent: MappingNode;
}

/** One value of a document that the key table knows, or one item of such a list. */
export class Visit {
  readonly #all: Visiting;
  readonly #above: Visit | undefined;
  /** Key or index below what this is in; empty for the document itself. */
  readonly step: string | number;
  readonly node: Node;
  /** Undefined for items of lists that are no sections. */
  readonly key: KeyNode | undefined;
  readonly #item: ValueInfo | undefined;
  /** Undefined for the document and for items of lists. */
  readonly written: Written | undefined;

  constructor(
    all: Visiting,
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

  /** Undefined where the text alone is looked at. */
  get facts(): WorkspaceFacts | undefined {
    return this.#all.facts;
  }

  get value(): ValueInfo | undefined {
    return this.#item ?? this.key?.info;
  }

  /** From the top of the document. */
  get path(): NodePath {
    return this.#above === undefined ? [] : [...this.#above.path, this.step];
  }

  /** This, and every known value inside it, in the order of the text. */
  *all(): Generator<Visit> {
    yield this;
    const { node, key } = this;
    if (key === undefined) return;
    if (node.kind === 'mapping') {
      for (const entry of node.entries) {
        const child = childOf(key, entry.key);
        if (child === undefined) continue;
        const place = { step: entry.key, node: entry.value, key: child, written: { entry, parent: node } };
        const inside = new Visit(this.#all, this, place);
        // Most values are single: entering them would cost a generator each.
        if (entry.value.kind === 'scalar') yield inside;
        else yield* inside.all();
      }
    } else if (node.kind === 'sequence' && key.item !== undefined) {
      const { key: itemKey, value } = key.item;
      for (const [step, item] of node.items.entries()) {
        const place = { step, node: item, key: itemKey, written: undefined };
        yield* new Visit(this.#all, this, place, value).all();
      }
    }
  }

  /** What a message calls the value. */
  get name(): string {
    const named = this.path.findLast((part) => typeof part === 'string') ?? 'the document';
    return typeof this.step === 'number' ? `an item of \`${named}\`` : `\`${named}\``;
  }
}

/** Looks at one value; the values inside it are visited on their own. */
export type Rule = (visit: Visit) => readonly Finding[];

/** Every known value of a document, from the top; what the table does not list is not entered. */
export function* visitAll(
  document: ConfigDocument,
  table: KeyTable,
  facts?: WorkspaceFacts,
): Generator<Visit> {
  const { root } = document;
  if (root === undefined) return;
  const place = { step: '', node: root, key: table.root, written: undefined };
  yield* new Visit({ document, table, facts }, undefined, place).all();
}
