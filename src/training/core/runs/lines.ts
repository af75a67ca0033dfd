/** The maximum number of bytes of a line in one event. A longer line continues in the next. */
export const lineLimit = 32 * 1024;

/** The bytes on each side of a cut that are searched for a secret across it. */
const overlap = 4 * 1024;

/** Returns whether no secret is partly in the bytes before a cut and partly in those after it. */
export type IsSafeCut = (before: Uint8Array, after: Uint8Array) => boolean;

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
  readonly #isSafeCut: IsSafeCut;

  constructor(start: number, isSafeCut: IsSafeCut = () => true) {
    this.#from = start;
    this.#isSafeCut = isSafeCut;
  }

  /** The number of bytes taken so far. */
  get read(): number {
    return this.#from + this.#waiting.length;
  }

  add(bytes: Uint8Array, isComplete = false): RawLine[] {
    const lines: RawLine[] = [];
    let rest = joined(this.#waiting, bytes);
    const next = (): Cut | undefined => nextCut(rest, isComplete, this.#isSafeCut);
    for (let cut = next(); cut !== undefined; cut = next()) {
      this.#from += cut.take;
      if (cut.bytes !== undefined) {
        lines.push({ bytes: withoutOverwritten(cut.bytes), to: this.#from, part: cut.part });
      }
      rest = rest.subarray(cut.take);
    }
    this.#waiting = rest.slice();
    return lines;
  }

  /** Returns the rest as lines, because the file is complete. */
  end(): RawLine[] {
    const lines = this.add(new Uint8Array(), true);
    if (this.#waiting.length === 0) return lines;
    const bytes = withoutOverwritten(this.#waiting);
    this.#from += this.#waiting.length;
    this.#waiting = new Uint8Array();
    return [...lines, { bytes, to: this.#from, part: false }];
  }
}

interface Cut {
  readonly take: number;
  /** Undefined if the bytes are dropped. */
  readonly bytes?: Uint8Array;
  readonly part: boolean;
}

function nextCut(rest: Uint8Array, isComplete: boolean, isSafe: IsSafeCut): Cut | undefined {
  const end = rest.indexOf(newline);
  if (end >= 0 && end < lineLimit) return { take: end + 1, bytes: rest.subarray(0, end), part: false };
  if (rest.length < lineLimit) return undefined;
  if (end < 0 && rest.length < lineLimit + overlap && !isComplete) return undefined;
  // The last byte can be the first half of a line end.
  const overwritten = rest.lastIndexOf(carriageReturn, lineLimit - 2);
  if (overwritten >= 0) return { take: overwritten + 1, part: false };
  const take = safeCut(end < 0 ? rest : rest.subarray(0, end), isSafe);
  return { take, bytes: rest.subarray(0, take), part: true };
}

/** Returns where to cut a long line so that no part has a part of a secret: each part is searched alone. */
function safeCut(line: Uint8Array, isSafe: IsSafeCut): number {
  const first = placeToCut(line, lineLimit);
  for (let cut = first, back = 1; cut > lineLimit / 2; cut = placeToCut(line, cut - back), back *= 2) {
    if (isSafe(line.subarray(cut - overlap, cut), line.subarray(cut, cut + overlap))) return cut;
  }
  return first;
}

/**
 * Returns where to cut a long line: near the limit, never inside a character. It prefers the end of an item, so that
 * a name stays with its value, then a blank or another mark.
 */
function placeToCut(rest: Uint8Array, limit: number): number {
  for (const marks of [itemEnds, [blank], otherMarks]) {
    const gap = Math.max(...marks.map((mark) => rest.lastIndexOf(mark, limit - 1)));
    if (gap >= limit * 0.75) return gap + 1;
  }
  let cut = limit;
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
