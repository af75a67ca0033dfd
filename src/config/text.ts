import type { Location } from '../base/errors.ts';

/** Offsets in UTF-16 units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** All three are 0-based. */
export interface TextPosition {
  readonly line: number;
  readonly character: number;
  readonly offset: number;
}

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

  constructor(text: string, starts: readonly number[] = startsIn(text, 0, text.length, [0])) {
    this.#text = text;
    this.#starts = starts;
  }

  /** The lines of this text after `edit`; only what was put in is looked at. */
  edited(edit: TextEdit, text: string): LineMap {
    const delta = edit.newText.length - (edit.span.end - edit.span.start);
    // From the line before: what was put in may take a `\n` away from its `\r`, or add one.
    const from = Math.max(0, this.position(edit.span.start).line - 1);
    const behind = this.position(edit.span.end).line + 2;
    const starts = this.#starts.slice(0, from + 1);
    const changedEnd = (this.#starts[behind] ?? this.#text.length) + delta;
    startsIn(text, this.#start(from), changedEnd, starts);
    if (behind < this.#starts.length && starts.at(-1) === changedEnd) starts.pop();
    for (let line = behind; line < this.#starts.length; line++) starts.push(this.#start(line) + delta);
    return new LineMap(text, starts);
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

  /** Where the line after this one starts; the end of the text after the last. */
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

/** Adds where lines start, `from` left out and `to` included, to those that are known. */
function startsIn(text: string, from: number, to: number, starts: number[]): number[] {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code === newline || (code === carriageReturn && text.charCodeAt(at + 1) !== newline)) {
      starts.push(at + 1);
    }
  }
  return starts;
}

const newline = 10;
const carriageReturn = 13;

export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const fromTheEnd = [...edits].sort((a, b) => b.span.start - a.span.start);
  return fromTheEnd.reduce(
    (edited, { span, newText }) => edited.slice(0, span.start) + newText + edited.slice(span.end),
    text,
  );
}
