import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check } from '../../../src/config/check.ts';
import type { ConfigContext } from '../../../src/config/context.ts';
import { dialectOf, dialects, type Dialect } from '../../../src/config/dialect.ts';
import { nodeAt } from '../../../src/config/node.ts';
import { parseConfig, type ConfigDocument } from '../../../src/config/parse.ts';
import { reparse } from '../../../src/config/parse/reparse.ts';
import { readContext } from '../../../src/config/readContext.ts';
import { fuzz } from '../fuzz.ts';
import { lines } from './checking.ts';
import { configFiles } from './configFiles.ts';
import { memoryFiles, posix } from './memoryFiles.ts';

const base = 'ajet:\n  rollout:\n    num_repeat: ${ajet.data.train_batch_size}\n    extra: {a: 1, 2: b}\n';

const [ajet] = dialects;
const filesAround = { '/project/conf/base.yaml': base, '/project/data/here.jsonl': '' };

function contextOf(
  document: ConfigDocument,
  dialect: Dialect,
  files: Readonly<Record<string, string>> = filesAround,
): Promise<ConfigContext> {
  return readContext(document, dialect, {
    file: '/project/conf/exp.yaml',
    cwd: '/project',
    files: memoryFiles(files),
    paths: posix,
    environment: (name) => (name === 'HOME' ? '/root' : undefined),
    classes: { find: () => Promise.resolve({ status: 'elsewhere' }), all: () => Promise.resolve([]) },
  });
}

async function rulesOf(
  document: ConfigDocument,
  files?: Readonly<Record<string, string>>,
): Promise<string[]> {
  return check(await contextOf(document, ajet, files)).map(({ rule }) => rule);
}

/** Everything that an editor learns of a document. */
async function learned(document: ConfigDocument, dialect: Dialect): Promise<unknown> {
  const context = await contextOf(document, dialect);
  const { config, problems, layers } = context.composition;
  return { root: config.root, problems, layers, findings: check(context).map((found) => ({ ...found })) };
}

/** Changes as they are typed: within a word, of a line, of lines together. */
const edit = fc.oneof(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    pattern: fc.constant(/(?<=\w)(?=\w)/g),
    put: fc.constantFrom('x', '_', '0', '.', ': ', ' ', '\n', '??? ', '${a.b}', '${oc.env:HOME}', '{{A}}'),
  }),
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    pattern: fc.constant(/(?<=\w)\w(?=\w)/g),
    put: fc.constantFrom('', 'y', '1'),
  }),
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    pattern: fc.constant(/(?<=: )[^\s#][^\n#]*/g),
    put: fc.constantFrom('', 'null', '???', '7', 'true', '[1, 2]', '{a: 1}', '${.name}', '{{A}}'),
  }),
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    pattern: fc.constant(/^/gm),
    put: fc.constantFrom(
      '\n',
      '# note\n',
      '#',
      'extra: 1\n',
      '  path: data/here.jsonl\n',
      ' ',
      'defaults: [base, _self_]\n',
    ),
  }),
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    pattern: fc.constant(/^.*\n/gm),
    put: fc.constantFrom('', '\n', '\n\n'),
  }),
);

function edited(text: string, { at, pattern, put }: { at: number; pattern: RegExp; put: string }): string {
  const places = [...text.matchAll(pattern)];
  const place = places[Math.min(places.length - 1, Math.floor(at * places.length))];
  if (place === undefined) return text;
  return text.slice(0, place.index) + put + text.slice(place.index + place[0].length);
}

describe('a config that is edited', () => {
  it('is composed and checked as one that has just been opened', async () => {
    const sources = configFiles().filter(({ text }) => dialectOf(text) !== undefined);
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...sources),
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        async (source, edits) => {
          let document = parseConfig(source.text);
          for (const change of edits) {
            const text = edited(document.text, change);
            const dialect = dialectOf(text);
            if (dialect === undefined) return;
            document = reparse(document, text);
            const given = await learned(document, dialect);
            const wanted = await learned(parseConfig(text), dialect);
            if (!isDeepStrictEqual(given, wanted)) expect(given).toEqual(wanted);
            compared += 1;
          }
        },
      ),
      fuzz(20261122, 1_000),
    );
    expect(compared).toBeGreaterThan(150);
  });

  it('is told of a null that was typed while the text was broken', async () => {
    const broken = lines(
      'ajet:',
      '  rollout:',
      '    num_repeat:',
      '  data:',
      '    train_batch_size: 4',
      'wor',
    );
    const before = parseConfig(broken);
    expect(await rulesOf(before)).not.toContain('wrong-type');
    const after = reparse(before, `${broken.trimEnd()}d: 1\n`);
    expect(nodeAt(after.root, ['ajet', 'rollout'])).toBe(nodeAt(before.root, ['ajet', 'rollout']));
    expect(await rulesOf(after)).toContain('wrong-type');
  });

  it('is told of a file that goes', async () => {
    const document = parseConfig(
      lines(
        'ajet:',
        '  task_reader:',
        '    jsonl_dataset_file:',
        '      training: {file_path: data/a.jsonl}',
      ),
    );
    expect(await rulesOf(document, { '/project/data/a.jsonl': '' })).not.toContain('missing-path');
    expect(await rulesOf(document, { '/project/data/b.jsonl': '' })).toContain('missing-path');
  });
});
