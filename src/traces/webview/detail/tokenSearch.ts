import { toReport, type ErrorReport } from '../../../base/core/errors.ts';
import type { FindView, TokenQuery } from '../../core/protocol/tokenRpc.ts';
import type { TokenRange } from './tokenRange.ts';

export const mostMatches = 10_000;

export interface Search {
  readonly wanted: TokenQuery;
  readonly matches: readonly TokenRange[];
  /** The index of the current match; -1: none yet. */
  readonly at: number;
  /** `full`: there may be more matches than are kept. */
  readonly state: 'searching' | 'done' | 'full' | 'failed';
  readonly error?: ErrorReport;
}

interface SearcherOptions {
  readonly ask: (wanted: TokenQuery, from: number) => Promise<FindView>;
  readonly onChange: (search: Search | null) => void;
  readonly onArrive: (match: TokenRange) => void;
}

/** Searches a timeline, one request after another, until its end or until enough matches are found. */
export class Searcher {
  readonly #options: SearcherOptions;
  #search: Search | null = null;
  /** The number of the current search. Results of older ones are ignored. */
  #run = 0;

  constructor(options: SearcherOptions) {
    this.#options = options;
  }

  /** @param first the token to start at; matches before it come last */
  async start(wanted: TokenQuery, first: number): Promise<void> {
    const run = (this.#run += 1);
    this.#set({ wanted, matches: [], at: -1, state: 'searching' });
    try {
      for (let from: number | null = 0; from !== null;) {
        const answer: FindView = await this.#options.ask(wanted, from);
        if (run !== this.#run) return;
        from = this.#add(answer, first);
      }
    } catch (error) {
      if (run !== this.#run) return;
      this.#set({ wanted, matches: [], at: -1, state: 'failed', error: toReport(error, 'viewer/search') });
    }
  }

  step(direction: 1 | -1): void {
    const search = this.#search;
    if (search === null || search.matches.length === 0) return;
    const { length } = search.matches;
    this.#arrive({ ...search, at: (Math.max(search.at, 0) + direction + length) % length });
  }

  clear(): void {
    this.#run += 1;
    this.#set(null);
  }

  /** @returns the token to continue from; null: the search is complete */
  #add({ matches: added, next }: FindView, first: number): number | null {
    const search = this.#search;
    if (search === null) return null;
    const matches = [...search.matches, ...added];
    const full = next !== null && matches.length >= mostMatches;
    const state = full ? 'full' : next === null ? 'done' : 'searching';
    const over = state !== 'searching';
    const ahead = matches.findIndex(({ from }) => from >= first);
    const at = ahead < 0 && over ? 0 : ahead;
    const changed: Search = { ...search, matches, state };
    if (search.at < 0 && matches[at] !== undefined) this.#arrive({ ...changed, at });
    else this.#set(changed);
    return over ? null : next;
  }

  #arrive(search: Search): void {
    this.#set(search);
    const match = search.matches[search.at];
    if (match !== undefined) this.#options.onArrive(match);
  }

  #set(search: Search | null): void {
    this.#search = search;
    this.#options.onChange(search);
  }
}

/** Returns the query; undefined: there is no text to search for. */
export function wantedOf(
  typed: string,
  kind: TokenQuery['kind'],
  matchCase: boolean,
): TokenQuery | undefined {
  if (typed === '') return undefined;
  if (kind !== 'id') return { kind, text: typed, matchCase };
  return /^\s*-?\d{1,10}\s*$/.test(typed) ? { kind, id: Number(typed) } : undefined;
}
