import { stripTypeScriptTypes } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseScript } from '../../../../src/configs/core/code/syntaxTree.ts';
import {
  dropUnusedImports,
  moduleSyntaxOf,
  type ModuleSyntax,
} from '../../../../src/backbone/node/loader/moduleSyntax.ts';
import { fuzz } from '../../fuzz.ts';

describe('imports of which nothing is used as a value are dropped', () => {
  test.each([
    ['import { A, B } from "x"; A;', 'import { A,   } from "x"; A;'],
    ['import { A, B } from "x"; B;', 'import {    B } from "x"; B;'],
    ['import { A, B, C } from "x"; B;', 'import {    B,   } from "x"; B;'],
    ['import { A as B, C as A } from "x"; A;', 'import {         C as A } from "x"; A;'],
    ['import D, { A } from "x"; A;', 'import    { A } from "x"; A;'],
    ['import D, { A } from "x"; D;', 'import D, {   } from "x"; D;'],
    ['import D, * as N from "x"; D;', 'import D         from "x"; D;'],
    ['import D, * as N from "x"; N;', 'import    * as N from "x"; N;'],
    ['import { default as D } from "x"; D;', undefined],
    ['import { A } from "x";', '                     ;'],
    ['import D from "x";', '                 ;'],
    ['import * as N from "x";', '                      ;'],
    ['import "x";', undefined],
    ['import {} from "x";', undefined],
    ['import { A } from "x"; export { A };', undefined],
    ['import { A } from "x"; f(`${A}`);', undefined],
    ['import { $a } from "x"; $a;', undefined],
    ['import { a } from "x"; $a; ab; \u00e4a;', '                     ; $a; ab; \u00e4a;'],
    ['import { A } from "x"; // A\nf("A", `A`);', '                     ; // A\nf("A", `A`);'],
    ['import {\n  A,\n  B,\n} from "x"; B;', 'import {\n    \n  B,\n} from "x"; B;'],
    ['f(`import { A } from "x"`);', undefined],
    ['await import("x"); import.meta.url;', undefined],
    [
      'import { A } from "x"; const s = "a" /* A */ / 2; f(/A/);',
      '                     ; const s = "a" /* A */ / 2; f(/A/);',
    ],
    ['import { A } from "x"; f(`${`${A}`}`);', undefined],
    ['import { /* a, b */ A, B } from "x"; B;', 'import { /* a, b */    B } from "x"; B;'],
    ['import { A } from "x"; const a = ({ b } = {}) => A;', undefined],
    ['import { A } from "x"; @A class B {}', undefined],
    [
      'import { A } from "x";\nimport { B } from "y";\nB;',
      '                     ;\nimport { B } from "y";\nB;',
    ],
  ])('%s', (text, expected) => expect(dropUnusedImports(parseScript(text))).toBe(expected));

  test('whatever is dropped, the rest stays where it was and is still JavaScript', () => {
    const names = fc.uniqueArray(fc.constantFrom('A', 'B', 'C', 'D', 'E'), { minLength: 1 });
    fc.assert(
      fc.property(names, fc.subarray(['A', 'B', 'C', 'D', 'E']), fc.boolean(), (imported, used, spread) => {
        const text = `import {${imported.join(spread ? ' ,\n ' : ',')}} from "x";\nf(${used.join()});\n`;
        const dropped = dropUnusedImports(parseScript(text)) ?? text;
        expect(dropped).toHaveLength(text.length);
        expect(dropped.split('\n')).toHaveLength(text.split('\n').length);
        const left = /\{([^}]*)\}/.exec(dropped)?.[1] ?? '';
        const kept = left.split(',').map((name) => name.trim());
        expect(kept.filter((name) => name !== '')).toEqual(imported.filter((name) => used.includes(name)));
        expect(() => stripTypeScriptTypes(dropped)).not.toThrow();
      }),
      fuzz(11, 2000),
    );
  });
});

const syntaxOf = (text: string): ModuleSyntax => moduleSyntaxOf(parseScript(text));

describe('the module syntax of a text', () => {
  test.each([
    ['import a from "a";', true],
    ['const a = 1;\nexport { a };', true],
    ['"use strict"; import "a"', true],
    ['f(import.meta.url)', true],
    ['import("a")', false],
    ['const a = require("a");', false],
    ['// import a from "a"', false],
    ['f(`\nexport const a = 1;\n`)', false],
    ['export = 3', false],
  ])('%s: a module: %s', (text, expected) => expect(syntaxOf(text).isModule).toBe(expected));

  test.each([
    ['require("a")', true],
    ['join(__dirname, "a")', true],
    ['module.exports = 1', true],
    ['exports.a = 1', true],
    ['export = 1', true],
    ['import { createRequire } from "module"; const require = createRequire(u); require("a")', false],
    ['const __dirname = dirname(fileURLToPath(import.meta.url)); __dirname', false],
    ['my.exports.a; f("require(1)")', false],
  ])('%s: CommonJS: %s', (text, expected) => expect(syntaxOf(text).needsCommonJs).toBe(expected));

  test.each([
    ['@sealed class A {}', true],
    ['class A { @(f()) m() {} }', true],
    ['/** @param a */ f("@b", `@c`, /@d/)', false],
  ])('%s: decorators: %s', (text, expected) => expect(syntaxOf(text).hasDecorators).toBe(expected));
});
