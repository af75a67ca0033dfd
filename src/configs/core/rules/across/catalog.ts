import type { RuleEntry } from '../ruleEntry.ts';
import { ajetAcross } from './catalogAjet.ts';
import { trinityAcross } from './catalogTrinity.ts';

/** Rules that look at several keys, or at the effective values. */
export const acrossRules = { ...ajetAcross, ...trinityAcross } as const satisfies Readonly<
  Record<string, RuleEntry>
>;

export type AcrossRuleId = keyof typeof acrossRules;
