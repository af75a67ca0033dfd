import type { Random } from '../../../base/core/random.ts';

export interface HelperKeys {
  readonly primary: readonly string[];
  readonly backup: readonly string[];
}

/** Splits the value of `DASHSCOPE_API_KEY` or `DASHSCOPE_API_KEY_BACKUP`: keys separated by `|`. */
export function splitKeys(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split('|')
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

/**
 * Upstream's choice of four: twice one of the primary keys, once a backup key, once any.
 *
 * @param attempt from 0
 */
export function keyOfAttempt(
  { primary, backup }: HelperKeys,
  attempt: number,
  random: Pick<Random, 'pick'>,
): string | undefined {
  const preferred = attempt < 2 ? primary : attempt === 2 ? backup : [];
  const keys = preferred.length > 0 ? preferred : [...primary, ...backup];
  return keys.length === 0 ? undefined : random.pick(keys);
}
