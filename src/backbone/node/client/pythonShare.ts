import { builtInJudge } from '../../../configs/core/builtInJudges.ts';
import { writtenNames } from '../../../configs/core/code/writtenLocators.ts';
import { dialectOf } from '../../../configs/core/dialect.ts';
import { isPython } from '../../../configs/core/locator.ts';
import { parseConfig } from '../../../configs/core/parse.ts';

/** Returns how much of the user's code in a config is Python. */
export function pythonShare(text: string): 'all' | 'some' | 'none' {
  const dialect = dialectOf(text);
  if (dialect?.id === 'trinity') return 'all';
  const named = dialect === undefined ? [] : writtenNames(parseConfig(text), dialect);
  const own = named.flatMap(({ locator }) =>
    locator === undefined || builtInJudge(locator) ? [] : [locator],
  );
  const python = own.filter(isPython).length;
  if (python === 0) return 'none';
  return python === own.length ? 'all' : 'some';
}
