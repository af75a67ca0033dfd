import type { Filter } from '../../core/protocol/traceFilter.ts';
import { parseFilter, type FilterProblem } from '../../core/filterText.ts';
import { exportErrors } from './errors.ts';

/** Which episodes a text chooses, in the language of the viewer's filter; undefined: all. Throws `export/bad-filter`. */
export function filterOf(text: string | undefined): Filter | undefined {
  const parsed = parseFilter(text ?? '');
  if ('problem' in parsed) throw exportErrors.badFilter(text ?? '', wordingOf(parsed.problem));
  return parsed.filter ?? undefined;
}

function wordingOf({ kind, text, known, from }: FilterProblem): string {
  const where = `at character ${from + 1}`;
  switch (kind) {
    case 'unknown-field':
      return `there is no field "${text}" (${where})`;
    case 'no-number':
      return `"${text}" is no number (${where})`;
    case 'unknown-value':
      return `"${text}" is none of ${known.join(', ')} (${where})`;
    case 'not-a-number-field':
      return `${text} has no numbers to compare (${where})`;
    case 'no-value':
      return `something is missing ${where}`;
    case 'open-quote':
      return `the quotation mark ${where} is not closed`;
    case 'open-parenthesis':
      return `the parenthesis ${where} is not closed`;
    case 'unopened-parenthesis':
      return `the parenthesis ${where} closes none`;
  }
}
