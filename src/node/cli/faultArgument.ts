import { faultKinds, type FaultChoice } from '../../protocol/run.ts';
import { oneOf, wrongUse } from './commandLine.ts';

const example = 'Write for example --faults 0.2 or --faults rate=0.2,seed=7,kinds=timeout+rate-limit.';

/**
 * `RATE`, or `rate=RATE,seed=N,kinds=A+B`, of which seed (0) and kinds (all) may be left out.
 *
 * Throws `cli/usage`.
 */
export function parseFaults(text: string | undefined): FaultChoice | undefined {
  if (text === undefined) return undefined;
  const parts = new Map(text.split(',').map(readPart));
  const [stray] = [...parts.keys()].filter((name) => !['rate', 'seed', 'kinds'].includes(name));
  if (stray !== undefined) throw wrongUse(`--faults has no "${stray}".`, example);
  const kinds = parts.get('kinds')?.split('+') ?? [...faultKinds];
  return {
    rate: numberOf('rate', parts.get('rate') ?? '', (rate) => rate > 0 && rate <= 1, 'above 0 and at most 1'),
    seed: numberOf('seed', parts.get('seed') ?? '0', Number.isSafeInteger, 'a whole number'),
    kinds: kinds.map((kind) => oneOf('--faults kinds', kind, faultKinds)),
  };
}

function readPart(part: string): [string, string] {
  const [name = '', value] = part.split('=');
  return value === undefined ? ['rate', name] : [name.trim(), value.trim()];
}

function numberOf(name: string, text: string, fits: (value: number) => boolean, wanted: string): number {
  const value = text === '' ? NaN : Number(text);
  if (fits(value)) return value;
  throw wrongUse(`The ${name} of --faults is "${text}", which is not ${wanted}.`, example);
}
