import { describe, expect, it } from 'vitest';
import { ruleCatalog } from '../../../src/configs/core/finding.ts';
import { ruleDocs } from '../../../src/configs/core/rules/ruleDocs.ts';

describe('the list of rules', () => {
  it('has a heading and an explanation for every rule', () => {
    const headings = [...ruleDocs().matchAll(/^### (\S+)$/gm)].map(([, id]) => id);
    expect(headings.sort()).toEqual(Object.keys(ruleCatalog).sort());
    const silent = Object.entries(ruleCatalog).filter(([, { explanation }]) => explanation.length < 40);
    expect(silent).toEqual([]);
  });
});
