import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check, diagnose } from '../../../src/configs/core/check.ts';
import { completeIn } from '../../../src/configs/core/completion/completeIn.ts';
import type { ConfigEnvironment } from '../../../src/configs/core/context.ts';
import { dialectOf, dialects, findAjetKey } from '../../../src/configs/core/dialect.ts';
import { hoverIn } from '../../../src/configs/core/hover.ts';
import { ajetKeys } from '../../../src/configs/core/key-tables/keyTable.ts';
import { parseConfig, type ConfigDocument } from '../../../src/configs/core/parse.ts';
import { readContext } from '../../../src/configs/core/readContext.ts';
import { visitAll } from '../../../src/configs/core/rules/visit.ts';
import { applyEdits } from '../../../src/configs/core/text.ts';
import { complete } from './caret.ts';
import { realTexts, snippets, wholeConfig } from './configTexts.ts';
import { composeText, memoryFiles } from './memoryFiles.ts';
import { fuzz } from '../fuzz.ts';

/** Edits that leave a text mostly as it was, and somewhere broken. */
const corruption = fc.record({
  at: fc.nat({ max: wholeConfig.length }),
  length: fc.nat({ max: 30 }),
  insert: fc.oneof(fc.constantFrom(...snippets), fc.string({ maxLength: 6 }), fc.constant('')),
});

type Corruption = typeof corruption extends fc.Arbitrary<infer T> ? T : never;

/** Places count from the start of `wholeConfig`; in another text they are as far along. */
function corrupt(source: string, changes: readonly Corruption[]): string {
  return changes.reduce((text, { at, length, insert }) => {
    const start = Math.floor((at / wholeConfig.length) * source.length);
    return text.slice(0, start) + insert + text.slice(start + length);
  }, source);
}

const corruptions = fc.array(corruption, { minLength: 1, maxLength: 5 });
const corrupted = corruptions.map((changes) => corrupt(wholeConfig, changes));
/** Every other one is of a real config, where there are some. */
const anyCorrupted = fc
  .tuple(fc.oneof(fc.constant(wholeConfig), fc.constantFrom(wholeConfig, ...realTexts)), corruptions)
  .map(([source, changes]) => corrupt(source, changes));

describe('a corrupted config', () => {
  it('never makes the language features throw, and what they give fits the text', () => {
    fc.assert(
      fc.property(
        corrupted,
        fc.array(fc.nat({ max: wholeConfig.length }), { maxLength: 6 }),
        (text, carets) => {
          const document = parseConfig(text);
          findAjetKey(text);
          for (const { range, fixes } of diagnose(document)) {
            expect(range.start.offset).toBeLessThanOrEqual(range.end.offset);
            expect(range.end.offset).toBeLessThanOrEqual(text.length);
            for (const fix of fixes) parseConfig(applyEdits(text, fix.edits));
          }
          for (const caret of carets) {
            const offset = Math.min(caret, text.length);
            for (const { edit } of complete(document, offset)) {
              expect(edit.span.start).toBeLessThanOrEqual(offset);
              expect(edit.span.end).toBeGreaterThanOrEqual(offset);
            }
          }
        },
      ),
      fuzz(20260117, 4_000),
    );
  });

  it('never makes composing reject', async () => {
    await fc.assert(
      fc.asyncProperty(corrupted, async (text) => {
        const { config } = await composeText(text, {
          files: { '/project/ajet/default_config/ajet_default.yaml': text },
        });
        expect(config.plain()).toBeTypeOf('object');
      }),
      fuzz(20260118, 2_000),
    );
  });

  it('is checked and explained with what is around it', async () => {
    await fc.assert(
      fc.asyncProperty(anyCorrupted, fc.nat({ max: wholeConfig.length }), async (text, caret) => {
        await useAll(parseConfig(text), Math.min(caret, text.length));
      }),
      fuzz(20260303, 20_000),
    );
    // A limit for what hangs: the deep run takes minutes on a machine that does much else.
  }, 600_000);

  it('has no more values to look at than ten of what it was', () => {
    const visits = (text: string): number => visitAll(parseConfig(text), ajetKeys()).length;
    const most = 10 * visits(wholeConfig);
    fc.assert(
      fc.property(corrupted, (text) => {
        expect(visits(text)).toBeLessThanOrEqual(most);
      }),
      fuzz(20260305, 2_000),
    );
  });

  it('is completed above the break as if nothing was broken', () => {
    const breakAt = wholeConfig.indexOf('  rollout:');
    const from = wholeConfig.indexOf('  task_reader:') + '  task_reader:\n'.length;
    const offers = (text: string, caret: number): unknown => complete(parseConfig(text), caret);
    fc.assert(
      fc.property(
        fc.integer({ min: from, max: breakAt - 1 }),
        fc.integer({ min: breakAt, max: wholeConfig.length }),
        corruption,
        (caret, at, { length, insert }) => {
          const text = wholeConfig.slice(0, at) + insert + wholeConfig.slice(at + length);
          // A caret further to the left is among the keys that the break is among, too.
          fc.pre(caret - (wholeConfig.lastIndexOf('\n', caret - 1) + 1) >= 4);
          // What is put in front of the next section may still belong to this one.
          fc.pre(/^ {0,2}\S/.test(text.slice(breakAt)) && !text.includes('\r\n'));
          expect(offers(text, caret)).toEqual(offers(wholeConfig, caret));
        },
      ),
      fuzz(20260306, 2_000),
    );
  });

  it.each([
    ['brackets without end', '['.repeat(20_000)],
    ['nested keys without end', 'a: '.repeat(5_000)],
    ['items without end', '- '.repeat(5_000)],
    ['a line of 5 MB', 'x'.repeat(5_000_000)],
    ['a line of 5 MB in quotes', `"${'x y '.repeat(1_250_000)}`],
    ['a comment of 5 MB', `# ${'é'.repeat(5_000_000)}`],
    ['blanks of 5 MB', ' '.repeat(5_000_000)],
    ['half of a character', '\ud800'.repeat(50)],
    ['separators that are no line ends in YAML', 'a\u2028b: \u2029c\u0085d'],
    ['zeros', '\0'.repeat(1_000)],
    ['deeper and deeper', Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['aliases that explode', explosion()],
  ])('survives %s', async (_, text) => {
    const inside = `ajet:\n  project_name: ${text}\n`;
    const wholes = text.length > 1_000_000 ? [inside] : [text, inside, `${wholeConfig}\n${text}`];
    for (const whole of wholes) await useAll(parseConfig(whole), Math.min(20, whole.length));
  });
});

/** Everything that the editor does with a text at a caret. */
async function useAll(document: ConfigDocument, caret: number): Promise<void> {
  const dialect = dialectOf(document.text) ?? dialects[0];
  const context = await readContext(document, dialect, configEnvironment);
  for (const { range } of check(context)) {
    expect(range.start.offset).toBeLessThanOrEqual(range.end.offset);
    expect(range.end.offset).toBeLessThanOrEqual(document.text.length);
  }
  hoverIn(context, caret);
  await completeIn(document, caret, {
    dialect,
    configEnvironment,
    composition: context.composition,
  });
}

const configEnvironment: ConfigEnvironment = {
  file: '/project/conf/exp.yaml',
  cwd: '/project',
  files: memoryFiles({}),
  paths: path.posix,
  environment: () => undefined,
  classes: { find: () => Promise.resolve({ status: 'elsewhere' }), all: () => Promise.resolve([]) },
};

/** Nine times nine times nine … values in ten lines. */
function explosion(): string {
  const rows = Array.from('abcdefghij').map((name, index, names) => {
    const items = Array<string>(9).fill(index === 0 ? 'x' : `*${names[index - 1] ?? ''}`);
    return `${name}: &${name} [${items.join(', ')}]`;
  });
  return `\n${rows.join('\n')}`;
}
