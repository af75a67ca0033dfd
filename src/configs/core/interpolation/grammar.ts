import type { ScalarPart } from '../value.ts';
import { tokenize, type Mode, type Token, type TokenType } from './tokens.ts';

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

/** A value as it is written in a call. */
export type Element =
  | { readonly kind: 'literal'; readonly value: null | boolean | string }
  | { readonly kind: 'number'; readonly type: 'integer' | 'float'; readonly value: number }
  | { readonly kind: 'quoted'; readonly text: Template }
  | { readonly kind: 'plain'; readonly text: Template }
  | { readonly kind: 'list'; readonly items: readonly Element[] }
  | { readonly kind: 'dict'; readonly entries: readonly (readonly [Element, Element])[] };

/** The position of a syntax error. */
export interface SyntaxFailure {
  readonly at: number;
}

class Unexpected extends Error {
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
  return attempt(() => new Parser(text, 'text').whole((parser) => parser.text(() => false)));
}

/** Values are immutable, and those of the bundled defaults live on. */
const templates = new WeakMap<ScalarPart, Template | SyntaxFailure>();

/** Parses the text of a value with interpolations, once. */
export function templateOf(scalar: ScalarPart): Template | SyntaxFailure {
  const known = templates.get(scalar);
  if (known !== undefined) return known;
  const template = parseText(String(scalar.value));
  templates.set(scalar, template);
  return template;
}

/** Reads what `oc.decode` is given: one value, as in the arguments of a call. */
export function parseElement(text: string): Element | SyntaxFailure {
  return attempt(() => new Parser(text, 'value').whole((parser) => parser.element()));
}

export function isFailure(parsed: object): parsed is SyntaxFailure {
  return 'at' in parsed && typeof parsed.at === 'number' && !Array.isArray(parsed);
}

function attempt<T>(read: () => T): T | SyntaxFailure {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Unexpected)) throw error;
    return { at: error.at };
  }
}

const primitives: ReadonlySet<TokenType> = new Set([
  'id',
  'null',
  'int',
  'float',
  'bool',
  'char',
  ':',
  'escape',
  'blank',
]);

class Parser {
  readonly #tokens: readonly Token[];
  readonly #end: number;
  /** The parse results by token. An interpolation is a path or a call only after its nested parts are read. */
  readonly #known = new Map<number, { readonly read: Interpolation; readonly next: number }>();
  #next = 0;
  #depth = 0;

  constructor(text: string, mode: Mode) {
    const { tokens, end } = tokenize(text, mode);
    this.#tokens = tokens;
    this.#end = end;
    // A place that is no token at all is refused once everything before it has been read.
    if (end < text.length) this.#tokens = [...tokens, { type: 'end-quote', text: '', start: end }];
  }

  whole<T>(read: (parser: this) => T): T {
    const result = read(this);
    if (this.#peek() !== undefined) this.#refuse();
    return result;
  }

  text(ends: (token: Token) => boolean): Template {
    const parts: (string | Interpolation)[] = [];
    for (let token = this.#peek(); token !== undefined && !ends(token); token = this.#peek()) {
      if (token.type === 'open') parts.push(this.#interpolation());
      else if (['text', 'escaped-open', 'backslashes', 'escape'].includes(token.type)) {
        this.#next += 1;
        parts.push(this.#literal(token));
      } else this.#refuse();
    }
    return parts;
  }

  /** Backslashes count double only where the token says so: before an interpolation, or before a closing quote. */
  #literal(token: Token): string {
    if (token.type === 'escaped-open') return token.text.slice(-(Math.floor(token.text.length / 2) + 1));
    if (token.type === 'escape') return everySecond(token.text);
    const next = this.#peek()?.type;
    const escapes = token.type === 'backslashes' && (next === 'open' || next === 'end-quote');
    return escapes ? everySecond(token.text) : token.text;
  }

  element(): Element {
    const type = this.#peek()?.type;
    if (type === 'quote') return this.#quoted();
    if (type === '[') return this.#nested(() => this.#list());
    if (type === '{') return this.#nested(() => this.#dict());
    return this.#primitive(true);
  }

  #interpolation(): Interpolation {
    const at = this.#next;
    const known = this.#known.get(at);
    if (known !== undefined) {
      this.#next = known.next;
      return known.read;
    }
    const read = this.#nested(() => {
      const { start } = this.#take('open');
      const mark = this.#next;
      const name = this.#resolverName();
      if (name !== undefined) return this.#call(start, name);
      this.#next = mark;
      return this.#path(start);
    });
    this.#known.set(at, { read, next: this.#next });
    return read;
  }

  /** Undefined where what follows is a path. */
  #resolverName(): Template | undefined {
    const parts: (string | Interpolation)[] = [];
    for (;;) {
      const token = this.#peek();
      if (token?.type === 'open') parts.push(this.#interpolation());
      else if (token?.type === 'id') {
        this.#next += 1;
        parts.push(token.text);
      } else return undefined;
      const after = this.#peek()?.type;
      if (after === ':') return parts;
      if (after !== 'dot') return undefined;
      this.#next += 1;
      parts.push('.');
    }
  }

  #call(start: number, name: Template): ResolverCall {
    this.#take(':');
    const items = this.#peek()?.type === 'close' ? [] : this.#sequence('close');
    const close = this.#take('close');
    return { kind: 'call', start, end: close.start + close.text.length, name, arguments: items };
  }

  #path(start: number): PathInterpolation {
    const path: (string | Interpolation)[] = [];
    const keys: WrittenKey[] = [];
    while (this.#peek()?.type === 'dot') path.push(this.#take('dot').text);
    this.#step(path, keys);
    while (this.#peek()?.type !== 'close') {
      if (this.#peek()?.type === 'dot') path.push(this.#take('dot').text, this.#key(keys));
      else if (this.#peek()?.type === '[') this.#step(path, keys);
      else this.#refuse();
    }
    const close = this.#take('close');
    return { kind: 'path', start, end: close.start + close.text.length, path, keys };
  }

  #step(path: (string | Interpolation)[], keys: WrittenKey[]): void {
    if (this.#peek()?.type === '[') path.push(this.#take('[').text, this.#key(keys), this.#take(']').text);
    else path.push(this.#key(keys));
  }

  #key(keys: WrittenKey[]): string | Interpolation {
    const token = this.#peek();
    if (token?.type === 'open') return this.#interpolation();
    if (token?.type !== 'id' && token?.type !== 'key') this.#refuse();
    this.#next += 1;
    keys.push({ name: token.text, start: token.start });
    return token.text;
  }

  /** Between commas nothing counts as an empty text. */
  #sequence(end: 'close' | ']'): Element[] {
    const items: Element[] = [];
    let open = true;
    for (let token = this.#peek(); token !== undefined && token.type !== end; token = this.#peek()) {
      if (token.type === ',') {
        this.#next += 1;
        if (open) items.push({ kind: 'literal', value: '' });
        open = true;
      } else if (open) {
        items.push(this.element());
        open = false;
      } else this.#refuse();
    }
    if (open) items.push({ kind: 'literal', value: '' });
    return items;
  }

  #list(): Element {
    this.#take('[');
    const items = this.#peek()?.type === ']' ? [] : this.#sequence(']');
    this.#take(']');
    return { kind: 'list', items };
  }

  #dict(): Element {
    this.#take('{');
    const entries: (readonly [Element, Element])[] = [];
    while (this.#peek()?.type !== 'close') {
      if (entries.length > 0) this.#take(',');
      const key = this.#primitive(false);
      this.#take(':');
      entries.push([key, this.element()]);
    }
    this.#take('close');
    return { kind: 'dict', entries };
  }

  #quoted(): Element {
    this.#take('quote');
    const text = this.text((token) => token.type === 'end-quote');
    this.#take('end-quote');
    return { kind: 'quoted', text };
  }

  /** `value`: also with colons and interpolations in it, which a key of a mapping cannot have. */
  #primitive(value: boolean): Element {
    const parts: (string | Interpolation)[] = [];
    let first: Token | undefined;
    for (let token = this.#peek(); token !== undefined; token = this.#peek()) {
      if (token.type === 'open' && value) parts.push(this.#interpolation());
      else if (primitives.has(token.type) && (value || token.type !== ':')) {
        this.#next += 1;
        parts.push(token.type === 'escape' ? everySecond(token.text) : token.text);
      } else break;
      first ??= token;
    }
    if (first === undefined) this.#refuse();
    return parts.length === 1 ? single(first, parts) : { kind: 'plain', text: parts };
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > deepest) this.#refuse();
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next];
  }

  #take(type: TokenType): Token {
    const token = this.#peek();
    if (token?.type !== type || (type === 'end-quote' && token.text === '')) this.#refuse();
    this.#next += 1;
    return token;
  }

  #refuse(): never {
    throw new Unexpected(this.#peek()?.start ?? this.#end);
  }
}

function single(token: Token, parts: Template): Element {
  switch (token.type) {
    case 'null':
      return { kind: 'literal', value: null };
    case 'bool':
      return { kind: 'literal', value: token.text.toLowerCase() === 'true' };
    case 'int':
      return { kind: 'number', type: 'integer', value: Number(token.text.replaceAll('_', '')) };
    case 'float':
      return { kind: 'number', type: 'float', value: floatOf(token.text) };
    default:
      return { kind: 'plain', text: parts };
  }
}

function floatOf(text: string): number {
  const lower = text.toLowerCase().replaceAll('_', '');
  if (lower.endsWith('inf')) return lower.startsWith('-') ? -Infinity : Infinity;
  return lower.endsWith('nan') ? NaN : Number(lower);
}

function everySecond(text: string): string {
  return text.replace(/.(.)/gs, '$1');
}
