import type { ScalarType, ScalarValue } from '../scalar.ts';

/** A text of OmegaConf's: parts to be joined, or one interpolation whose value it takes. */
export type Template = readonly (string | Interpolation)[];

export type Interpolation = PathInterpolation | ResolverCall;

/** The content of `${a.b}`, including dots and brackets. Offsets are those of the text. */
export interface PathInterpolation {
  readonly kind: 'path';
  readonly start: number;
  readonly end: number;
  readonly path: Template;
  /** The keys of the path that are written out. */
  readonly keys: readonly WrittenKey[];
}

export interface WrittenKey {
  readonly name: string;
  readonly start: number;
}

/** `${name:argument,argument}`. */
export interface ResolverCall {
  readonly kind: 'call';
  readonly start: number;
  readonly end: number;
  readonly name: Template;
  readonly arguments: readonly Element[];
}

/** A value as it is written in a call. `unknown`: a list or a section in brackets, which is not evaluated. */
export type Element =
  | { readonly kind: 'scalar'; readonly type: ScalarType; readonly value: ScalarValue }
  | { readonly kind: 'text'; readonly text: Template; readonly isQuoted: boolean }
  | { readonly kind: 'unknown' };

export interface SyntaxFailure {
  readonly at: number;
}

class Unexpected extends Error implements SyntaxFailure {
  readonly at: number;

  constructor(at: number) {
    super('unexpected');
    this.at = at;
  }
}

/** Deeper nesting is refused, as a stack would not hold it. */
const deepest = 100;

/** Parses a text as OmegaConf does. OmegaConf only parses texts with `${` in them. */
export function parseText(text: string): Template | SyntaxFailure {
  return attempt(text, (parser) => parser.text());
}

/** Reads what `oc.decode` is given: one value, as in the arguments of a call. */
export function parseElement(text: string): Element | SyntaxFailure {
  return text === '' ? { at: 0 } : attempt(text, (parser) => parser.element());
}

export function isFailure(parsed: object): parsed is SyntaxFailure {
  return 'at' in parsed && typeof parsed.at === 'number' && !Array.isArray(parsed);
}

function attempt<T>(text: string, read: (parser: Parser) => T): T | SyntaxFailure {
  const parser = new Parser(text);
  try {
    const result = read(parser);
    parser.end();
    return result;
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    return { at: error.at };
  }
}

/** The marks that end a part of a text: an interpolation, and the quote around the text. */
const textMarks = { '': /\$\{/g, "'": /\$\{|'/g, '"': /\$\{|"/g } as const;

type Quote = keyof typeof textMarks;

const keyForm = /[^\\{}()[\]:. \t'"]+/y;
const resolverPart = /^(?:\.?|[a-zA-Z_][a-zA-Z0-9_-]*)$/;
const blanks = /[ \t]*/y;
const colon = /[ \t]*:[ \t]*/y;
const comma = /[ \t]*,[ \t]*/y;
const close = /[ \t]*\}/y;
/** Text of an argument without quotes, up to the blanks before its end. */
const plainForm = /(?:\\[\\()[\]{}:=, \t]|(?!\$\{)[\w/\\+.$%*@?|:-]|[ \t]+(?![ \t,}\]]))+/y;
const plainEscape = /\\([\\()[\]{}:=, \t])/g;

class Parser {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  end(): void {
    if (this.#at < this.#source.length) this.#refuse();
  }

  /** Reads up to `quote`, or to the end. Backslashes are escapes only before `${` and before the quote. */
  text(quote: Quote = ''): Template {
    const parts: (string | Interpolation)[] = [];
    let literal = '';
    for (;;) {
      const mark = this.#nextMark(quote);
      const before = this.#source.slice(this.#at, mark?.index);
      this.#at += before.length;
      if (mark === undefined) {
        if (quote !== '') this.#refuse();
        literal += before;
        break;
      }
      let backslashes = 0;
      while (before.at(-1 - backslashes) === '\\') backslashes += 1;
      literal += before.slice(0, before.length - Math.ceil(backslashes / 2));
      this.#at += mark.found.length;
      if (backslashes % 2 === 1) literal += mark.found;
      else if (mark.found === quote) break;
      else {
        if (literal !== '') parts.push(literal);
        literal = '';
        parts.push(this.#interpolation(mark.index));
      }
    }
    return literal === '' ? parts : [...parts, literal];
  }

  #nextMark(quote: Quote): { readonly index: number; readonly found: string } | undefined {
    const form = textMarks[quote];
    form.lastIndex = this.#at;
    const match = form.exec(this.#source);
    return match === null ? undefined : { index: match.index, found: match[0] };
  }

  /** Nothing between commas counts as an empty text. */
  element(): Element {
    const quote = this.#read(/['"]?/y);
    if (quote === "'" || quote === '"') return { kind: 'text', text: this.text(quote), isQuoted: true };
    if (/[[{]/.test(this.#source.charAt(this.#at))) return this.#brackets();
    const parts: (string | Interpolation)[] = [];
    for (;;) {
      const plain = this.#read(plainForm);
      if (plain !== '') parts.push(plain);
      else if (this.#source.startsWith('${', this.#at)) {
        this.#at += 2;
        parts.push(this.#interpolation(this.#at - 2));
      } else break;
    }
    const [only = ''] = parts;
    const typed = parts.length <= 1 && typeof only === 'string' ? typedScalar(only) : undefined;
    if (typed !== undefined) return { kind: 'scalar', ...typed };
    const text = parts.map((part) => (typeof part === 'string' ? part.replace(plainEscape, '$1') : part));
    return { kind: 'text', text, isQuoted: false };
  }

  /** Skips a list or a section up to its closing bracket. */
  #brackets(): Element {
    const mark = /\\.|(["'])(?:\\.|(?!\1)[^\\])*\1|[[{]|[\]}]/gs;
    mark.lastIndex = this.#at;
    let open = 0;
    for (let match = mark.exec(this.#source); match !== null; match = mark.exec(this.#source)) {
      const [found] = match;
      if (found === '[' || found === '{') open += 1;
      if (found === ']' || found === '}') open -= 1;
      if (open > 0) continue;
      this.#at = mark.lastIndex;
      return { kind: 'unknown' };
    }
    return this.#refuse();
  }

  /** `start`: where its `${` is, which has been read. */
  #interpolation(start: number): Interpolation {
    if (++this.#depth > deepest) this.#refuse();
    const path: (string | Interpolation)[] = [];
    const keys: WrittenKey[] = [];
    this.#read(blanks);
    for (let lead = this.#read(/\.*\[?/y); ; lead = this.#read(/[.[]/y)) {
      path.push(lead, this.#key(keys));
      if (lead.endsWith('[')) path.push(this.#expect(/\]/y));
      if (!/[.[]/.test(this.#source.charAt(this.#at))) break;
    }
    const read = this.#read(colon) === '' ? ({ kind: 'path', path, keys } as const) : this.#call(path);
    this.#expect(close);
    this.#depth -= 1;
    return { ...read, start, end: this.#at };
  }

  #key(keys: WrittenKey[]): string | Interpolation {
    const start = this.#at;
    if (this.#source.startsWith('${', start)) {
      this.#at += 2;
      return this.#interpolation(start);
    }
    const name = this.#expect(keyForm);
    keys.push({ name, start });
    return name;
  }

  #call(name: Template): Pick<ResolverCall, 'kind' | 'name' | 'arguments'> {
    const isName = name.every((part) => typeof part !== 'string' || resolverPart.test(part));
    if (!isName || name[0] !== '') this.#refuse();
    const elements: Element[] = [];
    if (!this.#isAt(close))
      do elements.push(this.element());
      while (this.#read(comma) !== '');
    return { kind: 'call', name, arguments: elements };
  }

  #isAt(form: RegExp): boolean {
    form.lastIndex = this.#at;
    return form.test(this.#source);
  }

  /** Reads what matches here, which may be nothing. */
  #read(form: RegExp): string {
    form.lastIndex = this.#at;
    const found = form.exec(this.#source)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #expect(form: RegExp): string {
    const found = this.#read(form);
    return found === '' ? this.#refuse() : found;
  }

  #refuse(): never {
    throw new Unexpected(this.#at);
  }
}

const digits = '[0-9](?:_?[0-9])*';
const integer = '(?:[1-9](?:_?[0-9])*|0)';
const point = `(?:${integer}?\\.${digits}|${integer}\\.)`;
const integerForm = new RegExp(`^[+-]?${integer}$`);
const floatForm = new RegExp(`^[+-]?(?:(?:${point}|${integer})e[+-]?${digits}|${point}|inf|nan)$`, 'i');

/** Returns the value of an argument without quotes that is not a string; of an empty one, the empty string. */
function typedScalar(
  written: string,
): Pick<Extract<Element, { kind: 'scalar' }>, 'type' | 'value'> | undefined {
  const lower = written.toLowerCase().replaceAll('_', '');
  if (written === '') return { type: 'string', value: '' };
  if (lower === 'null') return { type: 'null', value: null };
  if (lower === 'true' || lower === 'false') return { type: 'boolean', value: lower === 'true' };
  if (integerForm.test(written)) return { type: 'integer', value: Number(lower) };
  if (!floatForm.test(written)) return undefined;
  const value = Number(lower.replace('inf', 'Infinity'));
  return { type: 'float', value };
}
