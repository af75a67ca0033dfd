import {
  entryOf,
  nodeAt,
  nodesIn,
  type Entry,
  type MappingNode,
  type Node,
  type NodePath,
  type ScalarNode,
} from './node.ts';
import type { ConfigDocument } from './parse.ts';
import { resolvePlain } from './scalar.ts';
import type { TextEdit } from './text.ts';

/** Columns that one level of nesting is indented by in what is inserted. */
const step = 2;

/** Puts another value in place of a scalar; a text keeps the quotes it had, and gets some where it needs them. */
export function replaceScalar(
  document: ConfigDocument,
  node: ScalarNode,
  value: string,
  asText: boolean,
): TextEdit {
  const quote = node.style === 'quoted' ? document.text.charAt(node.span.start) : undefined;
  return { span: node.span, newText: asText ? textScalar(value, quote) : value };
}

/** A text as YAML: plain where that means the same, else quoted. */
export function textScalar(value: string, quote?: string): string {
  if (quote === "'") return `'${value.replaceAll("'", "''")}'`;
  const plain =
    resolvePlain(value).type === 'string' && /^[\w./~][^#:\n]*$/.test(value) && value === value.trim();
  return plain && quote === undefined ? value : JSON.stringify(value);
}

export function renameKey(entry: Entry, name: string): TextEdit {
  return { span: entry.keySpan, newText: name };
}

/**
 * Returns the edit that removes an entry with its lines. Undefined in braces, on a line shared with a `-`, and for
 * the last entry of a section, which would become null.
 */
export function removeEntry(
  document: ConfigDocument,
  entry: Entry,
  parent: MappingNode,
): TextEdit | undefined {
  const { lines, text } = document;
  const first = lines.position(entry.keySpan.start).line;
  const before = text.slice(lines.line(first).start, entry.keySpan.start);
  if (parent.flow || before.trim() !== '' || parent.entries.length < 2) return undefined;
  return {
    span: { start: lines.line(first).start, end: lines.after(lastLine(document, entry)) },
    newText: '',
  };
}

/** The same, but takes the section along that would be left empty. */
export function removeWithSection(
  document: ConfigDocument,
  entry: Entry,
  parent: MappingNode,
): TextEdit | undefined {
  const edit = removeEntry(document, entry, parent);
  if (edit !== undefined || parent.entries.length > 1) return edit;
  const holder = [...nodesIn(document.root)].find(({ node }) => node === parent);
  if (holder?.entry === undefined || holder.parent?.kind !== 'mapping') return undefined;
  return removeWithSection(document, holder.entry, holder.parent);
}

/**
 * Returns the edit that adds a key at the end of its section, with the missing sections. Items of lists must exist.
 * Undefined if no section is a block.
 */
export function insertKey(
  document: ConfigDocument,
  path: NodePath,
  value: string | readonly string[],
): TextEdit | undefined {
  const place = deepestSection(document, path);
  if (place === undefined) return undefined;
  const { text } = document;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const names = path.slice(place.depth);
  if (!names.every((name) => typeof name === 'string')) return undefined;
  const rows = names.map((key, index) => `${' '.repeat(place.indent + index * step)}${key}:`);
  const last = rows.pop();
  if (last === undefined) return undefined;
  const inner = ' '.repeat(place.indent + (path.length - place.depth) * step);
  if (typeof value === 'string') rows.push(`${last} ${value}`);
  else rows.push(last, ...value.map((item) => `${inner}- ${item}`));
  const before = place.offset > 0 && !/[\r\n]/.test(text.charAt(place.offset - 1)) ? newline : '';
  const newText = before + rows.map((row) => row + newline).join('');
  return { span: { start: place.offset, end: place.offset }, newText };
}

interface InsertionPoint {
  /** The number of steps of the path that exist. */
  readonly depth: number;
  readonly indent: number;
  readonly offset: number;
}

function deepestSection(document: ConfigDocument, path: NodePath): InsertionPoint | undefined {
  const { lines } = document;
  if (document.root?.kind !== 'mapping') return undefined;
  let section: Node = document.root;
  for (const [depth, key] of path.entries()) {
    if (typeof key === 'number') {
      const item: Node | undefined = nodeAt(section, [key]);
      if (item === undefined) return undefined;
      section = item;
      continue;
    }
    const entry = entryOf(section, key);
    if (entry?.value.kind === 'scalar' && entry.value.type === 'null') {
      const { line, character } = lines.position(entry.keySpan.start);
      return { depth: depth + 1, indent: character + step, offset: lines.after(line) };
    }
    if (entry === undefined) return endOf(document, section, depth);
    section = entry.value;
  }
  return undefined;
}

function endOf(document: ConfigDocument, section: Node, depth: number): InsertionPoint | undefined {
  if (section.kind !== 'mapping' || section.flow) return undefined;
  // What `<<` brings in is written elsewhere.
  const { start, end } = section.span;
  const own = section.entries.filter(({ keySpan }) => start <= keySpan.start && keySpan.start < end);
  const [first] = own;
  const last = own.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const indent = document.lines.position(first.keySpan.start).character;
  return { depth, indent, offset: document.lines.after(lastLine(document, last)) };
}

function lastLine(document: ConfigDocument, entry: Entry): number {
  const start = entry.keySpan.start;
  const written = document.text.slice(start, Math.max(entry.value.span.end, entry.keySpan.end)).trimEnd();
  return document.lines.position(start + written.length).line;
}
