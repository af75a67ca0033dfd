import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanPython } from '../../../../src/configs/core/code/scanPython.ts';
import { fuzz } from '../../fuzz.ts';
import { cpuTime } from '../../cpuTime.ts';

/** Declarations as `kind name(bases or parameters)`, then where other names come from. */
function shown(text: string): string[] {
  const { declarations, names, stars } = scanPython(text);
  const declared = declarations.map(
    ({ kind, name, bases, parameters, registered }) =>
      `${kind} ${name}(${[...bases, ...parameters].join(', ')})${registered === undefined ? '' : ` as ${registered}`}`,
  );
  const others = [...names].flatMap(([name, binding]) => {
    if (binding.kind === 'imported') return [`${name} <- ${binding.module}:${binding.name ?? '*'}`];
    return binding.kind === 'alias' ? [`${name} = ${binding.target}`] : [];
  });
  return [...declared, ...others, ...stars.map((module) => `* <- ${module}`)];
}

describe('scanPython', () => {
  it.each([
    ['a class', 'class A:\n  pass\n', ['class A()']],
    [
      'bases',
      'class A(Workflow, ajet.Base, Generic[T, U], metaclass=M):\n  pass',
      ['class A(Workflow, ajet.Base, Generic)'],
    ],
    [
      'bases over lines',
      'class A(\n    Workflow,  # why\n    Other,\n):\n  pass',
      ['class A(Workflow, Other)'],
    ],
    ['a base in the next line', 'class A \\\n  (Workflow): pass', ['class A(Workflow)']],
    ['type parameters', 'class A[T: (int, str)](Workflow):\n  pass', ['class A(Workflow)']],
    ['what is decorated', '@dataclass(\n  frozen=True)\n@other\nclass A(B): ...', ['class A(B)']],
    [
      'what Trinity registers',
      '@WORKFLOWS.register_module("my_workflow")\nclass A(Workflow): ...',
      ['class A(Workflow) as my_workflow'],
    ],
    [
      'a registration of the one after only',
      '@R.register_module("a")\nclass A: ...\nclass B: ...',
      ['class A() as a', 'class B()'],
    ],
    [
      'functions',
      'async def run(task, *, model: OpenAI[int, str] = f(1, 2), **more): ...',
      ['function run(task, model, **more)'],
    ],
    ['a star and a slash', 'def f(a, /, b, *, c): ...', ['function f(a, b, c)']],
    ['a comparison as default', 'def f(a=1 < 2, b=3): ...', ['function f(a, b)']],
    [
      'nothing of what is nested',
      'class A:\n  class B: ...\n  def f(self): ...\ndef g():\n  class C: ...\n',
      ['class A()', 'function g()'],
    ],
    [
      'what stands in try and if',
      'try:\n  from a import X\nexcept ImportError:\n  X = None\nif True:\n  class B: ...',
      ['class B()', 'X <- a:X'],
    ],
    ['nothing that only type checkers see', 'if TYPE_CHECKING:\n  from a import X\n', []],
    [
      'nothing in strings',
      '"""\nclass A: ...\n"""\nx = """class B: ..."""\ny = \'\'\'\nclass C: ...\'\'\'\n',
      [],
    ],
    ['nothing in comments', '# class A: ...\n', []],
    ['a class after a string that is never closed', "x = 'it\nclass A: ...", ['class A()']],
    ['a class after brackets that are never closed', 'x = foo(\nclass A(B): ...', ['class A(B)']],
    [
      'imports',
      'from .a import (\n  X,\n  Y as Z,\n)\nimport p.q, r.s as t\nfrom ..m import *',
      ['X <- .a:X', 'Z <- .a:Y', 'p <- p:*', 't <- r.s:*', '* <- ..m'],
    ],
    ['import over a backslash', 'from a import b, \\\n  c\n', ['b <- a:b', 'c <- a:c']],
    ['aliases', 'X = other.Y\nZ: type = X\n', ['X = other.Y', 'Z = X']],
    ['a name beyond ASCII', 'class Größe(Workflow): ...', ['class Größe(Workflow)']],
    ['CRLF and a BOM', '\uFEFFclass A(\r\n  B):\r\n  pass\r\nclass C: ...\r\n', ['class A(B)', 'class C()']],
    ['nothing of what only begins alike', 'classes = 1\ndefault = 2\nfrom_here = 3\nimported = 4\n', []],
  ])('finds %s', (_, text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it.each([
    ['a nested f-string', 'x = f"{f(\'class A: ...\')!r:>{w}}"\nclass B: ...', ['class B()']],
    ['quotes of the same kind in an f-string', 'x = f"{d["a"]} (["\nclass B: ...', ['class B()']],
    [
      'a string over lines with an escaped quote',
      'x = """ \\""" class A: ...\n"""\nclass B: ...',
      ['class B()'],
    ],
    ['statements in one line', 'x = 1; y = m.X; import a', ['y = m.X', 'a <- a:*']],
    ['a block in one line', 'if x: from a import X\n', ['X <- a:X']],
    [
      'every branch',
      'try: import a\nexcept A: pass\nelse: import b\nfinally: import c\n',
      ['a <- a:*', 'b <- b:*', 'c <- c:*'],
    ],
    [
      'the other branch of what type checkers see',
      'if TYPE_CHECKING:\n  from a import X\nelse:\n  X = None\n  from b import Y\n',
      ['Y <- b:Y'],
    ],
    [
      'type parameters of functions',
      'def f[T: (int, str)](task: T, model: T) -> T: ...',
      ['function f(task, model)'],
    ],
    [
      'a lambda and a slice as default',
      'def f(a=lambda x, y: x, b=c[1:2], *, d: "x, y" = 1): ...',
      ['function f(a, b, d)'],
    ],
    ['a class over continued lines', 'class \\\n  A \\\n  (B): ...', ['class A(B)']],
    [
      'a decorator over lines',
      '@register(\n  "class X: ...",\n)\nasync def f(task): ...',
      ['function f(task)'],
    ],
    ['a registration by keyword', '@W.register_module(name="a")\nclass A: ...', ['class A() as a']],
    ['starred bases', 'class A(B, *others, metaclass=M, **kw): ...', ['class A(B)']],
    ['a chain of targets', 'A = B = m.C\n', ['A = m.C', 'B = m.C']],
    [
      'nothing of what is nested in functions',
      'async def g():\n  async with x:\n    class C: ...\n  def h(): ...\n',
      ['function g()'],
    ],
    ['a match statement', 'match x:\n  case A(b=[1, *_]): pass\nclass B: ...', ['class B()']],
    [
      'a conflict',
      '<<<<<<< HEAD\nclass A: ...\n=======\nclass B: ...\n>>>>>>> other\nclass C: ...',
      ['class A()', 'class B()', 'class C()'],
    ],
    [
      'a class after a parameter list that is never closed',
      'def f(\n  a,\n\nclass A(B): ...',
      ['function f(a)', 'class A(B)'],
    ],
    [
      'a class after one that is broken',
      'class A(B:\n  def f(self): ...\n\nclass C: ...',
      ['class A(B)', 'class C()'],
    ],
  ])('understands %s', (_, text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it('knows where a name stands', () => {
    const text = '@x("class A")\nclass  A(B): ...\nasync  def fdef(task): ...';
    const places = scanPython(text).declarations.map(({ name, offset }) =>
      text.slice(offset, offset + name.length),
    );
    expect(places).toEqual(['A', 'fdef']);
  });

  it('says that names may come from elsewhere', () => {
    expect(scanPython('def __getattr__(name): ...').hasMore).toBe(true);
    expect(scanPython('globals()["X"] = 1').hasMore).toBe(true);
    expect(scanPython('# globals()').hasMore).toBe(false);
  });

  it('takes any text', () => {
    const pieces = [
      'class ',
      'def ',
      'A',
      '(',
      ')',
      '[',
      ']',
      ':',
      '\n',
      '\r\n',
      '  ',
      '"',
      "'",
      '"""',
      "'''",
      '\\',
      '#',
      '@',
      'from ',
      'import ',
      '.',
      ',',
      '=',
      'é',
      '\ud800',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (chosen) => {
        const text = chosen.join('');
        for (const { name, offset } of scanPython(text).declarations) {
          expect(text.slice(offset, offset + name.length)).toBe(name);
        }
      }),
      fuzz(7101, 5000),
    );
  });

  it('takes time linear in the text', () => {
    for (const piece of [
      'class A(',
      'def f(',
      '"""',
      '(',
      "'",
      'from a import (',
      '@x(',
      'class A[',
      '\\\n',
      'x = (1,\n',
    ]) {
      const started = cpuTime();
      scanPython(piece.repeat(100_000 / piece.length));
      expect(cpuTime() - started).toBeLessThan(5000);
    }
  });
});
