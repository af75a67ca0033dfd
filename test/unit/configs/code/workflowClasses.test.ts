import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanUserWorkflows } from '../../../../src/configs/core/code/userWorkflows.ts';
import { fuzz } from '../../fuzz.ts';

const sdk = "import { Workflow } from 'agentjet';\n";
const names = (text: string): string[] => scanUserWorkflows(text, 'typescript').map((found) => found.name);

describe('scanUserWorkflows in classes of TypeScript', () => {
  it.each([
    ['a class', `${sdk}export class A extends Workflow {}`, ['A']],
    ['a default class', `${sdk}export default class A extends Workflow {}`, ['A']],
    ['an anonymous default class', `${sdk}export default class extends Workflow {}`, ['default']],
    ['an abstract class', `${sdk}export abstract class A extends Workflow {}`, []],
    [
      'a class of an abstract one',
      `${sdk}export class B extends A {}\nabstract class A extends Workflow {}`,
      ['B'],
    ],
    ['several', `${sdk}class A extends Workflow {}\nclass B extends Workflow {}`, ['A', 'B']],
    ['a class in a variable', `${sdk}export const A = class extends Workflow {}`, ['A']],
    ['type parameters', `${sdk}class A<T extends Map<string, () => void>, U> extends Workflow {}`, ['A']],
    ['interfaces', `${sdk}class A extends Workflow implements X, Y {}`, ['A']],
    ['lines between', `${sdk}export\nclass\n  A\n  extends\n  Workflow\n{}`, ['A']],
    ['a name beyond ASCII', `${sdk}class Größe$ extends Workflow {}`, ['Größe$']],
    [
      'an alias',
      `import { type AjetTuner, Workflow as Base } from "agentjet"; class A extends Base {}`,
      ['A'],
    ],
    ['a namespace', `import * as aj from 'agentjet'; class A extends aj.Workflow {}`, ['A']],
    ['require', `const { Workflow } = require('agentjet'); exports.A = class extends Workflow {}`, ['A']],
    ['require, renamed', `const { Workflow: W } = require('agentjet'); class A extends W {}`, ['A']],
    ['require, whole', `const aj = require("agentjet"); class A extends aj.Workflow {}`, ['A']],
    ['CRLF and a BOM', `\ufeff${sdk}class A extends Workflow {}`.replaceAll('\n', '\r\n'), ['A']],
    [
      'code after an apostrophe in JSX text',
      `${sdk}const p = <p>don't</p>;\nclass A extends Workflow {}`,
      ['A'],
    ],
    ['code after a regular expression', `${sdk}const q = /["'\`/]/;\nclass A extends Workflow {}`, ['A']],
    ['code after a division', `${sdk}const q = a / b; class A extends Workflow {} // '/`, ['A']],
    ['code after a template', `${sdk}const q = \`\${ {a: \`}\`} } '\`; class A extends Workflow {}`, ['A']],
    ['a comment', `${sdk}// class A extends Workflow {}\n/* class B extends Workflow {} */`, []],
    ['a string', `${sdk}const a = "class A extends Workflow {}";`, []],
    ['a template', `${sdk}const a = \`\nclass A extends Workflow {}\n\`;`, []],
    ['another Workflow', `import { Workflow } from './mine'; /* agentjet */ class A extends Workflow {}`, []],
    ['another package', `import { Workflow } from 'agentjet-extras'; class A extends Workflow {}`, []],
    ['another base', `${sdk}class A extends Error {}`, []],
    ['a commented import', `// ${sdk}class A extends Workflow {}`, []],
    ['nothing', '', []],
  ])('%s', (_, text, expected) => {
    expect(names(text)).toEqual(expected);
  });

  it('says where the class is declared', () => {
    const text = `${sdk}\n/** Mine. */\nexport default class A extends Workflow {}\n`;
    const [found] = scanUserWorkflows(text, 'typescript');
    expect(found).toEqual({ name: 'A', line: 3 });
  });

  it('never fails, whatever the text', () => {
    const piece = fc.constantFrom(
      ...['class ', 'extends ', 'Workflow', '<', '>', '{', '}', '`', '${', "'", '"', '/', '*', '\\', '\n'],
      ...[sdk, 'export ', 'default ', 'A', '=>', '[', ']'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = sdk + pieces.join('');
        const lines = text.split('\n');
        for (const { line } of scanUserWorkflows(text, 'typescript')) expect(lines[line]).toMatch(/\S/);
      }),
      fuzz(17, 5000),
    );
  });
});
