import { describe, expect, it } from 'vitest';
import { findAjetKey } from '../../../src/configs/core/dialect.ts';

describe('findAjetKey', () => {
  it.each([
    'ajet:\n  model: {}\n',
    '# comment\n\nfoo: 1\r\najet: \r\n  x: 1',
    '\ufeffajet:\n',
    '"ajet": {}\n',
    "'ajet' : {}\n",
    '%YAML 1.1\n---\najet:\n',
    '--- # first\najet:\n---\nother: 1\n',
    'broken: [1, {\najet:\n',
    'ajet: # the experiment',
    'astuner:\n  model: {}\n',
  ])('accepts %j', (text) => {
    expect(findAjetKey(text)).toBeDefined();
  });

  it.each([
    '',
    'ajet',
    'ajet:x',
    'ajets: 1',
    '# ajet:\n',
    'other:\n  ajet:\n    x: 1\n',
    'text: |\n  ajet:\n',
    'other: 1\n---\najet: 2\n',
    '- ajet: 1\n',
    'my_ajet: 1',
  ])('refuses %j', (text) => {
    expect(findAjetKey(text)).toBeUndefined();
  });

  it('tells where the key is', () => {
    expect(findAjetKey('\ufeffajet: 1')).toBe(1);
    expect(findAjetKey('a: 1\r\n"ajet": 1')).toBe(6);
  });
});
