import type { Finding } from '../finding.ts';
import { childOf, type KeyNode, type KeyTable, type ValueInfo } from '../keyTable.ts';
import type { Entry, MappingNode, Node, NodePath } from '../node.ts';
import type { ConfigDocument } from '../parse.ts';
import { Derived } from '../parse/derived.ts';

/** What all visits of one document share. */
interface Visiting {
  readonly document: ConfigDocument;
  readonly table: KeyTable;
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
    for (const inside of this.inside()) {
      // Most values are single: entering them would cost a generator each.
      if (inside.node.kind === 'scalar') yield inside;
      else yield* inside.all();
    }
  }

  /** The known values right inside this one, without those that are left out. */
  inside(isLeftOut: (node: Node, key: KeyNode) => boolean = () => false): Visit[] {
    const { node, key } = this;
    const visits: Visit[] = [];
    if (node.kind === 'mapping' && key !== undefined) {
      for (const entry of node.entries) {
        const child = childOf(key, entry.key);
        if (child === undefined || isLeftOut(entry.value, child)) continue;
        const place = { step: entry.key, node: entry.value, key: child, written: { entry, parent: node } };
        visits.push(new Visit(this.#all, this, place));
      }
    } else if (node.kind === 'sequence' && key?.item !== undefined) {
      const { key: itemKey, value } = key.item;
      for (const [step, item] of node.items.entries()) {
        if (itemKey !== undefined && isLeftOut(item, itemKey)) continue;
        const place = { step, node: item, key: itemKey, written: undefined };
        visits.push(new Visit(this.#all, this, place, value));
      }
    }
    return visits;
  }

  /** What a message calls the value. */
  get name(): string {
    const named = this.path.findLast((part) => typeof part === 'string') ?? 'the document';
    return typeof this.step === 'number' ? `an item of \`${named}\`` : `\`${named}\``;
  }
}

/**
 * Looks at one value; the values inside it are visited on their own. What it finds may depend on the value and its key,
 * but on nothing around it: a section in which nothing is found is not looked at again.
 */
export type Rule = (visit: Visit) => readonly Finding[];

/** Every known value of a document, from the top; what the table does not list is not entered. */
export function* visitAll(document: ConfigDocument, table: KeyTable): Generator<Visit> {
  const top = topVisit(document, table);
  if (top !== undefined) yield* top.all();
}

function topVisit(document: ConfigDocument, table: KeyTable): Visit | undefined {
  const { root } = document;
  if (root === undefined) return undefined;
  const place = { step: '', node: root, key: table.root, written: undefined };
  return new Visit({ document, table }, undefined, place);
}

/**
 * Looks for something among the known values of documents, and remembers the sections and lists in which there is
 * nothing: they are not entered again until an edit changes them.
 */
export class Search<T> {
  readonly #see: (visit: Visit) => T | undefined;
  /** The key that a section or list had when there was nothing in it. */
  readonly #nothing = new Derived<KeyNode>();
  /** What there is in the version of a text that several ask about. */
  readonly #found = new WeakMap<ConfigDocument, { readonly table: KeyTable; readonly found: readonly T[] }>();

  /**
   * @param see what there is about a value itself, which may depend on its key and on what is in it; where it depends on
   * what is around it, undefined has to mean that there can never be anything
   */
  constructor(see: (visit: Visit) => T | undefined) {
    this.#see = see;
  }

  /** What there is, in the order of the text. */
  in(document: ConfigDocument, table: KeyTable): readonly T[] {
    const known = this.#found.get(document);
    if (known?.table === table) return known.found;
    const found: T[] = [];
    const top = topVisit(document, table);
    if (top !== undefined && !this.#isEmpty(top.node, table.root)) this.#enter(top, found);
    this.#found.set(document, { table, found });
    return found;
  }

  /** Of single values nothing is remembered: to look again takes no longer. */
  readonly #isEmpty = (node: Node, key: KeyNode): boolean => isWide(node) && this.#nothing.of(node) === key;

  #enter(visit: Visit, found: T[]): void {
    const { node, key } = visit;
    const before = found.length;
    const seen = this.#see(visit);
    if (seen !== undefined) found.push(seen);
    if (!isWide(node) || key === undefined) return;
    for (const inside of visit.inside(this.#isEmpty)) this.#enter(inside, found);
    if (found.length === before) this.#nothing.keep(node, key);
  }
}

function isWide({ kind }: Node): boolean {
  return kind === 'mapping' || kind === 'sequence';
}
