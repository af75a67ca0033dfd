import { indexOfRun } from './tokenLists.ts';

/**
 * Which tokens of a trained message upstream counts in the loss when it makes a sample: all but the first header, what
 * follows the first end token, and that token itself where the reply was cut by length.
 *
 * @param header that of ChatML, which upstream has built in
 */
export function sampleLossMask(
  tokenIds: readonly number[],
  { header, eos, lacksEos }: { header: readonly number[]; eos: number; lacksEos: boolean },
): number[] {
  const mask = tokenIds.map(() => 1);
  const start = indexOfRun(tokenIds, header);
  if (start >= 0) mask.fill(0, start, start + header.length);
  const end = tokenIds.indexOf(eos);
  if (end >= 0) mask.fill(0, lacksEos ? end : end + 1);
  return mask;
}
