import { describe, expect, it } from 'vitest';
import { firstStatementLine, locateMethod } from '../../../../src/configs/core/code/methodPlace.ts';
import { memoryCode, projectClasses } from './memoryCode.ts';
import { cpuTime } from '../../cpuTime.ts';

/** Where `execute` of the class `A` of `/project/w.ts` is, as `file:line:column`. */
async function placeIn(files: Record<string, string>, name = 'A'): Promise<string> {
  const code = memoryCode(files);
  const locator = { kind: 'file', where: '/project/w.ts', name } as const;
  const { file, line, column } = await locateMethod(locator, 'execute', projectClasses(files, code), (file) =>
    code.readText(file),
  );
  return [file, line, column].filter((part) => part !== undefined).join(':');
}

describe('locateMethod', () => {
  it.each([
    ['a function, which has none', 'const execute = 1;\nexport async function A(execute) {}', '2:23'],
    ['a method', 'export class A extends Workflow {\n  x = 1;\n  execute(task) {}\n}', '3:3'],
    [
      'a method with modifiers',
      'export class A extends W {\n  public override async execute(t: T): P {}\n}',
      '2:25',
    ],
    ['one with type parameters', 'export class A extends W {\n  execute<T>(t: T) {}\n}', '2:3'],
    ['an arrow function', 'export class A extends W {\n  readonly execute = async (t) => {};\n}', '2:12'],
    ['a typed property', 'export class A extends W {\n  execute: F = f;\n}', '2:3'],
    ['all on one line', 'export class A extends W { execute() {} }', '1:28'],
    [
      'behind other methods',
      'export class A extends W {\n  a() { this.execute(); execute(); }\n  execute() {}\n}',
      '3:3',
    ],
    [
      'behind texts and comments',
      'export class A extends W {\n  // execute() {}\n  s = `\n  execute() {`;\n  execute() {}\n}',
      '5:3',
    ],
    [
      'behind a base with brackets',
      'export class A extends mixin<{ a: 1 }>({ b: 2 }) implements I<{ c: 3 }> {\n  execute() {}\n}',
      '2:3',
    ],
    ['with decorators', 'export class A extends W {\n  @traced({ a: 1 })\n  execute() {}\n}', '3:3'],
    ['of the right class', 'class B { execute() {} }\nexport class A extends W {\n  execute() {}\n}', '3:3'],
    ['of the next class only: the class', 'export class A extends B {\n}\nclass C { execute() {} }', '1:14'],
    ['inherited: the class', 'class B { execute() {} }\nexport class A extends B {}', '2:14'],
    ['CommonJS', 'exports.A = class extends Workflow {\n  async execute(task) {}\n};', '2:9'],
    ['broken off', 'export class A extends W {\n  execute() {', '2:3'],
    ['no class at all', 'export const x = 1;', ''],
  ])('finds %s', async (_, text, place) => {
    expect(await placeIn({ '/project/w.ts': text })).toBe(
      place === '' ? '/project/w.ts' : `/project/w.ts:${place}`,
    );
  });

  it('follows a class into the file that has it', async () => {
    const files = {
      '/project/w.ts': "export { Own as A } from './own.ts';",
      '/project/own.ts': 'export class Own extends Workflow {\r\n  execute() {}\r\n}',
    };
    expect(await placeIn(files)).toBe('/project/own.ts:2:3');
  });

  it('takes a long text in its stride', async () => {
    const comment = `  /* ${'execute( '.repeat(50_000)} */`;
    const filler = `${'  m() { return [{}, (1), "execute("]; }\n'.repeat(10_000)}${comment}`;
    const started = cpuTime();
    const place = await placeIn({
      '/project/w.ts': `export class A extends W {\n${filler}\n  execute() {}\n}`,
    });
    expect(place).toBe('/project/w.ts:10003:3');
    // A fraction of a second; quadratic costs would be minutes.
    expect(cpuTime() - started).toBeLessThan(10_000);
  });
});

describe('locateMethod in Python', () => {
  it.each([
    [
      'a method',
      'class A(Workflow):\n    x = 1\n\n    async def execute(self, task, tuner):\n        pass\n',
      '4:15',
    ],
    ['a plain method', 'class A(Workflow):\n  def execute(self): pass\n', '2:7'],
    [
      'behind other methods',
      'class A(W):\n    def execute_all(self): pass\n    def execute(self): pass\n',
      '3:9',
    ],
    [
      'behind a text',
      'class A(W):\n    """\n    def execute(): no\n    """\n    def execute(self): pass\n',
      '5:9',
    ],
    [
      'of the right class',
      'class B:\n    def execute(self): pass\nclass A(W):\n    def execute(self): pass\n',
      '4:9',
    ],
    [
      'of the next class only: the class',
      'class A(B):\n    pass\nclass C:\n    def execute(self): pass\n',
      '1:7',
    ],
    ['in an `if`', 'if True:\n    class A(W):\n        def execute(self): pass\n', '3:13'],
  ])('finds %s', async (_, text, place) => {
    const files = { '/project/w.py': text };
    const code = memoryCode(files);
    const found = await locateMethod(
      { kind: 'file', where: '/project/w.py', name: 'A' },
      'execute',
      projectClasses(files, code),
      (file) => code.readText(file),
    );
    expect([found.line, found.column].join(':')).toBe(place);
  });
});

describe('the first statement of a function', () => {
  it.each([
    [
      'class A {\n  async execute(\n    task: Task,\n  ) {\n    // first\n\n    return 1;\n  }\n}\n',
      'a.ts',
      2,
      7,
    ],
    ['export function solve() { return 1; }\n', 'a.js', 1, 1],
    [
      'class A:\n    async def execute(self, task,\n                      tuner):\n        """Runs."""\n        # first\n        x = 1\n',
      'a.py',
      2,
      6,
    ],
    ['def solve(): return 1\n', 'a.py', 1, 1],
  ])('is where a breakpoint stops: %j', (text, file, line, first) => {
    expect(firstStatementLine(text, line, file)).toBe(first);
  });

  it('is unknown if the function is elsewhere', () => {
    expect(firstStatementLine('const a = 1;\nfunction b() {}\n', 1, 'a.ts')).toBeUndefined();
  });
});
