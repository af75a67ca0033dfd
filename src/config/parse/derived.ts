import type { Node } from '../node.ts';

/** What a node was or is: the same for one that has only moved. */
const identities = new WeakMap<Node, object>();

/**
 * Something that follows from what a node is and holds, wherever it stands: worked out once, and kept while edits
 * elsewhere leave the node alone or only move it.
 */
export class Derived<T extends object> {
  readonly #known = new WeakMap<object, T>();

  of(node: Node): T | undefined {
    const identity = identities.get(node);
    return identity && this.#known.get(identity);
  }

  keep(node: Node, what: T): void {
    const identity = identities.get(node) ?? {};
    identities.set(node, identity);
    this.#known.set(identity, what);
  }
}

/** Says that `to` is `from` at another place. */
export function keepDerived(from: Node, to: Node): void {
  const identity = identities.get(from);
  if (identity !== undefined) identities.set(to, identity);
}
