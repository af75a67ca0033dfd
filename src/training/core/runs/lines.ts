/** The maximum number of bytes of a line in one event. A longer line continues in the next. */
export const lineLimit = 32 * 1024;

/** The bytes of the line without its end. */
export interface RawLine {
  readonly bytes: Uint8Array;
  /** The bytes of the file up to the end of the line. */
  readonly to: number;
  readonly part: boolean;
}

const newline = 10;
const carriageReturn = 13;
const blank = 32;
const bytesOf = (marks: string): readonly number[] => Array.from(marks, (mark) => mark.charCodeAt(0));
const itemEnds = bytesOf(',;}])');
const otherMarks = bytesOf(`"'<>|&`);

/**
 * Cuts a file into lines. The lines depend only on the bytes after `start`, not on the size of the pieces. A reader
 * that restarts at the `to` of any line gets the same ones after it. A progress bar overwrites its line with carriage
 * returns. Only its last state is kept.
 */
export class LineCutter {
  #from: number;
  #waiting = new Uint8Array();

  constructor(start: number) {
    this.#from = start;
  }

  /** The number of bytes taken so far. */
  get read(): number {
    return this.#from + this.#waiting.length;
  }

  add(bytes: Uint8Array): RawLine[] {
    const lines: RawLine[] = [];
    let rest = joined(this.#waiting, bytes);
    for (let cut = nextCut(rest); cut !== undefined; cut = nextCut(rest)) {
      this.#from += cut.take;
      if (cut.bytes !== undefined) {
        lines.push({ bytes: withoutOverwritten(cut.bytes), to: this.#from, part: cut.part });
      }
      rest = rest.subarray(cut.take);
    }
    this.#waiting = rest.slice();
    return lines;
  }

  /** Returns the rest as a line, because the file is complete. */
  end(): RawLine[] {
    if (this.#waiting.length === 0) return [];
    const bytes = withoutOverwritten(this.#waiting);
    this.#from += this.#waiting.length;
    this.#waiting = new Uint8Array();
    return [{ bytes, to: this.#from, part: false }];
  }
}

interface Cut {
  readonly take: number;
  /** Undefined if the bytes are dropped. */
  readonly bytes?: Uint8Array;
  readonly part: boolean;
}

function nextCut(rest: Uint8Array): Cut | undefined {
  const end = rest.indexOf(newline);
  if (end >= 0 && end < lineLimit) return { take: end + 1, bytes: rest.subarray(0, end), part: false };
  if (rest.length < lineLimit) return undefined;
  // The last byte can be the first half of a line end.
  const overwritten = rest.lastIndexOf(carriageReturn, lineLimit - 2);
  if (overwritten >= 0) return { take: overwritten + 1, part: false };
  const take = placeToCut(rest);
  return { take, bytes: rest.subarray(0, take), part: true };
}

/**
 * Returns where to cut a long line: near the limit, never inside a character. It prefers the end of an item, so that
 * a name stays with its value, then a blank or another mark. Secrets are searched in each part, so no cut may split
 * one.
 */
function placeToCut(rest: Uint8Array): number {
  for (const marks of [itemEnds, [blank], otherMarks]) {
    const gap = Math.max(...marks.map((mark) => rest.lastIndexOf(mark, lineLimit - 1)));
    if (gap >= lineLimit * 0.75) return gap + 1;
  }
  let cut = lineLimit;
  for (let back = 0; back < 3 && ((rest[cut] ?? rest[cut - 1] ?? 0) & 0xc0) === 0x80; back++) cut--;
  return cut;
}

function withoutOverwritten(line: Uint8Array): Uint8Array {
  let end = line.length;
  while (end > 0 && line[end - 1] === carriageReturn) end--;
  const start = end === 0 ? 0 : line.lastIndexOf(carriageReturn, end - 1) + 1;
  return line.subarray(start, end);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

const escape = String.fromCharCode(0x1b);
const bell = String.fromCharCode(7);
/** Terminal codes for colors, cursor moves, window titles and links. */
const terminalCodes = new RegExp(
  `${escape}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${escape}]*(?:${bell}|${escape}\\\\)?|[ -/]*[0-Z\\\\^-~])`,
  'g',
);

/** Characters that begin a code. Without them, the rest around a removed code cannot become another one. */
const codeStarts = new RegExp(`[${escape}\\u0080-\\u009f]`, 'g');

export function withoutTerminalCodes(text: string): string {
  return text.search(codeStarts) < 0 ? text : text.replace(terminalCodes, '').replace(codeStarts, '');
}
