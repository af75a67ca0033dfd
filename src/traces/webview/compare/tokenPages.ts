import { toReport, type ErrorReport } from '../../../base/core/errors.ts';
import type { TokensView } from '../../core/protocol/tokenRpc.ts';
import type { TokenRange } from '../detail/tokenRange.ts';

/** The number of tokens per request, and the number of cached responses. */
export const pageTokens = 512;
export const mostPages = 64;

export interface PagedToken {
  readonly id: number;
  readonly text: string;
  readonly special: boolean;
  readonly trained: boolean;
  readonly logprob: number | null;
}

/** Loads tokens page by page, the last wanted first, and drops the pages unused for the longest time. */
export class TokenPages {
  readonly #ask: (from: number, limit: number) => Promise<TokensView>;
  readonly #onChange: () => void;
  readonly #pages = new Map<number, TokensView>();
  #wanted: number[] = [];
  #asking = false;
  #isOver = false;
  #error: ErrorReport | undefined;

  constructor(ask: (from: number, limit: number) => Promise<TokensView>, onChange: () => void) {
    this.#ask = ask;
    this.#onChange = onChange;
  }

  get error(): ErrorReport | undefined {
    return this.#error;
  }

  /** Replaces the ranges that were wanted before. */
  want(ranges: readonly TokenRange[]): void {
    const pages = ranges.flatMap(({ from, end }) => {
      const first = Math.floor(from / pageTokens);
      const last = Math.floor((end - 1) / pageTokens);
      return Array.from({ length: from < end ? last - first + 1 : 0 }, (_, index) => first + index);
    });
    this.#wanted = [...new Set(pages)].slice(0, mostPages).filter((page) => !this.#touch(page));
    if (!this.#asking && this.#error === undefined) void this.#askNext();
  }

  at(token: number): PagedToken | undefined {
    const page = this.#pages.get(Math.floor(token / pageTokens));
    const route = token % pageTokens;
    const [id, text] = [page?.ids[route], page?.texts[route]];
    if (page === undefined || id === undefined || text === undefined) return undefined;
    return {
      id,
      text,
      special: page.special[route] === true,
      trained: page.lossMask[route] === 1,
      logprob: page.logprobs[route] ?? null,
    };
  }

  retry(): void {
    this.#error = undefined;
    void this.#askNext();
  }

  dispose(): void {
    this.#isOver = true;
    this.#wanted = [];
  }

  /** Makes a page the most recently used. Returns false if it is not loaded. */
  #touch(page: number): boolean {
    const view = this.#pages.get(page);
    if (view === undefined) return false;
    this.#pages.delete(page);
    this.#pages.set(page, view);
    return true;
  }

  async #askNext(): Promise<void> {
    this.#asking = true;
    try {
      for (let page = this.#wanted.shift(); page !== undefined; page = this.#wanted.shift()) {
        this.#keep(page, await this.#ask(page * pageTokens, pageTokens));
      }
    } catch (error) {
      this.#error = toReport(error, 'viewer/compare');
    }
    this.#asking = false;
    if (!this.#isOver) this.#onChange();
  }

  #keep(page: number, view: TokensView): void {
    this.#pages.set(page, view);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= mostPages) break;
      this.#pages.delete(oldest);
    }
    if (!this.#isOver) this.#onChange();
  }
}
