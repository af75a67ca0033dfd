import type { LinedText, Span } from '../text.ts';

/** A key of a block mapping, or the `-` of a list item, on its line. */
export interface BlockMark {
  readonly column: number;
  /** Undefined for a `-`. */
  readonly key: string | undefined;
  readonly span: Span;
}

/** A line of YAML in block style, read by itself: it makes sense whatever the rest of the text is. */
export interface BlockLine {
  readonly marks: readonly BlockMark[];
  /** The text after the last mark, without comment and blanks. */
  readonly rest: Span;
}

const mostDashes = 200;

/** YAML takes no key for one that is longer than 1,024 characters. */
const keyForm =
  /(?:"((?:[^"\\]|\\.){0,1022})"|'((?:[^']|''){0,1022})'|([^\s#'"[\]{},&*!|>%@`-][^#:]{0,1023}?|-[^\s#:][^#:]{0,1022}?))[ ]*:(?=[ \t]|$)/y;

export function readBlockLine(document: LinedText, line: number): BlockLine {
  const { start, end } = document.lines.line(line);
  const text = document.text.slice(start, end);
  const marks: BlockMark[] = [];
  let at = blanks(text, text.startsWith('\ufeff') ? 1 : 0);
  while (marks.length < mostDashes && text.charAt(at) === '-' && /^[ \t]?$/.test(text.charAt(at + 1))) {
    marks.push({ column: at, key: undefined, span: { start: start + at, end: start + at + 1 } });
    at = blanks(text, at + 1);
  }
  keyForm.lastIndex = at;
  const match = keyForm.exec(text);
  if (match !== null) {
    const [whole, double, single, plain] = match;
    const key = double ?? single ?? plain ?? '';
    const keyEnd = at + whole.replace(/[ ]*:$/, '').length;
    marks.push({ column: at, key, span: { start: start + at, end: start + keyEnd } });
    at = blanks(text, at + whole.length);
  }
  return { marks, rest: { start: start + at, end: start + restEnd(text, at) } };
}

/** Returns the end of the text from `at` on, without a comment and the blanks before it. */
function restEnd(text: string, at: number): number {
  for (let hash = text.indexOf('#', at); hash !== -1; hash = text.indexOf('#', hash + 1)) {
    if (hash === at || /[ \t]/.test(text.charAt(hash - 1))) return at + text.slice(at, hash).trimEnd().length;
  }
  return at + text.slice(at).trimEnd().length;
}

function blanks(text: string, at: number): number {
  let end = at;
  while (text.charAt(end) === ' ' || text.charAt(end) === '\t') end += 1;
  return end;
}

/** A section or list that a place is in. */
export interface EnclosingBlock {
  /** The path from the top; 0 is any item of a list. */
  readonly path: readonly (string | 0)[];
  /** The position of the nearest key or `-` around it; both are -1 at the top. */
  readonly column: number;
  readonly line: number;
}

/**
 * Returns the block around a position, by indentation alone. On `line` itself, only the text left of `column` counts.
 * Returns undefined inside a text of several lines (`|`, `>`).
 */
export function enclosingBlock(
  document: LinedText,
  line: number,
  column: number,
): EnclosingBlock | undefined {
  const path: (string | 0)[] = [];
  let below = column;
  let nearest = { column: -1, line: -1 };
  for (let at = line; at >= 0 && (below > 0 || path[0] === 0); at--) {
    const { marks, rest } = readBlockLine(document, at);
    for (const mark of marks.toReversed()) {
      // A list may stand in the very column of the key that it belongs to.
      const ownsList = mark.key !== undefined && mark.column === below && path[0] === 0;
      if (mark.column >= below && !ownsList) continue;
      if (path.length === 0) nearest = { column: mark.column, line: at };
      if (path.length === 0 && at < line && opensText(document, rest)) return undefined;
      path.unshift(mark.key ?? 0);
      below = mark.column;
    }
  }
  return { path, ...nearest };
}

/** The keys and `-` directly in a section or list, those on `except` left out. */
export function marksIn(document: LinedText, { column, line }: EnclosingBlock, except: number): BlockMark[] {
  const found: BlockMark[] = [];
  const first = line === -1 || line === except ? undefined : readBlockLine(document, line);
  const besideDash = first?.marks.find((mark) => mark.column > column);
  if (besideDash !== undefined) found.push(besideDash);
  for (let at = line + 1; at < document.lines.count; at++) {
    const [mark] = at === except ? [] : readBlockLine(document, at).marks;
    if (mark === undefined) continue;
    if (mark.column <= column) break;
    if (mark.column === (found[0]?.column ?? mark.column)) found.push(mark);
  }
  return found;
}

function opensText({ text }: LinedText, rest: Span): boolean {
  return /^[|>][-+0-9]*$/.test(text.slice(rest.start, rest.end));
}
