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
  readonly #starts: number[] = [0];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) this.#starts.push(index + end.length);
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

export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const fromTheEnd = [...edits].sort((a, b) => b.span.start - a.span.start);
  return fromTheEnd.reduce(
    (edited, { span, newText }) => edited.slice(0, span.start) + newText + edited.slice(span.end),
    text,
  );
}
