/** The pages for users and contributors: their links, pictures, commands, settings and examples. */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { CommanderError } from 'commander';
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../../src/base/core/errors.ts';
import { launchSchema, runOptions } from '../../../src/backbone/node/options/runOptions.ts';
import { settings, settingsSection } from '../../../src/base/core/ids.ts';
import { manifestIn } from '../../tools/translations.mjs';
import { parsed } from '../command/commandLines.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const markdown = new MarkdownIt({ html: true });

interface Page {
  readonly file: string;
  readonly tokens: ReturnType<MarkdownIt['parse']>;
}

const pages: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...globSync('docs/*.md', { cwd: root }),
].map((file) => ({ file, tokens: markdown.parse(readFileSync(path.join(root, file), 'utf8'), {}) }));
const generated = ['command-line', 'errors', 'findings', 'launch-json', 'rules', 'settings'].map(
  (name) => `docs/${name}.md`,
);
/** The pages of new projects and examples. */
const projectPages: readonly Page[] = globSync('media/{template*,examples/*}/README.md', { cwd: root }).map(
  (file) => ({ file, tokens: markdown.parse(readFileSync(path.join(root, file), 'utf8'), {}) }),
);
/** The pages written by hand for users. */
const guides = pages.filter(
  ({ file }) => (file === 'README.md' || file.startsWith('docs/')) && !generated.includes(file),
);

const inline = ({ tokens }: Page): Page['tokens'] => tokens.flatMap(({ children }) => children ?? []);
const codeSpans = (page: Page): readonly string[] =>
  inline(page).flatMap(({ type, content }) => (type === 'code_inline' ? [content] : []));
const codeBlocks = ({ tokens }: Page, language: string): readonly string[] =>
  tokens.flatMap(({ type, info, content }) => (type === 'fence' && info === language ? [content] : []));

function headings({ tokens }: Page): readonly string[] {
  return tokens.flatMap(({ type }, index) =>
    type === 'heading_open'
      ? [(tokens[index + 1]?.children ?? []).map(({ content }) => content).join('')]
      : [],
  );
}

/** Returns the id that Markdown viewers give to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** Returns the relative targets of links and pictures. */
function targets(page: Page): readonly string[] {
  return inline(page)
    .flatMap((token) => [token.attrGet('href'), token.attrGet('src')])
    .filter((target) => target !== null)
    .filter((target) => !/^[a-z]+:/.test(target));
}

function brokenTarget(page: Page, target: string): string | undefined {
  const [file = '', anchor] = target.split('#');
  const full = path.join(path.dirname(page.file), file);
  const linked = file === '' ? page : pages.find((each) => each.file === full);
  if (file !== '' && !existsSync(path.join(root, full))) return `${page.file}: ${target} does not exist`;
  if (anchor === undefined) return undefined;
  const anchors = linked === undefined ? [] : headings(linked).map(anchorOf);
  return anchors.includes(anchor) ? undefined : `${page.file}: ${target} has no such heading`;
}

/** Returns the words of a command line, without comments, redirections and what is piped on. */
function wordsOf(line: string): readonly string[] {
  const [command = ''] = line.split(/ (?:#|\||>) ?/);
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Returns true for --version and for a mere command name, as in "`agentjet check` reads configs". */
function isAccepted(argv: readonly string[], error: unknown): boolean {
  if (error instanceof CommanderError) return error.code === 'commander.version';
  const isName = argv.every((word) => /^[a-z]+$/.test(word));
  return isName && error instanceof CodedError && error.message.includes(' needs <');
}

describe('the documentation', () => {
  it('links only to files and headings that exist', () => {
    const broken = pages.flatMap((page) =>
      targets(page).flatMap((target) => brokenTarget(page, target) ?? []),
    );
    expect(broken).toEqual([]);
  });

  it('can be reached from the README, page by page', () => {
    const [readme] = pages;
    const linked = readme === undefined ? [] : targets(readme);
    for (const { file } of pages.slice(3)) expect(linked).toContain(file);
  });

  it('begins each guide with its contents', () => {
    for (const page of guides.filter(({ file }) => file !== 'README.md')) {
      const own = targets(page).filter((target) => target.startsWith('#'));
      const sections = page.tokens.flatMap(({ type, tag }, index) =>
        type === 'heading_open' && tag === 'h2' ? [page.tokens[index + 1]?.content ?? ''] : [],
      );
      expect(own.slice(0, sections.length), page.file).toEqual(sections.map((each) => `#${anchorOf(each)}`));
    }
  });

  it('shows commands that agentjet accepts', () => {
    const lines = guides.flatMap((page) => [
      ...codeBlocks(page, 'sh').flatMap((block) => block.split('\n')),
      ...codeSpans(page),
    ]);
    const commands = lines.filter((line) => /^agentjet [^…]+$/.test(line)).map(wordsOf);
    expect(commands.length).toBeGreaterThan(50);
    const refused = commands.flatMap(([, ...argv]) => {
      try {
        parsed(argv);
        return [];
      } catch (error) {
        return isAccepted(argv, error) ? [] : [`agentjet ${argv.join(' ')}: ${String(error)}`];
      }
    });
    expect(refused).toEqual([]);
  });

  it('names only settings and commands that exist', () => {
    const manifest = manifestIn() as { contributes: { commands: { title: string }[] } };
    const known = new Set<string>(Object.values(settings).map((name) => `${settingsSection}.${name}`));
    const titles = manifest.contributes.commands.map(({ title }) => title.replace(/…$/, ''));
    for (const page of guides) {
      for (const span of codeSpans(page)) {
        const [, setting] = /^(agentjet\.[\w.]+)(?::.*)?$/.exec(span) ?? [];
        if (setting !== undefined && !/\.\*$|\.mjs$/.test(span)) expect(known, page.file).toContain(setting);
      }
      const text = inline(page).map(({ content }) => content);
      for (const [, title] of text.join('\n').matchAll(/^AgentJet: ([A-Z][\w ]+?)…?$/gm)) {
        expect(titles, page.file).toContain(title);
      }
    }
  });

  it('shows valid JSON, with launch configurations and settings that are valid', () => {
    const { properties } = launchSchema();
    for (const page of [...guides, ...projectPages]) {
      for (const block of codeBlocks(page, 'json')) {
        const { type, request, name, ...attributes } = JSON.parse(block) as Record<string, unknown>;
        const named = Object.keys(attributes).filter((key) => key.startsWith(`${settingsSection}.`));
        const ofSettings = named.map((key) => key.slice(settingsSection.length + 1));
        for (const setting of ofSettings) expect(Object.values(settings), page.file).toContain(setting);
        if (type !== 'agentjet') continue;
        expect([request, typeof name]).toEqual(['launch', 'string']);
        for (const attribute of Object.keys(attributes)) expect(properties).toHaveProperty(attribute);
        expect(runOptions.safeParse(attributes).error, page.file).toBeUndefined();
      }
    }
  });

  it('names only scripts and tools that exist', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const code = pages.flatMap((page) => [...codeSpans(page), ...codeBlocks(page, 'sh')]).join('\n');
    const named = [...code.matchAll(/\bnpm (?:run ([a-z:]+)|(start|test)\b)/g)];
    expect(named.length).toBeGreaterThan(15);
    for (const [, script, short] of named) expect(scripts).toHaveProperty([script ?? short ?? '']);
    for (const [file] of code.matchAll(/\b(?:src|test)\/[\w/-]+\.(?:ts|mjs|tsx)\b/g)) {
      expect(existsSync(path.join(root, file)), file).toBe(true);
    }
  });

  it('names a test for each promise about security', () => {
    const page = readFileSync(path.join(root, 'docs/security.md'), 'utf8');
    const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('`test/'));
    const tests = rows.map((row) => /`(test\/[^`]+)`: `([^`]+)`/.exec(row) ?? [row]);
    expect(tests.length).toBeGreaterThan(30);
    const missing = tests.filter(([, file, name = '']) => {
      const source = file === undefined ? '' : readFileSync(path.join(root, file), 'utf8');
      return file === undefined || !source.includes(name);
    });
    expect(missing.map(([row]) => row)).toEqual([]);
  });

  it('describes the folders of src', () => {
    const folders = readdirSync(path.join(root, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
    const architecture = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
    const described = [...architecture.matchAll(/^ {2}([a-z]+)\/ /gm)].map(([, name]) => name);
    expect(described.sort()).toEqual(folders.sort());
  });
});
