import { acrossRules } from './across/catalog.ts';
import type { RuleEntry } from './ruleEntry.ts';

const textRules = {
  'yaml-syntax': entry('YAML that cannot be read', 'error'),
  'yaml-tag': entry('A tag that is not understood', 'error'),
  alias: entry('An alias that leads nowhere', 'error'),
  'duplicate-key': entry('A key that stands twice', 'warning'),
  'unknown-key': entry('A key that nothing reads', 'warning'),
  'wrong-type': entry('A value of another type', 'error'),
  'unknown-value': entry('A value that is not one of those allowed', 'error'),
  'out-of-range': entry('A number out of range', 'error'),
  'missing-key': entry('A key that has to be set', 'warning'),
  'deprecated-key': entry('A key that is going away', 'information'),
  'unused-key': entry('A key without effect', 'hint'),
  locator: entry('A locator that cannot be read', 'error'),
} as const;

/** Every rule by its id. */
export const ruleCatalog: Readonly<Record<RuleId, RuleEntry>> = { ...textRules, ...acrossRules };

export type RuleId = keyof typeof textRules | keyof typeof acrossRules;

function entry(title: string, severity: RuleEntry['severity'], explanation = ''): RuleEntry {
  return { title, severity, explanation };
}
