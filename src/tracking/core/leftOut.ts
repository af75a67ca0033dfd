import type { KeptMessage } from './messages.ts';
import { groupToolResults } from './messages.ts';

/** A message of a request that training leaves out. */
export interface ExcludedMessage {
  /** How many of the timeline's messages stand before it. */
  readonly before: number;
  /** As sent. */
  readonly message: unknown;
}

/** @param dropped each with how many were kept before it */
export function excludedMessages(
  dropped: readonly { readonly before: number; readonly message: unknown }[],
  kept: readonly KeptMessage[],
): readonly ExcludedMessage[] {
  return dropped.map(({ before, message }) => ({ before: groupToolResults(kept.slice(0, before)).length, message }));
}
