import { describe, expect, it } from 'vitest';
import {
  compileCondition,
  failingClause,
  surelyHolds,
} from '../../../src/configs/core/key-tables/condition.ts';

const known = new Set(['ajet.a.kind', 'ajet.a.on', 'ajet.b.c.deep']);
const compile = (text: string) => compileCondition(text, 'ajet.b.c.deep', known);

describe('a condition of the key table', () => {
  const condition = compile('ajet.a.kind in {one, two} and ajet.a.on == true');

  it('holds where every clause does', () => {
    expect(surelyHolds(condition, (path) => (path === 'ajet.a.on' ? true : 'two'))).toBe(true);
    expect(failingClause(condition, (path) => (path === 'ajet.a.on' ? true : 'two'))).toBeUndefined();
  });

  it('fails at the first clause that surely does not, with what is there instead', () => {
    const values = { 'ajet.a.kind': 'three', 'ajet.a.on': false } as const;
    const read = (path: string) => values[path as keyof typeof values];
    expect(failingClause(condition, read)).toEqual({
      path: 'ajet.a.kind',
      values: ['one', 'two'],
      value: 'three',
    });
    expect(failingClause(condition, (path) => (path === 'ajet.a.on' ? null : undefined))).toEqual({
      path: 'ajet.a.on',
      values: ['true'],
      value: null,
    });
  });

  it('neither holds nor fails where a value cannot be known, or the clause is in words', () => {
    expect(surelyHolds(condition, () => undefined)).toBe(false);
    expect(failingClause(condition, () => undefined)).toBeUndefined();
    const words = compile('the example only');
    expect(surelyHolds(words, () => true)).toBe(false);
    expect(failingClause(words, () => true)).toBeUndefined();
  });

  it('takes a name for that of a key beside it, or beside a section around it', () => {
    const relative = compile('a.kind == one');
    expect(relative).toEqual([{ path: 'ajet.a.kind', values: ['one'] }]);
    expect(compile('deep')).toEqual([{ path: 'ajet.b.c.deep', values: ['true'] }]);
  });
});
