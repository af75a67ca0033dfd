import type { ContextRule } from './across/index.ts';
import { compositionProblems } from './composition.ts';
import { locatorTargets } from './locators.ts';
import { oldDialect } from './oldDialect.ts';
import { overwrittenValues } from './overwritten.ts';
import { selfBeforeDefaults } from './selfOrder.ts';

/** Rules on single values that need more than the text: what is around the config, and what becomes of it. */
export const placeRules: readonly ContextRule[] = [
  compositionProblems,
  selfBeforeDefaults,
  locatorTargets,
  overwrittenValues,
  oldDialect,
];
