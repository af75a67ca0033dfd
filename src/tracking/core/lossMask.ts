import type { TracedMessage } from './records/trace.ts';
import { indexOfRun } from './tokenLists.ts';

/**
 * Returns the tokens of a trained message that upstream counts in the loss of a sample. The first header and the
 * tokens after the first end token do not count. The end token itself does not count if the reply was truncated.
 *
 * @param header that of ChatML, which upstream has built in
 */
export function sampleLossMask(
  tokenIds: ArrayLike<number>,
  { header, eos, lacksEos }: { header: readonly number[]; eos: number; lacksEos: boolean },
): Uint8Array {
  const mask = new Uint8Array(tokenIds.length).fill(1);
  const start = indexOfRun(tokenIds, header);
  if (start >= 0) mask.fill(0, start, start + header.length);
  const end = indexOfRun(tokenIds, [eos]);
  if (end >= 0) mask.fill(0, lacksEos ? end : end + 1);
  return mask;
}

/**
 * Returns the same for a reply in another timeline, as far as possible without the tokenizer. It has the counted
 * tokens and, for a truncated reply, the end token.
 */
export function takenOverMask(
  { tokenIds, lossMask }: TracedMessage,
  isSpecial: (id: number) => boolean,
): Uint8Array {
  const end = tokenIds.findLastIndex(isSpecial);
  return end >= 0 && lossMask[end] === 0 ? lossMask.with(end, 1) : lossMask;
}
