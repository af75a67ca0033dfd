import type { StripView, TokenAuthor } from './protocol/tokenRpc.ts';
import { entropyOf } from '../../tracking/core/alternatives.ts';
import { authorsOf, type TokenFacts } from './tokensView.ts';

/** Number of tokens that are read at a time. A message may have a million. */
const readAtOnce = 65_536;

/** Reads all tokens once, a part at a time. Returns at most `stretches` sections. */
export function stripView(positions: readonly number[], facts: TokenFacts, stretches: number): StripView {
  const total = positions.reduce((sum, position) => sum + facts.messages.head(position).tokens, 0);
  const size = Math.max(1, Math.ceil(total / Math.max(1, stretches)));
  const strip = new Strip(Math.ceil(total / size), size);
  let first = 0;
  positions.forEach((position, message) => {
    const { tokens } = facts.messages.head(position);
    const drifted = facts.drifted(message);
    for (let start = 0; start < tokens; start += readAtOnce) {
      const end = Math.min(tokens, start + readAtOnce);
      const { lossMask, logprobs } = facts.messages.window(position, start, end);
      const alternatives = facts.alternatives(position, start, end);
      for (const [index, author] of authorsOf({ position, start, end }, facts).entries()) {
        strip.add(first + start + index, {
          trained: lossMask[index] === 1,
          author,
          logprob: logprobs?.[index] ?? NaN,
          entropy: (alternatives === null ? null : entropyOf(alternatives, index)) ?? NaN,
          drifted: drifted(start + index),
        });
      }
    }
    first += tokens;
  });
  return { total, size, ...strip.view() };
}

interface StripToken {
  readonly trained: boolean;
  readonly author: TokenAuthor;
  /** NaN: there is none. */
  readonly logprob: number;
  readonly entropy: number;
  readonly drifted: boolean;
}

const authors: readonly TokenAuthor[] = ['template', 'env', 'llm', 'llm(do_not_train)'];

class Strip {
  readonly #size: number;
  readonly #tokens: Uint32Array;
  readonly #trained: Uint32Array;
  readonly #authors: Uint32Array;
  readonly #logprobs: Float64Array;
  readonly #entropies: Float64Array;
  readonly #drifted: Uint8Array;

  constructor(stretches: number, size: number) {
    this.#size = size;
    this.#tokens = new Uint32Array(stretches);
    this.#trained = new Uint32Array(stretches);
    this.#authors = new Uint32Array(stretches * authors.length);
    this.#logprobs = new Float64Array(stretches).fill(NaN);
    this.#entropies = new Float64Array(stretches).fill(NaN);
    this.#drifted = new Uint8Array(stretches);
  }

  add(token: number, { trained, author, logprob, entropy, drifted }: StripToken): void {
    const at = Math.floor(token / this.#size);
    raise(this.#tokens, at);
    if (trained) raise(this.#trained, at);
    raise(this.#authors, at * authors.length + authors.indexOf(author));
    // The negated comparison also replaces NaN.
    if (!(logprob >= (this.#logprobs[at] ?? NaN)) && !Number.isNaN(logprob)) this.#logprobs[at] = logprob;
    if (!(entropy <= (this.#entropies[at] ?? NaN)) && !Number.isNaN(entropy)) this.#entropies[at] = entropy;
    if (drifted) this.#drifted[at] = 1;
  }

  view(): Omit<StripView, 'total' | 'size'> {
    const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
    return {
      trained: Array.from(this.#trained, (trained, at) => trained / (this.#tokens[at] ?? 1)),
      authors: Array.from(this.#tokens, (_, at) => this.#authorOf(at)),
      logprobs: Array.from(this.#logprobs, orNull),
      entropies: Array.from(this.#entropies, orNull),
      drifted: Array.from(this.#drifted, (drifted) => (drifted === 1 ? 1 : 0)),
    };
  }

  #authorOf(stretch: number): TokenAuthor {
    const counts = this.#authors.subarray(stretch * authors.length, (stretch + 1) * authors.length);
    return authors[counts.indexOf(Math.max(...counts))] ?? 'template';
  }
}

function raise(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}
