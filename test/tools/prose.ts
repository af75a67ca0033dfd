/**
 * Checks the English of the project: words, idioms and the length of sentences, by the rules in proseRules.ts.
 *
 *   npm run check:prose [-- PATH …]
 *
 * Without a path it checks every covered file. Prints one line per problem: file:line, the rule, the text, the better wording.
 *
 * Texts come from Markdown (paragraphs, list items, headings, table cells), from doc comments and docstrings, from other
 * comments (their words only) and from strings that read like a sentence. Code spans, code blocks and URLs are not checked.
 */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type { SyntaxNodeRef } from '@lezer/common';
import { parser as scriptParser } from '@lezer/javascript';
import { parser as pythonParser } from '@lezer/python';
import MarkdownIt from 'markdown-it';
import { covered, longestSentence, proseRules } from './proseRules.ts';

const root = path.resolve(import.meta.dirname, '../..');
const markdown = new MarkdownIt({ html: true });

/** One paragraph, list item, heading, cell or string. Code spans keep their backticks. */
interface TextUnit {
  /** Of its first character; counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly kind: 'markdown' | 'docStart' | 'string' | 'comment';
}

export interface ProseProblem {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly text: string;
  readonly better: string;
}

/** Returns the problems of one file. `file` is relative to the root of the project; its extension selects the reader. */
export function checkText(file: string, content: string): readonly ProseProblem[] {
  return unitsOf(file, content).flatMap((unit) => checkUnit(file, unit));
}

/** Returns the covered files at or below the paths; without paths all of them. */
export function filesToCheck(paths: readonly string[]): readonly string[] {
  const all = globSync(covered, { cwd: root }).sort();
  const within = (file: string, folder: string): boolean => file === folder || file.startsWith(`${folder}/`);
  const wanted = paths.map((each) => path.relative(root, path.resolve(each)));
  return all.filter((file) => {
    if (file.includes('.nls.zh-cn.')) return false;
    return wanted.length === 0 || wanted.some((each) => each === '' || within(file, each));
  });
}

function unitsOf(file: string, content: string): readonly TextUnit[] {
  if (path.basename(file) === 'CHANGELOG.md') return markdownUnits(unreleased(content), 1, 'markdown');
  if (file.endsWith('.md')) return markdownUnits(content, 1, 'markdown');
  if (file.endsWith('.json')) return jsonUnits(content, path.basename(file).startsWith('bundle.'));
  return sourceUnits(content, file.endsWith('.py') ? 'python' : file.endsWith('.tsx') ? 'tsx' : 'ts');
}

/** Returns the changelog up to its second version: released texts stay as they are. */
function unreleased(content: string): string {
  const [, second] = content.matchAll(/^## /gm);
  return second === undefined ? content : content.slice(0, second.index);
}

/** @param firstLine the line at which the text begins in its file */
function markdownUnits(text: string, firstLine: number, kind: TextUnit['kind']): readonly TextUnit[] {
  let line = firstLine;
  return markdown.parse(text, {}).flatMap((token) => {
    if (token.map !== null) line = firstLine + token.map[0];
    return token.type === 'inline' ? [{ line, text: inlineText(token.children ?? []), kind }] : [];
  });
}

function inlineText(tokens: ReturnType<MarkdownIt['parse']>): string {
  return tokens
    .map(({ type, content, children }) => {
      if (type === 'code_inline') return `\`${content}\``;
      if (type === 'softbreak' || type === 'hardbreak') return '\n';
      if (type === 'image') return inlineText(children ?? []);
      return type === 'text' ? content : '';
    })
    .join('');
}

/** @param areKeys the texts are the keys, as in a bundle of translations; otherwise the values */
function jsonUnits(content: string, areKeys: boolean): readonly TextUnit[] {
  return content.split('\n').flatMap((row, index) => {
    const [, key, value] = /^ *("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),?$/.exec(row) ?? [];
    const text = areKeys ? key : value;
    if (text === undefined) return [];
    return stringUnits(JSON.parse(text) as string, index + 1);
  });
}

function sourceUnits(content: string, language: 'ts' | 'tsx' | 'python'): readonly TextUnit[] {
  const dialect = language === 'tsx' ? 'ts jsx' : 'ts';
  const parser = language === 'python' ? pythonParser : scriptParser.configure({ dialect });
  const lineAt = lineCounter(content);
  const units: TextUnit[] = [];
  parser.parse(content).iterate({
    enter(node) {
      const text = content.slice(node.from, node.to);
      const line = lineAt(node.from);
      if (node.name === 'BlockComment' && text.startsWith('/**')) units.push(...docUnits(text, line));
      else if (node.name.endsWith('Comment')) units.push({ line, text, kind: 'comment' });
      if (!/^(String|FormatString|TemplateString)$/.test(node.name)) return undefined;
      units.push(...literalUnits(text, node, line));
      return false;
    },
  });
  return units;
}

/** Returns a function that gives the line of an offset. Offsets must not decrease. */
function lineCounter(content: string): (offset: number) => number {
  let [line, at] = [1, 0];
  return (offset) => {
    for (; at < offset; at++) if (content.charCodeAt(at) === 10) line++;
    return line;
  };
}

/** Splits a doc comment at its tags; each part is read as Markdown. Only the first part is bound to begin in a certain way. */
function docUnits(comment: string, firstLine: number): readonly TextUnit[] {
  const body = comment.replace(/^\/\*\*/, '').replace(/\*\/$/, '');
  const lines = body.split('\n').map((row) => row.replace(/^\s*\* ?/, ''));
  return partsAtTags(lines, firstLine).flatMap(({ text, line }, index) =>
    markdownUnits(text.replace(/^ +/, ''), line, 'markdown').map((unit, position) =>
      index === 0 && position === 0 ? { ...unit, kind: 'docStart' as const } : unit,
    ),
  );
}

function partsAtTags(lines: readonly string[], firstLine: number): readonly { text: string; line: number }[] {
  const parts: { text: string; line: number }[] = [{ text: '', line: firstLine }];
  for (const [index, row] of lines.entries()) {
    const [before = '', ...tagged] = row
      .replaceAll(/\{@\w+ ([^}]*)\}/g, '`$1`')
      .split(/(?:^|\s)@(?:param\s+[\w.[\]]+|[a-z]+\b)/);
    const last = parts.at(-1);
    if (last !== undefined) last.text += `${before}\n`;
    for (const text of tagged) parts.push({ text: `${text}\n`, line: firstLine + index });
  }
  return parts;
}

function literalUnits(literal: string, node: SyntaxNodeRef, line: number): readonly TextUnit[] {
  const withHoles = fillHoles(literal, node);
  const [, body = ''] = /^[a-z]*(?:"""|'''|["'`])([\s\S]*?)(?:"""|'''|["'`])$/i.exec(withHoles) ?? [];
  const text = body.replaceAll(/\\(["'`])/g, '$1');
  if (node.node.parent?.name === 'ExpressionStatement') return docUnits(text, line);
  if (!text.includes('\n')) return stringUnits(text, line);
  if (/\b(SELECT|INSERT|CREATE TABLE|PRAGMA)\b/.test(text)) return [];
  return markdownUnits(text, line, 'string').filter((unit) => readsLikeProse(unit.text));
}

/** Replaces the expressions of a template literal by `{…}` and keeps their line breaks. */
function fillHoles(literal: string, node: SyntaxNodeRef): string {
  let [text, at] = ['', node.from];
  for (let child = node.node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'Interpolation' && child.name !== 'FormatReplacement') continue;
    const hole = literal.slice(child.from - node.from, child.to - node.from);
    text += `${literal.slice(at - node.from, child.from - node.from)}{…}${hole.replaceAll(/[^\n]/g, '')}`;
    at = child.to;
  }
  return text + literal.slice(at - node.from);
}

function stringUnits(text: string, line: number): readonly TextUnit[] {
  return text
    .split(/\\n|\n/)
    .filter(readsLikeProse)
    .map((part) => ({ line, text: part, kind: 'string' }));
}

/** Returns true for a text with at least three plain words. SQL statements are not prose. */
function readsLikeProse(text: string): boolean {
  if (/\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|WHERE|PRAGMA)\b/.test(text)) return false;
  return (maskCode(text).match(/(?<=^|[\s("'])[A-Za-z][a-z]+(?=$|[\s.,:;!?)"'])/g) ?? []).length >= 3;
}

function checkUnit(file: string, { line, text, kind }: TextUnit): readonly ProseProblem[] {
  const problems: ProseProblem[] = [];
  for (const [index, sentence] of sentencesOf(text).entries()) {
    const flat = sentence.text.replaceAll(/\s+/g, ' ').trim();
    const masked = maskCode(flat);
    const report = (rule: string, shown: string, better: string, at = 0): void => {
      const before = text.slice(0, sentence.from + at);
      problems.push({ file, line: line + before.split('\n').length - 1, rule, text: shown, better });
    };
    const where = kind === 'docStart' && index === 0 ? 'docStart' : 'otherwise';
    for (const { id, pattern, better, at } of proseRules) {
      if (at !== undefined && at !== where) continue;
      const found = pattern.exec(masked);
      if (found !== null) report(id, around(flat, found), better, offsetOf(sentence.text, found.index));
    }
    const words = masked.split(' ').filter((word) => /[\p{L}\p{N}…]/u.test(word)).length;
    const isSentence = kind === 'string' ? /[.!?:]["')]*$/.test(flat) : kind !== 'comment';
    if (isSentence && words > longestSentence) {
      report(
        'long-sentence',
        `${flat.slice(0, 60)}…`,
        `${words} words: split it (at most ${longestSentence})`,
      );
    }
  }
  return problems;
}

/** Returns the offset in the original text of an offset in its flattened form, in which white space is one blank. */
function offsetOf(text: string, flatOffset: number): number {
  let at = text.search(/\S/);
  for (let left = flatOffset; left > 0; left--) at += /^\s+|^\S/.exec(text.slice(at))?.[0].length ?? 1;
  return at;
}

function around(flat: string, { index, 0: found }: RegExpExecArray): string {
  const [from, to] = [Math.max(0, index - 25), Math.min(flat.length, index + found.length + 25)];
  return `${from > 0 ? '…' : ''}${flat.slice(from, to)}${to < flat.length ? '…' : ''}`;
}

/** Splits a text where a sentence ends and the next begins with a capital letter, a digit, code or a placeholder. */
function sentencesOf(text: string): readonly { text: string; from: number }[] {
  const boundary =
    /(?<=(?<!\b(?:e\.g|i\.e|vs|cf|etc|approx))[.!?]["'”’)\]]*)\s+(?=["'“‘([]*[\p{Lu}\p{N}`{$⟦])/gu;
  const sentences: { text: string; from: number }[] = [];
  let from = 0;
  for (const { index, 0: space } of maskCode(text).matchAll(boundary)) {
    sentences.push({ text: text.slice(from, index), from });
    from = index + space.length;
  }
  return [...sentences, { text: text.slice(from), from }];
}

/** Replaces code spans, URLs and placeholders by one word of the same length each. */
function maskCode(text: string): string {
  return text.replaceAll(/`+[^`]*`+|\bhttps?:\/\/\S+|\{[^{}\n]*\}/g, (code) => {
    const [open, close] = code.startsWith('`') ? ['`', '`'] : ['{', '}'];
    return `${open}${'…'.repeat(Math.max(0, code.length - 2))}${close}`;
  });
}

if (process.argv[1] === import.meta.filename) {
  const files = filesToCheck(process.argv.slice(2));
  const problems = files.flatMap((file) => checkText(file, readFileSync(path.join(root, file), 'utf8')));
  for (const { file, line, rule, text, better } of problems) {
    console.log(`${file}:${line} ${rule}: "${text}" -> ${better}`);
  }
  console.log(`${problems.length} problems in ${files.length} files`);
  if (problems.length > 0) process.exitCode = 1;
}
