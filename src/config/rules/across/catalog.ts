import type { RuleEntry } from '../ruleEntry.ts';

/** Rules that look at several keys, or at the effective values. */
export const acrossRules = {
  lengths: {
    title: 'Lengths that do not fit the model',
    severity: 'error',
    explanation: 'Prompt and response together are longer than `max_model_len`.',
  },
} as const satisfies Readonly<Record<string, RuleEntry>>;
