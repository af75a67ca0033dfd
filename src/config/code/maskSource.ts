/**
 * A JavaScript or TypeScript text with everything that is not code (comments, the insides of strings, templates and
 * regular expressions) replaced by spaces. Offsets and line breaks stay. A scan, not a parse: on broken text it is
 * wrong for a line, never for longer than the literal or comment at fault, and it takes time linear in the text.
 */
export function maskSource(text: string): string {
  return new Masker(text).run();
}

/** After one of these, a slash begins a regular expression; after anything else, it divides. */
const beforeRegex =
  /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|delete|throw|await|yield))\s*$/;
/** How far back the test above needs to look. */
const lookBehind = 40;

/** Nothing that could begin what is masked. */
const plain = /[^/"'`{}]+/y;

class Masker {
  readonly #text: string;
  readonly #pieces: string[] = [];
  #at = 0;
  /** The end of what is put out so far. */
  #tail = '';
  /** Depth of braces within each `${…}` that is open. */
  readonly #substitutions: number[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): string {
    while (this.#at < this.#text.length) this.#step();
    return this.#pieces.join('');
  }

  #step(): void {
    const at = this.#at;
    const char = this.#text[at] ?? '';
    if (char === '/') this.#slash(at);
    else if (char === '"' || char === "'") this.#blank(this.#endOfString(at, char), 1);
    else if (char === '`') this.#template(at + 1);
    else if (char === '{' || char === '}') this.#brace(at, char);
    else this.#put(this.#plainRun(at));
  }

  #put(piece: string): void {
    this.#pieces.push(piece);
    this.#at += piece.length;
    this.#tail = (this.#tail + piece.slice(-lookBehind)).slice(-lookBehind);
  }

  #plainRun(at: number): string {
    plain.lastIndex = at;
    return plain.exec(this.#text)?.[0] ?? '';
  }

  #slash(at: number): void {
    if (this.#text.startsWith('//', at)) {
      this.#blank(endOr(this.#text.indexOf('\n', at), this.#text));
    } else if (this.#text.startsWith('/*', at)) {
      const end = this.#text.indexOf('*/', at + 2);
      this.#blank(end < 0 ? this.#text.length : end + 2);
    } else if (beforeRegex.test(this.#tail)) {
      this.#blank(this.#endOfRegex(at), 1);
    } else {
      this.#put('/');
    }
  }

  #brace(at: number, char: string): void {
    const open = this.#substitutions.length - 1;
    const depth = this.#substitutions[open];
    if (depth === 0 && char === '}') {
      this.#substitutions.pop();
      this.#put(' ');
      this.#template(at + 1);
      return;
    }
    if (depth !== undefined) this.#substitutions[open] = depth + (char === '{' ? 1 : -1);
    this.#put(char);
  }

  /** The text part of a template that begins at `from`, up to its end or to the next substitution. */
  #template(from: number): void {
    let at = from;
    while (at < this.#text.length) {
      const char = this.#text[at];
      if (char === '\\') at += 2;
      else if (char === '`') {
        this.#blank(at + 1);
        return;
      } else if (char === '$' && this.#text[at + 1] === '{') {
        this.#blank(at + 2);
        this.#substitutions.push(0);
        return;
      } else at += 1;
    }
    this.#blank(this.#text.length);
  }

  #endOfString(start: number, quote: string): number {
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const char = this.#text[at];
      if (char === '\\') at += 1;
      else if (char === quote) return at + 1;
      else if (char === '\n') return at;
    }
    return this.#text.length;
  }

  #endOfRegex(start: number): number {
    let inClass = false;
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const char = this.#text[at];
      if (char === '\\') at += 1;
      else if (char === '\n') return at;
      else if (char === '[') inClass = true;
      else if (char === ']') inClass = false;
      else if (char === '/' && !inClass) return at + 1;
    }
    return this.#text.length;
  }

  /** Blanks up to `end`, save line breaks and the first `keep` characters and as many last ones. */
  #blank(end: number, keep = 0): void {
    const piece = this.#text.slice(this.#at, end);
    const inner = piece.slice(keep, Math.max(keep, piece.length - keep)).replace(/[^\r\n]/g, ' ');
    const last = piece.slice(Math.max(keep, piece.length - keep));
    this.#put(keep === 0 ? inner : piece.slice(0, keep) + inner + last);
  }
}

function endOr(index: number, text: string): number {
  return index < 0 ? text.length : index;
}
