import type { StoredTrace } from './stored.ts';

export interface TokenText {
  readonly bytes: Uint8Array;
  readonly special: boolean;
}

const unknown: TokenText = { bytes: new Uint8Array(), special: false };

/** Texts of token ids; those once seen are remembered, for a token never changes. */
export class TokenTable {
  readonly #trace: StoredTrace;
  readonly #known = new Map<number, TokenText>();

  constructor(trace: StoredTrace) {
    this.#trace = trace;
  }

  /** Without bytes where the trace does not have it. */
  at(id: number): TokenText {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const stored = this.#trace.token(id);
    if (stored !== undefined) this.#known.set(id, stored);
    return stored ?? unknown;
  }
}
