import { acrossRules } from './across/catalog.ts';
import type { RuleEntry } from './ruleEntry.ts';
import { textRules } from './textRules.ts';

/** Every rule by its id. */
export const ruleCatalog: Readonly<Record<RuleId, RuleEntry>> = { ...textRules, ...acrossRules };

export type RuleId = keyof typeof textRules | keyof typeof acrossRules;
