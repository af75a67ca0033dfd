import {
  marksIn,
  readBlockLine,
  enclosingBlock,
  type BlockLine,
  type BlockMark,
  type EnclosingBlock,
} from './blockLines.ts';
import type { LinedText, Span } from '../text.ts';
import type { Caret, CaretPath, KeyCaret, ReferenceCaret, ValueCaret } from './caretTypes.ts';
import { flowCaret } from './flowCaret.ts';

/**
 * Returns the possible carets at an offset; several if a list may hold sections and plain values. Works on lines and
 * indentation, so that broken text elsewhere does not matter. Empty in comments and in texts of several lines.
 */
export function caretAt(document: LinedText, offset: number): Caret[] {
  const { line } = document.lines.position(offset);
  const { start } = document.lines.line(line);
  const before = document.text.slice(start, offset);
  if (isInComment(before)) return [];
  const flow = flowCaret(document, offset);
  const carets: Caret[] = flow === undefined ? blockCarets(document, offset) : [flow];
  const value = carets.find((caret) => caret.kind === 'value');
  const reference = referenceCaret(document, offset, value?.path ?? []);
  return reference === undefined ? carets : [reference];
}

/** A `#` begins a comment at the start of a line and behind a blank, outside quotes. */
function isInComment(before: string): boolean {
  if (!before.includes('#')) return false;
  const unquoted = before.replaceAll(
    /(?<=^|[\s:[{,-])(?:"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^']|'')*(?:'|$))/g,
    (text) => 'x'.repeat(text.length),
  );
  return /(?:^|\s)#/.test(unquoted);
}

function blockCarets(document: LinedText, offset: number): Caret[] {
  const { line } = document.lines.position(offset);
  const { marks, rest } = readBlockLine(document, line);
  const key = marks.findLast((mark) => mark.key !== undefined);
  if (key !== undefined && offset > key.span.end) return valueCaret(document, offset, line, key, rest);
  const item = itemCaret(document, offset, line, { rest, marks });
  return [...keyCaret(document, offset, line, key), ...item];
}

function valueCaret(
  document: LinedText,
  offset: number,
  line: number,
  key: BlockMark,
  rest: Span,
): ValueCaret[] {
  const span = spanAt(offset, rest);
  const surrounding = enclosingBlock(document, line, key.column);
  if (span === undefined || surrounding === undefined || key.key === undefined) return [];
  const lead = document.text.charAt(span.start - 1) === ':' ? ' ' : '';
  const path = [...surrounding.path, key.key];
  return [{ kind: 'value', path, span, lead, present: new Set(), inFlow: false }];
}

function keyCaret(document: LinedText, offset: number, line: number, key: BlockMark | undefined): KeyCaret[] {
  const { start, end } = document.lines.line(line);
  const before = document.text.slice(start, offset);
  const [, word] = /^(?:\ufeff?[ \t]*|[ \t]*(?:-[ \t]+)+)([\w.-]*)$/.exec(before) ?? [];
  if (word === undefined || (word === '' && /^[ \t]*-$/.test(before))) return [];
  const column = before.length - word.length;
  const [tail = ''] = /^[\w.-]*/.exec(document.text.slice(offset, end)) ?? [];
  const surrounding = enclosingBlock(document, line, column);
  if (surrounding === undefined) return [];
  const siblings = marksIn(document, surrounding, line);
  const [first] = siblings;
  if (first !== undefined && first.column !== column) return [];
  const present = new Set(siblings.flatMap((mark) => mark.key ?? []));
  const span = { start: offset - word.length, end: offset + tail.length };
  const isComplete = key !== undefined;
  return [{ kind: 'key', path: surrounding.path, span, present, column, isComplete }];
}

/** The value, or the caret where there is none. Undefined if the caret is not in the value. */
function spanAt(offset: number, value: Span): Span | undefined {
  if (value.end === value.start) return { start: offset, end: offset };
  return offset < value.start || offset > value.end ? undefined : value;
}

function itemCaret(
  document: LinedText,
  offset: number,
  line: number,
  { marks, rest }: BlockLine,
): ValueCaret[] {
  const dash = marks.at(-1);
  if (dash === undefined || dash.key !== undefined || offset <= dash.span.end) return [];
  const span = spanAt(offset, rest);
  const list = enclosingBlock(document, line, dash.column + 1);
  if (span === undefined || list === undefined) return [];
  const around = enclosingBlock(document, line, dash.column);
  const present = new Set(around === undefined ? [] : itemsIn(document, around, line));
  return [{ kind: 'value', path: list.path, span, lead: '', present, inFlow: false }];
}

function itemsIn(document: LinedText, list: EnclosingBlock, except: number): string[] {
  return marksIn(document, list, except).map((mark) => {
    const { rest } = readBlockLine(document, document.lines.position(mark.span.start).line);
    return unquoted(document.text.slice(rest.start, rest.end));
  });
}

export function unquoted(text: string): string {
  return text.replace(/^(['"])(.*)\1$/s, '$2');
}

/** Returns undefined where the offset is not in an interpolation that begins on its line. */
function referenceCaret(
  { text, lines }: LinedText,
  offset: number,
  path: CaretPath,
): ReferenceCaret | undefined {
  const { start, end } = lines.line(lines.position(offset).line);
  const open = openInterpolation(text.slice(start, offset));
  if (open === undefined) return undefined;
  const inside = text.slice(start + open, offset);
  const [, resolver, argument] = /^\s*([A-Za-z_][\w.]*):(.*)$/s.exec(inside) ?? [];
  const written = (argument ?? inside).trimStart();
  if (!/^[^\s,'"{}:]*$/.test(written)) return undefined;
  const behind = text.slice(offset, end);
  const tail = /^[\w.[\]-]*/.exec(behind)?.[0] ?? '';
  const isClosed = /^\s*}/.test(behind.slice(tail.length));
  const span = { start: offset - written.length, end: isClosed ? offset + tail.length : offset };
  return { kind: 'reference', path, span, written, resolver, isClosed };
}

/** Returns the end of the innermost unclosed `${`; `\${` does not count. */
function openInterpolation(before: string): number | undefined {
  const open: number[] = [];
  for (const { index, 0: found } of before.matchAll(/(?<!\\)\\*\$\{|\}/g)) {
    if (found === '}') open.pop();
    else if (found.length % 2 === 0) open.push(index + found.length);
  }
  return open.at(-1);
}
