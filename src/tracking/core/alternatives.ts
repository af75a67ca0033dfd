import type { TracedAlternatives } from './records/trace.ts';

export interface Alternative {
  /** Null: the tokenizer has no such token. */
  readonly id: number | null;
  readonly logprob: number;
}

/** Returns the alternatives in the form of a trace. Undefined if no token has any. */
export function packAlternatives(
  tokens: readonly (readonly Alternative[])[],
): TracedAlternatives | undefined {
  const width = tokens.reduce((most, { length }) => Math.max(most, length), 0);
  if (width === 0) return undefined;
  const ids = new Int32Array(tokens.length * width).fill(noToken);
  const logprobs = new Float32Array(tokens.length * width).fill(NaN);
  tokens.forEach((alternatives, token) => {
    [...alternatives]
      .sort((one, other) => other.logprob - one.logprob)
      .forEach(({ id, logprob }, place) => {
        ids[token * width + place] = id ?? noToken;
        logprobs[token * width + place] = logprob;
      });
  });
  return { width, ids, logprobs };
}

/** Those of one token, best first. */
export function alternativesOf({ width, ids, logprobs }: TracedAlternatives, token: number): Alternative[] {
  return Array.from({ length: width }, (_, place): Alternative[] => {
    const at = token * width + place;
    const [id = noToken, logprob = NaN] = [ids[at], logprobs[at]];
    return Number.isNaN(logprob) ? [] : [{ id: id === noToken ? null : id, logprob }];
  }).flat();
}

/** Returns a lower bound in nats: what the alternatives leave counts as one more outcome. Null if there are none. */
export function entropyOf({ width, logprobs }: TracedAlternatives, token: number): number | null {
  let [entropy, rest, count] = [0, 1, 0];
  for (let at = token * width; at < (token + 1) * width; at++) {
    const logprob = logprobs[at] ?? NaN;
    if (Number.isNaN(logprob)) continue;
    const probability = Math.exp(logprob);
    if (probability > 0) entropy -= probability * logprob;
    rest -= probability;
    count += 1;
  }
  if (count === 0) return null;
  return rest > leastRest ? entropy - rest * Math.log(rest) : Math.max(0, entropy);
}

/** Stands for what has no id. */
const noToken = -1;

/** Less is what rounding leaves of nothing. */
const leastRest = 1e-6;
