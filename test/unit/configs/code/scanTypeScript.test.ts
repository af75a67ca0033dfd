import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanTypeScript } from '../../../../src/configs/core/code/scanTypeScript.ts';
import { fuzz } from '../../fuzz.ts';
import { cpuTime } from '../../cpuTime.ts';

/** What importers can ask for, and what it is. */
function shown(text: string): string[] {
  const { names, stars } = scanTypeScript(text);
  const exported = [...names].map(([name, binding]) => {
    if (binding.kind === 'imported') return `${name} <- ${binding.module}:${binding.name ?? '*'}`;
    if (binding.kind === 'alias') return `${name} = ${binding.target}`;
    const { kind, bases, parameters } = binding.declaration;
    return `${kind} ${name}(${[...bases, ...parameters].join(', ')})`;
  });
  return [...exported, ...stars.map((module) => `* <- ${module}`)];
}

describe('scanTypeScript', () => {
  it.each([
    ['a class', 'export class A extends Workflow {}', ['class A(Workflow)']],
    ['a class without a base', 'export class A implements B {}', ['class A()']],
    [
      'an abstract class',
      'export abstract class A<T extends Map<string, () => void>> extends x.B {}',
      ['class A(x.B)'],
    ],
    ['a default class', 'export default class A extends B {}', ['class default(B)']],
    ['an anonymous default class', 'export default class extends B {}', ['class default(B)']],
    ['a class in a variable', 'export const A = class extends B {}', ['class A(B)']],
    [
      'functions',
      'export async function run(task: Task<a, b>, { model }: X = {}) {}',
      ['function run(task, { model })'],
    ],
    ['an arrow', 'export const run = async (task, model) => {}', ['function run(task, model)']],
    ['an arrow of one', 'export const run = task => {}', ['function run(task)']],
    ['a typed arrow', 'export const run: Run<A> = async (task) => {}', ['function run(task)']],
    ['a value', 'export const A = make({ a: 1 });', ['value A()']],
    ['an alias', 'class B {}\nexport const A = B;', ['class A()']],
    [
      'a list',
      'class A extends B {}\nfunction f(x) {}\nexport { A, f as g, type T };',
      ['class A(B)', 'function g(x)'],
    ],
    ['a default by name', 'class A extends B {}\nexport default A;', ['class default(B)']],
    [
      'what is passed on',
      "export { A, B as C } from './a.js';\nexport * from './b';\nexport * as ns from './c';",
      ['A <- ./a.js:A', 'C <- ./a.js:B', 'ns <- ./c:*', '* <- ./b'],
    ],
    [
      'imports that are passed on',
      "import D, { A as B } from './a';\nimport * as N from './n';\nexport { D, B, N };",
      ['D <- ./a:default', 'B <- ./a:A', 'N <- ./n:*'],
    ],
    ['no types', "export type { A } from './a';\nexport interface B {}\nexport type C = string;", []],
    [
      'CommonJS',
      "const { A } = require('./a');\nclass B extends A {}\nmodule.exports = { A, C: B };",
      ['A <- ./a:A', 'class C(A)'],
    ],
    [
      'one by one',
      'exports.A = class extends B {};\nmodule.exports.f = function (task) {};',
      ['class A(B)', 'function f(task)'],
    ],
    ['one class', 'module.exports = class A extends B {};', ['class default(B)']],
    ['TypeScript for it', 'class A extends B {}\nexport = A;', ['class default(B)']],
    [
      'nothing in strings and comments',
      '// export class A {}\nconst x = `export class B {}`; "export class C {}"',
      [],
    ],
    ['nothing that is nested', 'function f() { const exported = 1; class A {} }\n{ class B {} }', []],
    ['a name beyond ASCII', 'export class Größe$ extends Workflow {}', ['class Größe$(Workflow)']],
  ])('finds %s', (_, text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it.each([
    [
      'a division after a bracket',
      'export const half = (a + b) / 2;\nexport class A {} // /',
      ['value half()', 'class A()'],
    ],
    ['a regular expression after a bracket', 'if (x) /["`{]/.test(y);\nexport class A {}', ['class A()']],
    [
      'nested templates',
      'export const t = `${[1].map((x) => `${{ a: `}` }.a}{`)}`;\nexport class A {}',
      ['value t()', 'class A()'],
    ],
    [
      'a generic arrow function',
      'export const run = <T>(task: T, model) => {}',
      ['function run(task, model)'],
    ],
    [
      'a generic arrow function with a bound',
      'export const run = async <T extends X<Y>>(task: T) => {}',
      ['function run(task)'],
    ],
    [
      'a function type as annotation',
      'export const run: (x: number) => void = (task) => {}',
      ['function run(task)'],
    ],
    ['an object type as annotation', 'export const run: { a: 1; b: 2 } = make();', ['value run()']],
    [
      'parentheses',
      'class B {}\nexport const A = (B);\nexport const C = (class extends B {});',
      ['class A()', 'class C(B)'],
    ],
    ['a value in parentheses', 'export const a = (1 + 2) * 3;', ['value a()']],
    [
      'JSX with quotes and braces',
      "export const v = () => <p title='{'>don't {f('}')}</p>;\nexport class A {}",
      ['function v()', 'class A()'],
    ],
    ['a decorated class', '@sealed({ a: [1] })\nexport class A extends B {}', ['class A(B)']],
    [
      'a class with type parameters as a value',
      'export const A = class<T> extends B<T> implements C {};',
      ['class A(B)'],
    ],
    [
      'a default class with interfaces',
      'export default class extends B implements C, D<E> {}',
      ['class default(B)'],
    ],
    ['a list that begins with a type', "export { type T, A } from './a';", ['A <- ./a:A']],
    ['several variables', 'export const a = 1, A = class extends B {};', ['value a()', 'class A(B)']],
    ['destructuring', 'export const { A, b: B } = make();', ['value A()', 'value B()']],
    ['satisfies and as', 'class B {}\nexport const A = B satisfies X as Y;', ['class A()']],
    [
      'an object with methods',
      'module.exports = { run(task, model) {}, A: class extends B {} };',
      ['function run(task, model)', 'class A(B)'],
    ],
    ['a chain', 'exports.A = exports.B = class extends C {};', ['class A(C)', 'class B(C)']],
    ['a property of require', "exports.A = require('./a').B;", ['A <- ./a:B']],
    [
      'a class after a conflict',
      '<<<<<<< HEAD\nexport class A {}\n=======\nexport class B {}\n>>>>>>> other\nexport class C {}',
      ['class A()', 'class B()', 'class C()'],
    ],
    ['a class after a bracket that is never closed', 'const x = f(1,\nexport class A {}', ['class A()']],
    ['a class after a statement that is broken', 'const x = = 1;\nexport class A {}', ['class A()']],
    [
      'a default and a namespace of one import',
      "import D, * as N from './n';\nexport { D, N };",
      ['D <- ./n:default', 'N <- ./n:*'],
    ],
    [
      'a class after import attributes',
      "import j from './j.json' with { type: 'json' };\nexport class A {}",
      ['class A()'],
    ],
  ])('understands %s', (_, text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it('knows where a name stands', () => {
    const text = 'export class  A extends B {}\nexport const  run = (a) => {};\nexport default class Own {}';
    const { declarations } = scanTypeScript(text);
    expect(declarations.map(({ offset }) => /^\w+/.exec(text.slice(offset))?.[0])).toEqual([
      'A',
      'run',
      'Own',
    ]);
  });

  it('says that names may come from elsewhere', () => {
    expect(scanTypeScript('__exportStar(require("./a"), exports);').hasMore).toBe(true);
    expect(scanTypeScript('export class A {}').hasMore).toBe(false);
  });

  it('takes any text, in time linear in its length', () => {
    const pieces = [
      'export ',
      'default ',
      'class ',
      'A',
      ' extends ',
      'const x = ',
      '{',
      '}',
      '(',
      ')',
      '<',
      '>',
      '=>',
      ' from ',
      '"./a"',
      "'",
      '`',
      '${',
      '/',
      '*',
      ';',
      '\n',
      'module.exports = ',
      'function ',
      ',',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (chosen) => {
        const { declarations } = scanTypeScript(chosen.join(''));
        expect(Array.isArray(declarations)).toBe(true);
      }),
      fuzz(7102, 5000),
    );
    for (const piece of [
      'export class A<',
      'export {',
      'const x: ',
      'import {',
      'export function f(',
      'module.exports = {',
      'export ',
    ]) {
      const started = cpuTime();
      scanTypeScript(piece.repeat(100_000 / piece.length));
      expect(cpuTime() - started).toBeLessThan(5000);
    }
  });
});
