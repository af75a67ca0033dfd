/** The texts of findings across keys. */
import type { ScalarValue } from '../../scalar.ts';
import type { Severity } from '../ruleEntry.ts';

/** The last name of a path, in backticks. */
export function quotedName(path: string): string {
  return `\`${path.split('.').at(-1) ?? path}\``;
}

export function scalarText(value: ScalarValue | undefined): string {
  return value === null || value === undefined ? 'null' : String(value);
}

const milder: Readonly<Record<Severity, Severity>> = {
  error: 'warning',
  warning: 'information',
  information: 'hint',
  hint: 'hint',
};

/** One step down, for what holds only under a condition that the config does not settle. */
export function lowerSeverity(severity: Severity): Severity {
  return milder[severity];
}

export function quotedList(names: readonly string[], last = 'and'): string {
  const quoted = names.map((name) => `\`${name}\``);
  const end = quoted.pop() ?? '';
  return quoted.length === 0 ? end : `${quoted.join(', ')} ${last} ${end}`;
}
