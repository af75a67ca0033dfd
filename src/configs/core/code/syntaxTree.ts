/** Syntax trees of Python, TypeScript and JavaScript texts, and what every query of them needs. */
import type { Parser, SyntaxNode, Tree } from '@lezer/common';
import { parser as scriptParser } from '@lezer/javascript';
import { parser as pythonParser } from '@lezer/python';

export type { SyntaxNode } from '@lezer/common';

/** A parsed text. Offsets in the tree are offsets in the text. */
export interface ParsedText {
  readonly text: string;
  readonly tree: Tree;
}

/** A line of code that gets a code lens. */
export interface CodeLine {
  /** 0-based. */
  readonly line: number;
}

/** Returns the 0-based line of an offset. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length - 1;
}

let scriptParsers: Readonly<Record<'types' | 'jsx', Parser>> | undefined;

/** Parses TypeScript or JavaScript, with JSX where the text has any. Never fails. */
export function parseScript(text: string): ParsedText {
  scriptParsers ??= {
    types: scriptParser.configure({ dialect: 'ts' }),
    jsx: scriptParser.configure({ dialect: 'ts jsx' }),
  };
  const plain = text.replace(conflictMarker, blank).replace(anonymousDefault, '+');
  const code = unsupportedTypes.reduce((rest, pattern) => rest.replace(pattern, blank), plain);
  const tree = parseRepaired(scriptParsers.types, code, patternDefaults);
  // `<T>(x) => x` is a generic function without JSX, and an open tag with it.
  if (!/<\/|\/>/.test(text) || errorCount(tree) === 0) return { text, tree };
  const jsx = parseRepaired(scriptParsers.jsx, code, patternDefaults);
  return { text, tree: errorCount(jsx) < errorCount(tree) ? jsx : tree };
}

/** Parses Python. A bracket that is never closed hides nothing beyond its own statement. Never fails. */
export function parsePython(text: string): ParsedText {
  const code = text.replace('\uFEFF', '\n').replace(conflictMarker, blank);
  return { text, tree: parseRepaired(pythonParser, code, hiddenStatement) };
}

const comment = /^(?:Line|Block)?Comment$/;

/** The nodes directly in a node, in order, with those of errors and without comments. */
export function childrenOf({ firstChild }: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = firstChild; child !== null; child = child.nextSibling) {
    if (!comment.test(child.name)) children.push(child);
  }
  return children;
}

/** The next node with the same parent that is not a comment. */
export function nodeAfter(node: SyntaxNode | null | undefined): SyntaxNode | undefined {
  let next = node?.nextSibling;
  while (next !== null && next !== undefined && comment.test(next.name)) next = next.nextSibling;
  return next ?? undefined;
}

/** The children of a list such as `(a, b = 1)`, one array for each part between commas, without its brackets. */
export function partsOf(list: SyntaxNode): SyntaxNode[][] {
  return splitAtCommas(childrenOf(list).filter(({ name }) => !/^[()[\]{}]$/.test(name)));
}

/** The nodes between commas, without empty parts. */
export function splitAtCommas(nodes: readonly SyntaxNode[]): SyntaxNode[][] {
  const parts: SyntaxNode[][] = [[]];
  for (const node of nodes) {
    if (node.name === ',') parts.push([]);
    else parts.at(-1)?.push(node);
  }
  return parts.filter((part) => part.length > 0);
}

/** Visits the nodes of a tree in order. `enter` returns false to leave out what is in a node. */
export function walk({ tree }: ParsedText, enter: (node: SyntaxNode) => unknown): void {
  tree.iterate({ enter: ({ node }) => enter(node) !== false });
}

export function nodesNamed(parsed: ParsedText, ...names: readonly string[]): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  parsed.tree.iterate({ enter: (ref) => (names.includes(ref.name) ? void found.push(ref.node) : undefined) });
  return found;
}

/**
 * The name or dotted path that an expression begins with, without white space: `a.B` of `a . B<T>(c)`. Undefined where
 * it begins with anything else.
 */
export function leadingPath(node: SyntaxNode, text: string): string | undefined {
  const path = dottedPath(node, text);
  const isLonger = path === undefined && /^(?:Member|Call|Instantiation)Expression$/.test(node.name);
  return isLonger && node.firstChild !== null ? leadingPath(node.firstChild, text) : path;
}

/** A name or dotted path as a whole, without white space; undefined for any other expression. */
export function dottedPath(node: SyntaxNode, text: string): string | undefined {
  if (node.name === 'VariableName') return text.slice(node.from, node.to);
  const property = node.name === 'MemberExpression' ? node.getChild('PropertyName') : null;
  if (property === null || node.firstChild === null) return undefined;
  const object = dottedPath(node.firstChild, text);
  return object === undefined ? undefined : `${object}.${text.slice(property.from, property.to)}`;
}

/** Returns the text between the quotes of a string literal. Escapes stay as they are written. */
export function stringContent({ from, to }: SyntaxNode, text: string): string {
  return /^[a-z]{0,2}("""|'''|["'`])(.*?)(?:\1|\n)?$/is.exec(text.slice(from, to))?.[2] ?? '';
}

/** The text with everything except line breaks replaced by spaces. */
export function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}

const conflictMarker = /^(?:<{7}|\|{7}|={7}|>{7})(?!\S).*$/gm;

/** The white space in `export default class { }` before a class without a name, which the grammar knows only as a value. */
const anonymousDefault = /(?<=\bexport\s+default)\s(?=\s*class\s*(?:(?:extends|implements)\b|[<{]))/g;

/** Type syntax that the grammar does not know and that changes nothing here. */
const unsupportedTypes: readonly RegExp[] = [
  // `type A` in `export { type A, B }`
  /(?<=\bexport\s*\{[^{}]{0,2000})\btype\s+(?!as\b)[\w$]+(?:\s+as\s+[\w$]+)?\s*(?:,|(?=\}))/g,
  // the type parameters of `class<T> { }` and `async <T>() => 1`
  /(?<=\b(?:class|async)\s*)<(?:[^<>]|<(?:[^<>]|<[^<>]{0,200}>){0,200}>){0,500}>(?=\s*(?:extends\b|implements\b|[{(]))/g,
  // the interfaces of `class extends B implements C { }`
  /(?<=\bclass\s+(?:extends\s+[\w$.]+(?:<[^{}()]{0,200}>)?\s+)?)implements\s[^{}()=;]{0,500}(?=\{)/g,
];

interface Span {
  readonly from: number;
  readonly to: number;
}

/** After so many repairs, a broken text is taken as it is. */
const mostRepairs = 5;

/** Parses a text again without the spans that `find` returns, until it finds nothing. */
function parseRepaired(
  parser: Parser,
  text: string,
  find: (tree: Tree, code: string) => readonly Span[],
): Tree {
  // Only a broken text takes longer. Its tree ends where the time was up.
  const deadline = Date.now() + 5_000 + text.length / 20;
  const end = endOfNesting(text);
  let code = text;
  for (let repairs = 0; ; repairs += 1) {
    const tree = parseUntil(deadline, parser, code, end);
    const spans = repairs < mostRepairs && errorCount(tree) > 0 ? find(tree, code) : [];
    if (spans.length === 0) return tree;
    for (const { from, to } of spans)
      code = code.slice(0, from) + blank(code.slice(from, to)) + code.slice(to);
  }
}

/** Deeper nesting than any real source has. The parser's time grows with the square of the depth. */
const deepestNesting = 300;
const nesting =
  /\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?<open>[([{])|(?<close>[)\]}])|(?<angle><)|(?<break>[;>]|\n[ \t]*)/g;

/** Returns the offset at which brackets or indentation nest too deep to be parsed, or the length of the text. */
function endOfNesting(text: string): number {
  let [depth, angles] = [0, 0];
  for (const { index, groups } of text.matchAll(nesting)) {
    if (groups?.['open'] !== undefined) depth += 1;
    else if (groups?.['close'] !== undefined) depth = Math.max(0, depth - 1);
    else if (groups?.['angle'] !== undefined) angles += 1;
    else if (groups?.['break'] !== undefined) angles = 0;
    const indent = groups?.['break']?.length ?? 0;
    if (depth > deepestNesting || angles > deepestNesting || indent > 8 * deepestNesting) return index;
  }
  return text.length;
}

function parseUntil(deadline: number, parser: Parser, code: string, end: number): Tree {
  const parse = parser.startParse(code);
  if (end < code.length) parse.stopAt(end);
  for (;;) {
    const tree = parse.advance();
    if (tree !== null) return tree;
    if (parse.stoppedAt === null && Date.now() > deadline) parse.stopAt(parse.parsedPos);
  }
}

function errorCount(tree: Tree): number {
  let count = 0;
  tree.iterate({ enter: ({ type }) => void (count += type.isError ? 1 : 0) });
  return count;
}

/** The defaults in `({ a } = {}) => 1`, which the grammar does not know. */
function patternDefaults(tree: Tree, code: string): Span[] {
  const spans: Span[] = [];
  tree.iterate({
    enter: ({ type, from, node }) => {
      if (!type.isError || !code.startsWith('=>', from)) return;
      const assignment = node.prevSibling?.getChild('AssignmentExpression');
      const equals = assignment?.getChild('Equals');
      if (assignment && equals) spans.push({ from: equals.from, to: assignment.to });
    },
  });
  return spans;
}

const bracketed =
  /^(?:ArgList|ParamList|TypeParamList|(?:Parenthesized|Tuple|Array|Dictionary|Set|Member)Expression|ImportStatement)$/;
const surelyStatement = /^(?:class\s|def\s|async\s+def\s|@|import\s|from\s.*\simport\b)/gm;

/** The statement with an unclosed bracket that hides a later line, up to that line. */
function hiddenStatement(tree: Tree, code: string): Span[] {
  for (const { index: to } of code.matchAll(surelyStatement)) {
    let isHidden = false;
    for (let node: SyntaxNode | null = tree.resolveInner(to, 1); node !== null; node = node.parent) {
      if (/^(?:(?:Format)?String|Comment)$/.test(node.name)) break;
      if (node.from >= to) continue;
      isHidden ||=
        bracketed.test(node.name) && childrenOf(node).some((child) => child.from < to && isOpening(child));
      const isStatement = node.parent?.name === 'Body' || node.parent?.name === 'Script';
      if (isStatement && isHidden) return [{ from: node.from, to }];
      if (isStatement) break;
    }
  }
  return [];
}

function isOpening({ name }: SyntaxNode): boolean {
  return name === '(' || name === '[' || name === '{';
}
