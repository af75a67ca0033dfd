/** Finds values in a JSON text that arrives in pieces, so that a document need not fit into memory. */

export interface FoundValue {
  /** The path from the outermost value: names of fields, and `*` for list positions. */
  readonly path: string;
  /** The line where it begins, counted from 1. */
  readonly line: number;
  /** The JSON text; null: too long. */
  readonly text: string | null;
}

export interface JsonEnd {
  /** True if all brackets and strings were closed. */
  readonly whole: boolean;
  readonly line: number;
}

interface Level {
  readonly path: string;
  readonly isList: boolean;
  key: string;
  /** True if the next string of an object is a name. */
  expectsKey: boolean;
}

/**
 * Finds the objects and lists at the wanted paths, and yields them as text if they have at most `longest` characters.
 * The outermost values, of which there may be several, have the path ''.
 */
export class JsonValues {
  readonly #wanted: ReadonlySet<string>;
  readonly #longest: number;
  readonly #levels: Level[] = [];
  #line = 1;
  #inString = false;
  #escaped = false;
  #name: string | null = null;
  #collecting: { readonly path: string; readonly line: number; readonly depth: number } | undefined;
  #text: string[] = [];
  #length = 0;

  constructor(wanted: readonly string[], longest: number) {
    this.#wanted = new Set(wanted);
    this.#longest = longest;
  }

  end(): JsonEnd {
    return { whole: this.#levels.length === 0 && !this.#inString, line: this.#line };
  }

  *push(piece: string): Generator<FoundValue> {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      if (unit === 10) this.#line += 1;
      if (this.#inString) {
        this.#stringUnit(piece, at, unit);
        continue;
      }
      switch (unit) {
        case 34: // "
          this.#inString = true;
          this.#name = this.#collecting === undefined && this.#levels.at(-1)?.expectsKey === true ? '' : null;
          break;
        case 123: // {
        case 91: // [
          if (this.#open(unit === 91)) from = at;
          break;
        case 125: // }
        case 93: {
          // ]
          const found = this.#close(piece.slice(from, at + 1));
          if (found !== undefined) yield found;
          break;
        }
        case 44: // ,
          this.#next();
          break;
        case 58: // :
          this.#value();
      }
    }
    if (this.#collecting !== undefined) this.#keep(piece.slice(from));
  }

  #stringUnit(piece: string, at: number, unit: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (unit === 92) this.#escaped = true;
    else if (unit === 34) {
      this.#inString = false;
      const level = this.#levels.at(-1);
      if (this.#name !== null && level !== undefined) level.key = this.#name;
      this.#name = null;
      return;
    }
    if (this.#name !== null) this.#name += piece.charAt(at);
  }

  /** Opens a level. Returns whether a wanted value begins. */
  #open(isList: boolean): boolean {
    const parent = this.#levels.at(-1);
    const step = parent === undefined ? '' : parent.isList ? '*' : parent.key;
    const path = parent === undefined ? '' : parent.path === '' ? step : `${parent.path}/${step}`;
    this.#levels.push({ path, isList, key: '', expectsKey: !isList });
    if (this.#collecting !== undefined || !this.#wanted.has(path)) return false;
    this.#collecting = { path, line: this.#line, depth: this.#levels.length };
    return true;
  }

  #close(rest: string): FoundValue | undefined {
    const found = this.#collecting;
    const ends = found?.depth === this.#levels.length;
    this.#levels.pop();
    if (found === undefined || !ends) return undefined;
    this.#keep(rest);
    const text = this.#length > this.#longest ? null : this.#text.join('');
    this.#collecting = undefined;
    this.#text = [];
    this.#length = 0;
    return { path: found.path, line: found.line, text };
  }

  #keep(text: string): void {
    this.#length += text.length;
    if (this.#length <= this.#longest) this.#text.push(text);
    else this.#text = [];
  }

  #next(): void {
    const level = this.#levels.at(-1);
    if (level !== undefined) level.expectsKey = !level.isList;
  }

  #value(): void {
    const level = this.#levels.at(-1);
    if (level !== undefined) level.expectsKey = false;
  }
}
