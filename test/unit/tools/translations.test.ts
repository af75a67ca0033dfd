import { describe, expect, it } from 'vitest';
import { withKeys, withTexts } from '../../tools/manifestTexts.mjs';
import { problemsOfBundle, problemsOfManifest } from '../../tools/translationCheck.mjs';
import { languages, manifestIn, problems } from '../../tools/translations.mjs';

describe('the texts of package.json', () => {
  const manifest = {
    name: 'agentjet',
    displayName: 'AgentJet',
    contributes: {
      commands: [
        { command: 'a.open', title: 'Open', category: 'AgentJet' },
        { command: 'a.close', title: 'Close' },
      ],
      viewsWelcome: [
        { view: 'a.runs', contents: 'None yet.' },
        { view: 'a.runs', contents: 'None at all.' },
      ],
      configuration: {
        title: 'AgentJet',
        properties: {
          'a.when': {
            type: 'string',
            enum: ['never', 'always'],
            enumDescriptions: ['Not once.', 'Each time.'],
          },
          'a.name': {
            type: 'object',
            properties: { title: { type: 'string', description: 'Of the page.' } },
          },
        },
      },
      debuggers: [
        {
          type: 'a',
          label: 'Agents',
          initialConfigurations: [{ type: 'a', name: 'a: debug' }],
          configurationSnippets: [{ label: 'Debug', body: { name: 'Debug one' } }],
        },
      ],
    },
  };
  const { keyed, texts } = withKeys(manifest, {});

  it('get keys of where they stand; names stay, and so does what is written into files', () => {
    expect(texts).toEqual({
      'commands.a.open.title': 'Open',
      'commands.a.close.title': 'Close',
      'viewsWelcome.a.runs.contents': 'None yet.',
      'viewsWelcome.a.runs.contents.2': 'None at all.',
      'configuration.a.when.enumDescriptions.never': 'Not once.',
      'configuration.a.when.enumDescriptions.always': 'Each time.',
      'configuration.a.name.title.description': 'Of the page.',
      'debuggers.a.label': 'Agents',
      'debuggers.a.configurationSnippets.0.label': 'Debug',
    });
    expect(keyed).toMatchObject({
      displayName: 'AgentJet',
      contributes: { commands: [{ title: '%commands.a.open.title%', category: 'AgentJet' }, {}] },
    });
  });

  it('come back in place of their keys', () => {
    expect(withTexts(keyed, texts)).toEqual(manifest);
    expect(withKeys(keyed, texts)).toEqual({ keyed, texts });
  });

  it('that are new stand beside keys; a key without a text is refused', () => {
    const added = {
      contributes: {
        commands: [
          { command: 'a.open', title: '%b%' },
          { command: 'c', title: 'C' },
        ],
      },
    };
    expect(withKeys(added, { b: 'B' }).texts).toEqual({ b: 'B', 'commands.c.title': 'C' });
    expect(() => withKeys(added, {})).toThrow('%b%');
  });

  it('are all to be in each language', () => {
    const english = { 'commands.a.open.title': 'Open', old: 'Old' };
    const small = { contributes: { commands: [{ command: 'a.open', title: '%commands.a.open.title%' }] } };
    expect(problemsOfManifest('nls', { manifest: small, english })).toEqual([
      'nls: "old" is used by nothing',
    ]);
    expect(problemsOfManifest('nls.zh', { manifest: small, english, translated: {} })).toEqual([
      'nls.zh: "commands.a.open.title" is missing',
    ]);
    const raw = { contributes: { commands: [{ command: 'a.open', title: 'Open' }] } };
    expect(problemsOfManifest('nls', { manifest: raw, english: {} })).toEqual([
      'package.json: "Open" stands there itself: node test/tools/translations.mjs --update',
    ]);
  });
});

describe('a bundle', () => {
  const check = (extracted: Record<string, string>, translated: Record<string, string>): readonly string[] =>
    problemsOfBundle('zh', { extracted, translated });
  const own = (...texts: string[]): Record<string, string> =>
    Object.fromEntries(texts.map((text) => [text, text]));

  it('has every text of the code and no other', () => {
    expect(problemsOfBundle('en', { extracted: own('A', 'B'), english: own('B', 'C') })).toEqual([
      'en: "A" is missing',
      'en: "C" is used by nothing',
    ]);
    expect(check(own('A run', 'B'), { B: '乙', C: '丙' })).toEqual([
      'zh: "A run" is missing',
      'zh: "C" is used by nothing',
    ]);
  });

  it.each([
    ['{0} of {1} episodes', '{1} 个回合中的 {0} 个', []],
    ['{0} of {1} episodes', '{0} 个回合', ['has other placeholders']],
    ['1 episode', '{0} 个回合', ['has other placeholders']],
    ['Open', 'Open', ['is not translated']],
    ['Open', '', ['is empty']],
    ['{0} kB', '{0} kB', []],
    ['{0} · `ajet.model.path`', '{0} · `ajet.model.path`', []],
    ['Set `ajet.model.path`', '设置 `ajet.model`', ['has other code, icons or links']],
    ['$(play) Run', '运行', ['has other code, icons or links']],
    ['[New](command:a.new)', '[新建](command:a.new)', []],
    ['[New](command:a.new)', '[新建](command:a.old)', ['has other code, icons or links']],
    ['The first. ', '第一个。', ['has other space around it']],
  ])('whose “%s” is “%s” has %j', (english, translated, expected) => {
    expect(check(own(english), { [english]: translated })).toEqual(
      expected.map((problem) => `zh: "${english}" ${problem}`),
    );
  });
});

describe('the translations of the project', () => {
  it('are whole: node test/tools/translations.mjs --update tells what is not', () => {
    expect(problems()).toEqual([]);
  });

  it.each(languages)('leave nothing of package.json but names in English: %s', (language) => {
    const { commands } = (manifestIn(language) as Manifest).contributes;
    expect(commands.length).toBeGreaterThan(20);
    for (const { title } of commands) expect(title).toMatch(/\p{Script=Han}/u);
  });
});

interface Manifest {
  readonly contributes: { readonly commands: readonly { readonly title: string }[] };
}
