import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../../src/configs/core/text.ts';
import { acrossFindings, shownIn, yamlOf, type Values } from './acrossConfigs.ts';

export interface RuleCase {
  readonly rule: string;
  /** What makes it different from another case of the same rule. */
  readonly when?: string;
  /** Laid over the base: the rule tells of it. */
  readonly trips: Values;
  /** What is told, as `shownIn` gives it. */
  readonly told: string | readonly string[];
  /** Laid over the base: just right. */
  readonly fits: Values;
  /** Laid over `trips`: what cannot be known, so that nothing is told. */
  readonly unknown: Values;
  /** Titles of the fixes. */
  readonly fixes?: readonly string[];
}

/** One test per case and question; every fix has to silence the rule. */
export function describeRules(name: string, base: Values, cases: readonly RuleCase[]): void {
  describe(name, () => {
    it('has nothing to tell of the base', async () => {
      expect((await acrossFindings(yamlOf(base))).map(({ rule }) => rule)).toEqual([]);
    });
    it.each(
      cases.map((one) => [`${one.rule}${one.when === undefined ? '' : `, ${one.when}`}`, one] as const),
    )('%s', async (_, one) => {
      const text = yamlOf({ ...base, ...one.trips });
      const found = await findingsOf(one.rule, text);
      expect(found.map((finding) => shownIn(text, finding))).toEqual([one.told].flat());
      const fixes = found.flatMap((finding) => finding.fixes);
      expect(fixes.map((fix) => fix.title)).toEqual(one.fixes ?? []);
      for (const fix of fixes) {
        const mended = applyEdits(text, fix.edits);
        const left = await findingsOf(one.rule, mended);
        expect(left.length, fix.title).toBeLessThan(found.length);
      }
      expect(await findingsOf(one.rule, yamlOf({ ...base, ...one.fits })), 'just right').toEqual([]);
      const unknown = yamlOf({ ...base, ...one.trips, ...one.unknown });
      expect(await findingsOf(one.rule, unknown), 'unknown').toEqual([]);
    });
  });
}

async function findingsOf(rule: string, text: string) {
  return (await acrossFindings(text)).filter((finding) => finding.rule === rule);
}

/** An environment variable that nobody sets. */
export const open = '${oc.env:NOBODY_SETS_THIS}';
