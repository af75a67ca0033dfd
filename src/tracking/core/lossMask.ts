import type { TracedMessage } from './records/trace.ts';
import { indexOfRun } from './tokenLists.ts';

/**
 * Which tokens of a trained message upstream counts in the loss when it makes a sample: all but the first header, what
 * follows the first end token, and that token itself where the reply was cut by length.
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
 * The same of a reply that another timeline took over, as far as it is known without the tokenizer: what counted, and
 * the end token where the reply was cut by length.
 */
export function takenOverMask(
  { tokenIds, lossMask }: TracedMessage,
  isSpecial: (id: number) => boolean,
): Uint8Array {
  const end = tokenIds.findLastIndex(isSpecial);
  return end >= 0 && lossMask[end] === 0 ? lossMask.with(end, 1) : lossMask;
}
