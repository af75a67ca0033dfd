import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixtures, runCases, type Case } from './programs/cases.ts';

const errors = path.join(fixtures, 'errors');

interface Expected extends Omit<Case, 'file'> {
  readonly file: string;
  readonly code: string;
  /** `file:line:column`, as far as the place is known. */
  readonly at?: string;
  /** Words that the message and the hint must hold. */
  readonly says: readonly string[];
}

const table: readonly Expected[] = [
  { file: 'nowhere.ts', code: 'loader/file-not-found', says: [path.join(errors, 'nowhere.ts')] },
  { file: 'syntax.ts', code: 'loader/syntax-error', at: 'syntax.ts:3:10', says: ['='] },
  { file: 'syntaxInEnumFile.ts', code: 'loader/syntax-error', at: 'syntaxInEnumFile.ts:4:10', says: ['='] },
  { file: 'syntaxInDecorated.ts', code: 'loader/syntax-error', at: 'syntaxInDecorated.ts:3:7', says: [] },
  {
    file: 'syntaxInView.tsx',
    code: 'loader/syntax-error',
    at: 'syntaxInView.tsx:3:11',
    says: ['Expression expected'],
  },
  { file: 'syntax.mjs', code: 'loader/syntax-error', at: 'syntax.mjs:3:11', says: ['Expression expected'] },
  { file: 'syntax.cjs', code: 'loader/syntax-error', at: 'syntax.cjs:2:11', says: [';'] },
  {
    file: 'importsSyntax.ts',
    code: 'loader/syntax-error',
    at: 'syntax.mjs:3:11',
    says: ['Expression expected'],
  },
  {
    file: 'missingPackage.ts',
    code: 'loader/import-not-found',
    at: 'missingPackage.ts:2:19',
    says: ['"no-such-package/deep"', 'npm install no-such-package"'],
  },
  {
    file: 'missingFile.ts',
    code: 'loader/import-not-found',
    at: 'missingFile.ts:2:21',
    says: ['"./nowhere"'],
  },
  {
    file: 'missingBelow.ts',
    code: 'loader/import-not-found',
    at: 'missingFile.ts:2:21',
    says: ['"./nowhere"'],
  },
  {
    file: 'missingRequire.cjs',
    code: 'loader/import-not-found',
    at: 'missingRequire.cjs:2:9',
    says: ['"./nowhere"'],
  },
  { file: 'link.ts', code: 'loader/import-not-exported', at: 'link.ts:1:17', says: ['areas', 'import type'] },
  {
    file: 'reexport.ts',
    code: 'loader/import-not-exported',
    at: 'reexport.ts:1:10',
    says: ['Shape', 'export type'],
  },
  { file: 'throws.ts', code: 'loader/threw', at: 'boom.ts:6:9', says: ['throws.ts', 'TypeError: boom 1 0'] },
  { file: 'throwsText.ts', code: 'loader/threw', at: 'throwsText.ts', says: ['only text'] },
  { file: 'throwsSyntaxError.mjs', code: 'loader/threw', at: 'throwsSyntaxError.mjs:2:6', says: ['JSON'] },
  {
    file: 'throwsAfterAwait.ts',
    code: 'loader/threw',
    at: 'throwsAfterAwait.ts:3:7',
    says: ['RangeError: late'],
  },
  { file: 'badTsconfig/any.ts', code: 'loader/bad-tsconfig', says: ['nowhere.json'] },
  {
    file: 'nothing.ts',
    code: 'loader/no-such-export',
    at: 'nothing.ts',
    says: ['exports nothing', 'export'],
  },
  {
    file: 'kinds.ts',
    name: 'Solvr',
    code: 'loader/no-such-export',
    at: 'kinds.ts',
    says: ['exports Solver, default', 'nearest: Solver'],
  },
  {
    file: 'kinds.ts',
    name: 'nope',
    kind: 'judge',
    code: 'loader/no-such-export',
    at: 'kinds.ts',
    says: ['exports Judge, respond.'],
  },
  {
    file: 'kinds.ts',
    name: 'Plain',
    code: 'loader/wrong-export',
    at: 'kinds.ts',
    says: ['a function or a class that extends Workflow from "agentjet"'],
  },
  { file: 'kinds.ts', name: 'Judge', code: 'loader/wrong-export', at: 'kinds.ts', says: ['class'] },
  { file: 'kinds.ts', name: 'number', code: 'loader/wrong-export', at: 'kinds.ts', says: ['type number'] },
  {
    file: 'kinds.ts',
    name: 'Solver',
    kind: 'judge',
    code: 'loader/wrong-export',
    at: 'kinds.ts',
    says: ['BaseJudge'],
  },
  {
    file: 'kinds.ts',
    name: 'Plain',
    kind: 'script',
    code: 'loader/wrong-export',
    at: 'kinds.ts',
    says: ['function'],
  },
];

describe('what is wrong with the user’s code is told with its place', async () => {
  const { outcomes } = await runCases(table.map((row) => ({ ...row, file: path.join(errors, row.file) })));

  test.each(table.map((expected, index) => ({ expected, error: outcomes[index]?.error })))(
    '$expected.file $expected.name: $expected.code',
    ({ expected, error }) => {
      const { file = '', line, column } = error?.location ?? {};
      const place = [file && path.relative(errors, file), line, column].filter(Boolean).join(':');
      expect({ code: error?.code, place }).toEqual({ code: expected.code, place: expected.at ?? '' });
      for (const words of expected.says)
        expect(`${error?.message ?? ''} ${error?.hint ?? ''}`).toContain(words);
    },
  );
});

test('exports of each kind are given', async () => {
  const file = path.join(errors, 'kinds.ts');
  const { outcomes } = await runCases([
    { file, name: 'Solver' },
    { file, name: 'default' },
    { file, name: 'Judge', kind: 'judge' },
    { file, name: 'respond', kind: 'script' },
  ]);
  expect(outcomes).toEqual([{ file, reward: 1 }, { file, reward: 1 }, { file }, { file }]);
});
