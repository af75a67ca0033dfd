import type { Location } from '../../base/core/errors.ts';

/** Offsets in UTF-16 units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** All three are 0-based. */
export type TextPosition = Readonly<Record<'line' | 'character' | 'offset', number>>;

export interface TextRange {
  readonly start: TextPosition;
  readonly end: TextPosition;
}

export interface TextEdit {
  readonly span: Span;
  readonly newText: string;
}

export interface LinedText {
  readonly text: string;
  readonly lines: LineMap;
}

/** Lines of a text as editors count them: `\n`, `\r\n` and a lone `\r` each end one. */
export class LineMap {
  readonly #starts: readonly number[];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.#starts = lineStarts(text);
  }

  get count(): number {
    return this.#starts.length;
  }

  position(offset: number): TextPosition {
    const inside = Math.min(Math.max(0, offset), this.#text.length);
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#start(middle) <= inside) low = middle;
      else high = middle - 1;
    }
    return { line: low, character: inside - this.#start(low), offset: inside };
  }

  range(span: Span): TextRange {
    return { start: this.position(span.start), end: this.position(span.end) };
  }

  /** The line without its end; a line beyond the last is empty, at the end of the text. */
  line(line: number): Span {
    const start = this.#starts[line] ?? this.#text.length;
    const next = this.#starts[line + 1] ?? this.#text.length;
    let end = next;
    while (end > start && /[\r\n]/.test(this.#text.charAt(end - 1))) end -= 1;
    return { start, end };
  }

  /** Returns the start of the next line, or the end of the text after the last one. */
  after(line: number): number {
    return this.#starts[line + 1] ?? this.#text.length;
  }

  location(file: string, offset: number): Location {
    const { line, character } = this.position(offset);
    return { file, line: line + 1, column: character + 1 };
  }

  #start(line: number): number {
    return this.#starts[line] ?? 0;
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === newline || (code === carriageReturn && text.charCodeAt(at + 1) !== newline)) {
      starts.push(at + 1);
    }
  }
  return starts;
}

const newline = 10;
const carriageReturn = 13;

export function difference(before: string, after: string): TextEdit {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let same = 0;
  while (same < shorter - start && before.at(-1 - same) === after.at(-1 - same)) same += 1;
  return { span: { start, end: before.length - same }, newText: after.slice(start, after.length - same) };
}

export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const fromTheEnd = [...edits].sort((a, b) => b.span.start - a.span.start);
  return fromTheEnd.reduce(
    (edited, { span, newText }) => edited.slice(0, span.start) + newText + edited.slice(span.end),
    text,
  );
}
