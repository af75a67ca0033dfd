import type { ClipRange } from './records/trace.ts';

export function isClipped(ratio: number, { low, high }: ClipRange): boolean {
  return ratio < low || ratio > high;
}

/** Returns the estimate `k3` of the KL divergence from the base model at a token, in nats. It is not negative. */
export function klOf(logprob: number, base: number): number {
  const difference = logprob - base;
  return Math.exp(-difference) + difference - 1;
}
