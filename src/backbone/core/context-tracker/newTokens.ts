import type { TracedToken } from '../../../tracking/core/records/trace.ts';
import type { Tokenizer } from '../../../tracking/core/tokenizer.ts';
import type { AddedMessage } from '../../../tracking/core/tracker.ts';

/** Finds the tokens that are new to a run: the trace keeps the text of each token once. */
export class NewTokens {
  readonly #known = new Set<number>();

  of(added: readonly AddedMessage[], tokenizer: Tokenizer): TracedToken[] {
    const found: TracedToken[] = [];
    for (const { message } of added) {
      for (const id of [...message.tokenIds, ...(message.alternatives?.ids ?? [])]) {
        if (id < 0 || this.#known.has(id)) continue;
        this.#known.add(id);
        found.push({ id, bytes: tokenizer.bytesOf(id), special: tokenizer.isSpecial(id) });
      }
    }
    return found;
  }
}
