import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renameAt } from '../../../../src/configs/core/navigate/rename.ts';
import { applyEdits } from '../../../../src/configs/core/text.ts';
import type { Plain } from '../../../../src/configs/core/value.ts';
import { fuzz } from '../../fuzz.ts';
import { contextOf } from './project.ts';

const names = ['a', 'b', 'c'] as const;
const section = fc.constantFrom('x', 'y');
const name = fc.constantFrom(...names);
/** References that may resolve, may loop, may lead nowhere: a rename changes none of that. */
const value = fc.oneof(
  ...[fc.nat(9).map(String), fc.nat(9).map(String), fc.nat(9).map(String)],
  fc.tuple(section, name).map(([from, key]) => `\${${from}.${key}}`),
  fc.tuple(section, name).map(([from, key]) => `"\${${from}[${key}]}!"`),
  name.map((key) => `\${.${key}}`),
  fc.tuple(section, name).map(([from, key]) => `'\${..${from}.${key}}'`),
  fc.tuple(section, name).map(([from, key]) => `[1, "\${${from}.${key}} \${.[0]}"]`),
  section.map((from) => `\${${from}}`),
);
const body = fc.record({ a: value, b: value, c: value });

function textOf(sections: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  const written = Object.entries(sections).map(([key, entries]) => {
    const lines = Object.entries(entries).map(([own, text]) => `  ${own}: ${text}\n`);
    return `${key}:\n${lines.join('')}`;
  });
  return `ajet: {}\n${written.join('')}`;
}

function renamedIn(plain: Plain | undefined, from: string, to: string): Plain | undefined {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) return plain;
  return Object.fromEntries(Object.entries(plain).map(([key, own]) => [key === from ? to : key, own]));
}

describe('a rename', () => {
  it('changes no effective value, in whatever way the key is named', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(body, body, section, name, async (x, y, renamedSection, key) => {
        const before = await contextOf(textOf({ x, y }));
        const { text } = before.document;
        const offset = text.indexOf(`  ${key}:`, text.indexOf(`\n${renamedSection}:`)) + 2;
        const result = renameAt(before, offset, 'renamed');
        if (!result.ok) throw new Error(result.message);
        const after = await contextOf(applyEdits(text, result.edits));
        const problems = (context: typeof before): number => context.composition.problems.length;
        expect(problems(after)).toBe(problems(before));
        const { x: plainX, y: plainY } = before.composition.config.plain();
        // What stays as written names the key by its new name; what brings in a section has the key in it.
        if (JSON.stringify([plainX, plainY]).includes('${') || /\$\{[xy]\}/.test(text)) return;
        compared += 1;
        const { x: afterX, y: afterY } = after.composition.config.plain();
        const inX = renamedSection === 'x';
        expect(afterX).toEqual(inX ? renamedIn(plainX, key, 'renamed') : plainX);
        expect(afterY).toEqual(inX ? plainY : renamedIn(plainY, key, 'renamed'));
      }),
      fuzz(7104, 1000),
    );
    expect(compared).toBeGreaterThan(5);
  });
});
