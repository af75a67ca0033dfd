import type { Entry, MappingNode, Node } from '../node.ts';
import { parseConfig } from '../parse.ts';
import type { TextEdit } from '../text.ts';
import { inOrder, type ConfigDocument, type ParseProblem } from './document.ts';
import { moved, movedEntry, movedSpan } from './move.ts';
import { duplicateKeys, readText, type ReadText } from './readText.ts';
import { regionsAround, type Region } from './regions.ts';
import { isSeparable, rememberSeparable } from './separable.ts';

/** Share of a text that is read in trying to read less than all of it. */
const mostReadTwice = 0.5;

/**
 * Reads a text that is mostly `previous`'s. Gives the same as `parseConfig(text)`, but takes over what an edit did not
 * touch, and reads only the entries that it is in; nodes before them stay the very same objects. A text in which that
 * cannot be told is read as a whole. Never throws.
 */
export function reparse(previous: ConfigDocument, text: string): ConfigDocument {
  if (previous.text === text) return previous;
  if (!isSeparable(previous)) return parseConfig(text);
  const edit = difference(previous.text, text);
  let left = text.length * mostReadTwice;
  for (const region of regionsAround(previous.root, previous.text, edit.span)) {
    left -= region.span.end - region.span.start + edit.newText.length;
    if (left < 0) break;
    const document = withRegion(previous, region, { ...edit, text });
    if (document !== undefined) return document;
  }
  return parseConfig(text);
}

/** The one stretch in which two texts differ. */
export function difference(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  // Whole blocks are compared much faster than characters.
  while (
    start + block <= shorter &&
    before.slice(start, start + block) === after.slice(start, start + block)
  ) {
    start += block;
  }
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  const most = shorter - start;
  let same = 0;
  while (same + block <= most && tail(before, same) === tail(after, same)) same += block;
  while (same < most && lastCode(before, same) === lastCode(after, same)) same += 1;
  return { span: { start, end: before.length - same }, newText: after.slice(start, after.length - same) };
}

const block = 512;

/** The block that as many characters follow. */
function tail(text: string, after: number): string {
  return text.slice(text.length - after - block, text.length - after);
}

function lastCode(text: string, after: number): number {
  return text.charCodeAt(text.length - 1 - after);
}

interface Change extends TextEdit {
  /** The whole text after the change. */
  readonly text: string;
}

/** The document with a region read anew; undefined where its lines do not make sense by themselves. */
function withRegion(previous: ConfigDocument, region: Region, change: Change): ConfigDocument | undefined {
  const { text } = change;
  const by = text.length - previous.text.length;
  const lines = text.slice(region.span.start, region.span.end + by);
  if (!beginsWithKey(lines, region.column) || /^(?:---|\.\.\.|%|\ufeff)/m.test(lines)) return undefined;
  const read = readText(lines, { offset: region.span.start, depth: region.path.length });
  const own = mappingOf(read, region);
  const { root } = previous;
  if (own === undefined || root === undefined) return undefined;
  const mapping = joined(region, own, by);
  const problems = problemsWith(previous, { region, read, own, mapping, by });
  if (problems === undefined) return undefined;
  const document: ConfigDocument = {
    text,
    lines: previous.lines.edited(change, text),
    root: replaced(root, region.path, mapping, by),
    problems,
  };
  rememberSeparable(document);
  return document;
}

function beginsWithKey(lines: string, column: number): boolean {
  return lines.slice(0, column).trim() === '' && /^[^\s#]/.test(lines.slice(column, column + 1));
}

/** What was read, where it is entries of the region's mapping that have nothing to do with what stands around them. */
function mappingOf({ root, separable, looseWords }: ReadText, region: Region): MappingNode | undefined {
  if (!separable || root?.kind !== 'mapping' || root.flow) return undefined;
  if (root.span.start !== region.span.start + region.column) return undefined;
  // A word with no `:` takes in the key after it, or the line before it takes in the word.
  const first = root.entries[0]?.keySpan.end ?? 0;
  const last = root.entries.at(-1)?.keySpan.start ?? 0;
  const isLastRegion = region.end === region.mapping.entries.length;
  const isInside = looseWords.every(
    ({ start, hasColon }) => start > first && (start < last || hasColon || isLastRegion),
  );
  return isInside ? root : undefined;
}

/** The region's mapping with other entries in it. */
function joined({ mapping, first, end }: Region, own: MappingNode, by: number): MappingNode {
  const after = mapping.entries.slice(end);
  const moving = by === 0 ? after : after.map((entry) => movedEntry(entry, by));
  const entries = [...mapping.entries.slice(0, first), ...own.entries, ...moving];
  const { start } = (first === 0 ? own : mapping).span;
  return { kind: 'mapping', span: { start, end: endOf(entries) }, flow: false, entries };
}

/** A node with another one in it, at a path, what follows that one having moved. */
function replaced(node: Node, path: readonly number[], by: Node, distance: number): Node {
  const [index, ...rest] = path;
  if (index === undefined || (node.kind !== 'mapping' && node.kind !== 'sequence')) return by;
  const move = distance === 0 ? (after: Node) => after : (after: Node) => moved(after, distance);
  if (node.kind === 'sequence') {
    const items = node.items.map((item, at) => {
      if (at < index) return item;
      return at === index ? replaced(item, rest, by, distance) : move(item);
    });
    const end = items.at(-1)?.span.end ?? node.span.end;
    return { ...node, span: { start: node.span.start, end }, items };
  }
  const entries = node.entries.map((entry, at) => {
    if (at < index || (at > index && distance === 0)) return entry;
    return at === index
      ? { ...entry, value: replaced(entry.value, rest, by, distance) }
      : movedEntry(entry, distance);
  });
  return { ...node, span: { start: node.span.start, end: endOf(entries) }, entries };
}

function endOf(entries: readonly Entry[]): number {
  return entries.at(-1)?.value.span.end ?? 0;
}

interface Replacement {
  readonly region: Region;
  readonly read: ReadText;
  /** What the region's lines say now. */
  readonly own: MappingNode;
  /** The mapping that they are in. */
  readonly mapping: MappingNode;
  readonly by: number;
}

/** Undefined where a problem reaches into the region. */
function problemsWith(
  { problems }: ConfigDocument,
  { region, read, own, mapping, by }: Replacement,
): ParseProblem[] | undefined {
  const { start, end } = region.span;
  if (problems.some(({ span }) => span.start < start && span.end > start)) return undefined;
  // Which of equal keys come later is asked of the whole mapping.
  const isOther = notAmong(region.mapping.entries);
  const isNew = notAmong(own.entries);
  const before = problems.filter((problem) => problem.span.start < start && isOther(problem));
  const after = problems.filter((problem) => problem.span.start >= end && isOther(problem));
  return inOrder([
    ...before,
    ...read.problems.filter(isNew),
    ...duplicateKeys(mapping.entries),
    ...after.map((problem) => ({ ...problem, span: movedSpan(problem.span, by) })),
  ]);
}

function notAmong(entries: readonly Entry[]): (problem: ParseProblem) => boolean {
  const keys = new Set(entries.map(({ keySpan }) => keySpan.start));
  return ({ rule, span }) => rule !== 'duplicate-key' || !keys.has(span.start);
}
