/** The prose check: every rule with its two sentences, and where texts are found. */
import { describe, expect, it } from 'vitest';
import { checkText, filesToCheck } from '../../tools/prose.ts';
import { proseRules } from '../../tools/proseRules.ts';

const found = (file: string, content: string): readonly string[] =>
  checkText(file, content).map(({ line, rule }) => `${line} ${rule}`);

const twentyFive = `One ${'two '.repeat(23)}end.`;
const twentySix = `One ${'two '.repeat(24)}end.`;

describe('a rule of the prose check', () => {
  it.each(proseRules)('$id finds its idiom and accepts plain wording', ({ id, at, fails, passes }) => {
    const [file, wrap] =
      at === 'docStart'
        ? ['src/x.ts', (text: string) => `/** ${text} */`]
        : ['README.md', (text: string) => text];
    expect(found(file, wrap(fails))).toContain(`1 ${id}`);
    expect(found(file, wrap(passes))).toEqual([]);
  });

  it('allows 25 words in a sentence and counts a code span or placeholder as one', () => {
    expect(found('README.md', twentyFive)).toEqual([]);
    expect(found('README.md', twentySix)).toEqual(['1 long-sentence']);
    expect(found('README.md', twentyFive.replace('end', '`agentjet check a.yaml b.yaml`'))).toEqual([]);
    expect(found('README.md', `${twentyFive} ${twentyFive}`)).toEqual([]);
    expect(found('README.md', `Some formats, e.g. ${twentyFive.slice(0, -30)}`)).toEqual([]);
  });
});

describe('the prose check', () => {
  it('reads Markdown: paragraphs, lists, tables and links, but no code', () => {
    const text = [
      '# Heeded',
      '',
      'A plain line.',
      'Here it is *told*. `told` is code.',
      '',
      '- one item',
      '- an item [told](https://example.com/told)',
      '',
      '| a    | b |',
      '| ---- | - |',
      '| told | x |',
      '',
      '```sh',
      'told',
      '```',
    ];
    expect(found('docs/x.md', text.join('\n'))).toEqual(['1 heed', '4 told', '7 told', '11 told']);
  });

  it('reads the newest version of the changelog only', () => {
    const text = '# Changelog\n\n## Unreleased\n\nTold.\n\n## 0.1.0\n\nTold.\n';
    expect(found('CHANGELOG.md', text)).toEqual(['5 told']);
  });

  it('reads doc comments part by part', () => {
    const text = [
      '/**',
      ' * Whether it is so. What is told is',
      ' * told.',
      ' * @param x of the told; `told`',
      ' * @returns whether it is so',
      ' */',
      '/* Not a doc comment. */',
      "const told = 'told'; // told",
    ];
    expect(found('src/x.ts', text.join('\n'))).toEqual([
      '2 doc-start',
      '2 told',
      '2 subject-first',
      '4 told',
      '8 told',
    ]);
  });

  it('fails for an idiom in a text that users see', () => {
    const text = [
      "throw new Error('The file is told with its line.');",
      "l10n.t('No key is told to it; {0}', name);",
      'const hint = `Where ${name} is missing,',
      '  it is told.`;',
      "const query = 'SELECT told FROM what WHERE it = 1';",
      "const ids = ['told', 'goes-on'];",
    ];
    expect(found('src/x.ts', text.join('\n'))).toEqual(['1 told', '2 told', '4 told', '3 where-condition']);
    expect(found('src/x.tsx', '<p title={l10n.t("It goes on with this.")} />')).toEqual(['1 goes-on']);
    expect(
      found('src/x.py', 'def f():\n    """Whether it is."""\n    raise E(f"{x} goes on with it.")'),
    ).toEqual(['2 doc-start', '3 goes-on']);
    expect(found('package.nls.json', '{\n  "told": "It goes on like this."\n}')).toEqual(['2 goes-on']);
    expect(found('bundle.l10n.json', '{\n  "It goes on like this.": "fine"\n}')).toEqual(['2 goes-on']);
  });

  it('checks the files below a path, without the Chinese ones', () => {
    expect(filesToCheck(['src/extension.ts'])).toEqual(['src/extension.ts']);
    expect(filesToCheck(['media']).some((file) => file.includes('zh-cn'))).toBe(false);
    expect(filesToCheck([])).toEqual(expect.arrayContaining(['README.md', 'src/extension.ts']));
  });
});
