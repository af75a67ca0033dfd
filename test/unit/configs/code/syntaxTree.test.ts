import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  nodesNamed,
  parsePython,
  parseScript,
  stringContent,
} from '../../../../src/configs/core/code/syntaxTree.ts';
import { scanJobs } from '../../../../src/configs/core/code/jobScan.ts';
import { toolAt } from '../../../../src/configs/core/code/toolPlace.ts';
import { scanTuneCalls } from '../../../../src/configs/core/code/tuneScan.ts';
import { fuzz } from '../../fuzz.ts';
import { cpuTime } from '../../cpuTime.ts';

describe.each([
  ['parseScript', parseScript],
  ['parsePython', parsePython],
])('%s', (_, parse) => {
  it('keeps every offset of any text', () => {
    const unit = fc.constantFrom(
      ...Array.from('ab/*\\\'"`${}\n\r[]=<>#@: (\uFEFF'),
      'class ',
      'export ',
      'import ',
    );
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const parsed = parse(text);
        expect(parsed.text).toBe(text);
        expect(parsed.tree.length).toBe(text.length);
      }),
      fuzz(18, 2000),
    );
  });

  it('ends soon for a text with brackets that are never closed', () => {
    const started = cpuTime();
    parse('x=('.repeat(30_000));
    expect(cpuTime() - started).toBeLessThan(10_000);
  });
});

test.each([
  ['a division', 'const a = (b) / c; const d = "x"; e / f'],
  ['a regular expression', 'if (a) /"/.test(b); const d = "x";'],
  ['a nested template', 'const a = `${`"${b}"`}"`; const d = "x";'],
  ['JSX', "const a = <p title='y'>don't {b}</p>; const d = \"x\";"],
  ['a generic arrow function next to JSX text', 'const a = <T,>(b: T) => <p>"</p>; const d = "x";'],
  ['a default of a destructured parameter', 'const a = ({ b } = {}) => 1; const d = "x";'],
  ['a comment', '/* "y" */ const d = "x"; // "z"'],
])('the strings of a script after %s', (_, text) => {
  const parsed = parseScript(text);
  expect(nodesNamed(parsed, 'String').map((node) => stringContent(node, text))).toEqual(['x']);
});

test.each([
  [`'a'`, 'a'],
  [`"a"`, 'a'],
  [`rb'''a'b'''`, `a'b`],
  [`"""\na"""`, '\na'],
  [`''`, ''],
])('the content of the Python string %s', (text, content) => {
  const [node] = nodesNamed(parsePython(text), 'String');
  expect(node && stringContent(node, text)).toBe(content);
});

test.each([
  ['a tool in an object on one line', 'const t = { run: 1, find: (q) => q };', 'find', 1, 21],
  ['a generic method', 'class A {\n  find<T>(q: T) {}\n}', 'find', 2, 3],
  ['a method over lines', 'class A {\n  async find(\n    q: string,\n  ) {}\n}', 'find', 2, 9],
  ['a function in a template', 'const a = `${function find() {}}`;', 'find', 1, 23],
])('%s is found', (_, text, name, line, column) => {
  expect(toolAt(text, name, 'typescript')).toEqual({ line, column, function: name });
});

test.each([
  ['a call', 'const a = find(\n  find, { find }\n);'],
  ['an import', "import { find } from './find.ts';"],
  ['a parameter', 'function a(find) {}'],
  ['a comment', '// function find() {}'],
])('%s is not a tool', (_, text) => {
  expect(toolAt(text, 'find', 'typescript')).toBeUndefined();
});

test('calls over lines and with comments are found', () => {
  const script = "import { AgentJetJob } from 'agentjet';\nconst a = new /* a job */ AgentJetJob\n  ();\n";
  expect(scanJobs(script)).toEqual([{ line: 1 }]);
  const python = 'import agentscope.tuner\nx = f"{1}"\nagentscope \\\n  .tuner.tune(f)\n';
  expect(scanTuneCalls(python)).toEqual([{ line: 3, given: [] }]);
});
