import type { ErrorReport } from '../../core/errors.ts';
import { LatestRequest } from './latestRequest.ts';

export interface Slice {
  readonly from: number;
  readonly length: number;
  /** Length of the whole list. */
  readonly total: number;
}

export interface WindowBufferOptions<S extends Slice> {
  readonly fetch: (from: number, limit: number) => Promise<S>;
  /** Entries of one answer, at most. */
  readonly largest: number;
  /** The least number of entries per request. A screen with fewer entries does not justify its own request. */
  readonly smallest: number;
  readonly onChange: () => void;
}

/** Requests start at multiples of this, so that small scrolls want the same window. */
const grid = 32;

/**
 * The part of a long list around the visible entries: one screen before, the screen, one screen after. Entries stay until
 * their replacement has arrived.
 */
export class WindowBuffer<S extends Slice> {
  readonly #options: WindowBufferOptions<S>;
  readonly #requests: LatestRequest<S>;
  #slice: S | undefined;
  #error: ErrorReport | undefined;
  #wanted: { readonly from: number; readonly limit: number } | undefined;

  constructor(options: WindowBufferOptions<S>) {
    this.#options = options;
    this.#requests = new LatestRequest<S>((outcome) => {
      if ('error' in outcome) this.#error = outcome.error;
      else [this.#slice, this.#error] = [outcome.value, undefined];
      options.onChange();
    });
  }

  get slice(): S | undefined {
    return this.#slice;
  }

  /** The error of the last request. Earlier entries stay. */
  get error(): ErrorReport | undefined {
    return this.#error;
  }

  /** Entries `first` … `end` are visible, `end` excluded. Of more than one answer can have, the first are held. */
  want(first: number, end: number): void {
    const { largest, smallest } = this.#options;
    const screen = Math.max(Math.min(end - first, largest - grid), 1);
    if (this.#wanted && covers(this.#wanted, first, first + screen)) return;
    const margin = Math.min(screen, Math.floor((largest - grid - screen) / 2));
    const from = Math.floor(Math.max(0, first - margin) / grid) * grid;
    const limit = Math.max(first + screen + margin - from, smallest);
    this.#wanted = { from, limit: Math.min(limit, largest) };
    this.refresh();
  }

  refresh(): void {
    if (!this.#wanted) return;
    const { from, limit } = this.#wanted;
    this.#requests.run(`${from}`, () => this.#options.fetch(from, limit));
  }

  dispose(): void {
    this.#requests.dispose();
  }
}

function covers({ from, limit }: { from: number; limit: number }, first: number, end: number): boolean {
  return from <= first && end <= from + limit;
}
