import type { Node } from '../node.ts';

/** What is known of a node: the same list for one that has only moved. A place for each thing that is derived. */
const known = new WeakMap<Node, unknown[]>();
let places = 0;

/**
 * Something that follows from what a node is and holds, wherever it stands: worked out once, and kept while edits
 * elsewhere leave the node alone or only move it.
 */
export class Derived<T extends object> {
  readonly #place = places++;

  of(node: Node): T | undefined {
    // Nobody else writes to this place.
    return known.get(node)?.[this.#place] as T | undefined;
  }

  keep(node: Node, what: T): void {
    const things = known.get(node);
    if (things !== undefined) {
      things[this.#place] = what;
      return;
    }
    const first: unknown[] = [];
    first[this.#place] = what;
    known.set(node, first);
  }
}

/** Says that `to` is `from` at another place. */
export function keepDerived(from: Node, to: Node): void {
  const things = known.get(from);
  if (things !== undefined) known.set(to, things);
}
