import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { entriesPerRequest } from '../protocol/hostRpc.ts';
import { wireErrors } from './failures.ts';

/** The largest number of unfinished lists of one token. A further one ends the oldest. */
const mostLists = 4;

/** Expensive work of the host for one token, over all its connections. */
export class TokenUse {
  readonly #turns = new Map<string, Promise<unknown>>();
  /** By list and the number of items that were read. */
  readonly #lists = new Map<string, AsyncIterator<unknown>>();

  /** Runs work of one kind after the earlier work of this kind. */
  async inTurn<T>(kind: string, cancellation: CancellationToken, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(kind) ?? Promise.resolve()).then(() => {
      if (cancellation.isCancelled) throw wireErrors.cancelled(kind);
      return work();
    });
    this.#turns.set(
      kind,
      turn.catch(() => undefined),
    );
    return turn;
  }

  /**
   * Returns a page of a list. The next page continues from there. `total` is the number of items so far if the list
   * ends with this page, and larger if it does not.
   */
  page<T>(
    list: string,
    from: number,
    open: () => AsyncIterable<T>,
    cancellation: CancellationToken,
  ): Promise<{ readonly items: T[]; readonly total: number }> {
    return this.inTurn('list', cancellation, async () => {
      const before = this.#lists.get(`${list} ${from}`) as AsyncIterator<T> | undefined;
      this.#lists.delete(`${list} ${from}`);
      const rest = before ?? open()[Symbol.asyncIterator]();
      const items: T[] = [];
      for (let at = before === undefined ? 0 : from; items.length < entriesPerRequest; at++) {
        if (cancellation.isCancelled) {
          await rest.return?.();
          throw wireErrors.cancelled('list');
        }
        const next = await rest.next();
        if (next.done === true) return { items, total: at };
        if (at >= from) items.push(next.value);
      }
      const read = from + items.length;
      this.#lists.set(`${list} ${read}`, rest);
      const [oldest] = this.#lists;
      if (this.#lists.size > mostLists && oldest !== undefined) {
        this.#lists.delete(oldest[0]);
        await oldest[1].return?.();
      }
      return { items, total: read + 1 };
    });
  }
}
