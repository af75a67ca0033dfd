import type { StripView, TokenAuthor } from './protocol/tokenRpc.ts';
import { entropyOf } from '../../tracking/core/alternatives.ts';
import { authorsOf, orNull, trainerNumbers, type TokenFacts } from './tokensView.ts';

/** Number of tokens that are read at a time. A message may have a million. */
const readAtOnce = 65_536;

/** Reads all tokens once, a part at a time. Returns at most `stretches` sections. */
export function stripView(positions: readonly number[], facts: TokenFacts, stretches: number): StripView {
  const total = positions.reduce((sum, position) => sum + facts.messages.head(position).tokens, 0);
  const size = Math.max(1, Math.ceil(total / Math.max(1, stretches)));
  const strip = new Strip(Math.ceil(total / size), size, facts.trainer !== null);
  let first = 0;
  positions.forEach((position, message) => {
    const { tokens } = facts.messages.head(position);
    const drifted = facts.drifted(message);
    for (let start = 0; start < tokens; start += readAtOnce) {
      const end = Math.min(tokens, start + readAtOnce);
      const { lossMask, logprobs } = facts.messages.window(position, start, end);
      const alternatives = facts.alternatives(position, start, end);
      const trainer = facts.trainer?.(first + start, first + end);
      for (const [index, author] of authorsOf({ position, start, end }, facts).entries()) {
        const logprob = logprobs?.[index] ?? NaN;
        const { ratio, kl } = trainer ? trainerNumbers(trainer, index, logprob) : { ratio: NaN, kl: NaN };
        strip.add(first + start + index, {
          trained: lossMask[index] === 1,
          author,
          logprob,
          ratio,
          kl,
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
  /** NaN: there is none. So in the other numbers. */
  readonly logprob: number;
  readonly entropy: number;
  readonly ratio: number;
  readonly kl: number;
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
  readonly #ratios: Float64Array;
  readonly #kls: Float64Array;
  readonly #isTrained: boolean;
  readonly #drifted: Uint8Array;

  constructor(stretches: number, size: number, isTrained: boolean) {
    this.#size = size;
    this.#isTrained = isTrained;
    this.#tokens = new Uint32Array(stretches);
    this.#trained = new Uint32Array(stretches);
    this.#authors = new Uint32Array(stretches * authors.length);
    this.#logprobs = new Float64Array(stretches).fill(NaN);
    this.#entropies = new Float64Array(stretches).fill(NaN);
    this.#ratios = new Float64Array(stretches).fill(NaN);
    this.#kls = new Float64Array(stretches).fill(NaN);
    this.#drifted = new Uint8Array(stretches);
  }

  add(token: number, { trained, author, logprob, entropy, ratio, kl, drifted }: StripToken): void {
    const at = Math.floor(token / this.#size);
    raise(this.#tokens, at);
    if (trained) raise(this.#trained, at);
    raise(this.#authors, at * authors.length + authors.indexOf(author));
    keep(this.#logprobs, at, logprob, (one) => -one);
    keep(this.#entropies, at, entropy, (one) => one);
    if (this.#isTrained) {
      keep(this.#ratios, at, ratio, (one) => Math.abs(Math.log(one)));
      keep(this.#kls, at, kl, (one) => one);
    }
    if (drifted) this.#drifted[at] = 1;
  }

  view(): Omit<StripView, 'total' | 'size'> {
    return {
      trained: Array.from(this.#trained, (trained, at) => trained / (this.#tokens[at] ?? 1)),
      authors: Array.from(this.#tokens, (_, at) => this.#authorOf(at)),
      logprobs: Array.from(this.#logprobs, orNull),
      entropies: Array.from(this.#entropies, orNull),
      drifted: Array.from(this.#drifted, (drifted) => (drifted === 1 ? 1 : 0)),
      trainer: this.#isTrained
        ? { ratios: Array.from(this.#ratios, orNull), kls: Array.from(this.#kls, orNull) }
        : null,
    };
  }

  #authorOf(stretch: number): TokenAuthor {
    const counts = this.#authors.subarray(stretch * authors.length, (stretch + 1) * authors.length);
    return authors[counts.indexOf(Math.max(...counts))] ?? 'template';
  }
}

/** Replaces a value by another that measures more. Ignores NaN. */
function keep(values: Float64Array, at: number, value: number, measure: (value: number) => number): void {
  // The negated comparison also replaces NaN.
  if (!Number.isNaN(value) && !(measure(value) <= measure(values[at] ?? NaN))) values[at] = value;
}

function raise(counts: Uint32Array, at: number): void {
  counts[at] = (counts[at] ?? 0) + 1;
}
