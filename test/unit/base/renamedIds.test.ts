import { describe, expect, it } from 'vitest';
import { activeFileDebugType, settings } from '../../../src/base/core/ids.ts';
import {
  currentId,
  renamedDebugTypes,
  renamedFindings,
  renamedRules,
  renamedSettings,
} from '../../../src/base/core/renamedIds.ts';
import { ruleCatalog } from '../../../src/configs/core/finding.ts';
import { findingKinds } from '../../../src/tracking/core/findings.ts';
import { episodeTracking } from '../../../src/tracking/core/records/episodeResult.ts';

describe('old names', () => {
  it.each([
    ['rules', renamedRules, Object.keys(ruleCatalog)],
    ['findings', renamedFindings, Object.keys(findingKinds)],
    ['settings', renamedSettings, Object.values(settings)],
    ['debug types', renamedDebugTypes, [activeFileDebugType]],
  ])('of %s lead to names that exist, and exist no more themselves', (_, renamed, current) => {
    for (const [old, name] of Object.entries(renamed)) {
      expect(current).toContain(name);
      expect(current).not.toContain(old);
      expect(currentId(renamed, old)).toBe(name);
      expect(currentId(renamed, name)).toBe(name);
    }
  });

  it('of findings in a stored trace are read as the new ones', () => {
    const problem = { severity: 'warning', message: 'In call 0, text is dropped.' };
    const stored = { timelines: 1, tokens: 2, trainableTokens: 1 };
    const codes = ['text-lost', 'near-limit', 'constructor'];
    const read = episodeTracking.parse({ ...stored, problems: codes.map((code) => ({ ...problem, code })) });
    expect(read.problems.map(({ code }) => code)).toEqual([
      'non-text-content-dropped',
      'near-limit',
      'constructor',
    ]);
  });
});
