import type { KeptMessage } from './messages.ts';
import { inRows } from './messages.ts';

/** A message of a request that training leaves out. */
export interface LeftOutMessage {
  /** How many of the timeline's messages stand before it. */
  readonly before: number;
  /** As sent. */
  readonly message: unknown;
}

/** @param dropped each with how many were kept before it */
export function leftOutOf(
  dropped: readonly { readonly before: number; readonly message: unknown }[],
  kept: readonly KeptMessage[],
): readonly LeftOutMessage[] {
  return dropped.map(({ before, message }) => ({ before: inRows(kept.slice(0, before)).length, message }));
}
