import { builtInJudge } from '../config/builtInJudges.ts';
import { writtenNames } from '../config/code/writtenLocators.ts';
import { dialectOf } from '../config/dialect.ts';
import { isPython } from '../config/locator.ts';
import { parseConfig } from '../config/parse.ts';

/** How much of the user's code that a config names is Python. */
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
