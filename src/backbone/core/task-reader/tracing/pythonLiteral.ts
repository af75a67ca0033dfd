import { hasLoneSurrogate, PythonLiteralError, parseString } from './pythonString.ts';

/** A dictionary keeps only what text keys hold; of equal keys the last one counts. */
export interface PythonDict {
  readonly kind: 'dict';
  readonly entries: ReadonlyMap<string, PythonValue>;
  readonly size: number;
}

export type PythonValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly PythonValue[]
  | PythonDict
  | { readonly kind: 'bytes' | 'ellipsis' | 'imaginary' | 'set' | 'tuple'; readonly isEmpty: boolean };

/**
 * The value of a Python literal, by the rules of `ast.literal_eval`: texts, bytes, numbers, lists, tuples, sets,
 * dictionaries, `True`, `False`, `None`; nothing is ever run. An escape that names a lone surrogate becomes U+D800,
 * whichever it was: such a text has no UTF-8, and two of them must not join. `\N{…}` is refused.
 *
 * @throws PythonLiteralError
 */
export function parsePythonLiteral(text: string): PythonValue {
  if (text.includes('\0')) throw new PythonLiteralError('null byte');
  if (hasLoneSurrogate(text)) throw new PythonLiteralError('lone surrogate');
  const parser = new LiteralParser(text.replace(/^[ \t]+/, '').replace(/\r\n?/g, '\n'));
  return parser.whole();
}

export function isDict(value: PythonValue | undefined): value is PythonDict {
  return isOther(value) && value.kind === 'dict';
}

export function isList(value: PythonValue | undefined): value is readonly PythonValue[] {
  return Array.isArray(value);
}

/** Python's truth of a value. */
export function isTrue(value: PythonValue): boolean {
  if (isList(value)) return value.length > 0;
  if (!isOther(value)) return Boolean(value);
  return value.kind === 'dict' ? value.size > 0 : !value.isEmpty;
}

type Other = Exclude<PythonValue, string | number | bigint | boolean | null | readonly PythonValue[]>;

function isOther(value: PythonValue | undefined): value is Other {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** CPython's tokenizer allows no deeper brackets. */
const deepest = 200;
const longestInteger = 4_300;
const blank = /(?:[ \t\f\n]|\\\n|#[^\n]*)*/y;
const word = /[\p{L}_][\p{L}\p{N}_]*/uy;
const digits = String.raw`\d(?:_?\d)*`;
const number = new RegExp(
  String.raw`0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:(?:${digits})?\.${digits}|${digits}\.?)(?:[eE][+-]?${digits})?[jJ]?`,
  'y',
);
const constants: ReadonlyMap<string, boolean | null> = new Map([
  ['True', true],
  ['False', false],
  ['None', null],
]);

class LiteralParser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): PythonValue {
    const value = this.#value();
    this.#skipBlank();
    if (this.#at < this.#text.length) throw this.#unexpected();
    return value;
  }

  #value(): PythonValue {
    this.#skipBlank();
    const sign = this.#text[this.#at];
    if (sign === '[' || sign === '(' || sign === '{') return this.#bracketed(sign);
    const text = this.#strings();
    if (text !== undefined) return text;
    if (this.#take('...')) return { kind: 'ellipsis', isEmpty: false };
    if (sign !== undefined && /[-+.\d]/.test(sign)) return this.#sum();
    const name = this.#match(word);
    if (name === 'set' && this.#took('(') && this.#took(')')) return { kind: 'set', isEmpty: true };
    const constant = name === undefined ? undefined : constants.get(name);
    if (constant === undefined) throw this.#unexpected();
    return constant;
  }

  #bracketed(open: '[' | '(' | '{'): PythonValue {
    if (++this.#depth > deepest) throw new PythonLiteralError('too many nested brackets');
    this.#at += 1;
    const value = open === '[' ? this.#list(']').items : open === '(' ? this.#tuple() : this.#braced();
    this.#depth -= 1;
    return value;
  }

  /** Up to the closing bracket. */
  #list(close: string): { items: PythonValue[]; hasComma: boolean } {
    const items: PythonValue[] = [];
    let hasComma = false;
    while (!this.#took(close)) {
      if (items.length > 0 && !hasComma) throw this.#unexpected();
      items.push(this.#value());
      const isLast = !this.#took(',');
      hasComma = hasComma || !isLast;
      if (!isLast) continue;
      if (!this.#took(close)) throw this.#unexpected();
      break;
    }
    return { items, hasComma };
  }

  #tuple(): PythonValue {
    const { items, hasComma } = this.#list(')');
    const [only] = items;
    if (items.length === 1 && !hasComma && only !== undefined) return only;
    return { kind: 'tuple', isEmpty: items.length === 0 };
  }

  #braced(): PythonValue {
    const entries = new Map<string, PythonValue>();
    let size = 0;
    while (!this.#took('}')) {
      const key = this.#value();
      refuseUnhashable(key);
      if (size === 0 && !this.#sees(':')) return this.#set();
      if (!this.#took(':')) throw this.#unexpected();
      const value = this.#value();
      if (typeof key === 'string') entries.set(key, value);
      size += 1;
      if (this.#took(',')) continue;
      if (!this.#took('}')) throw this.#unexpected();
      break;
    }
    return { kind: 'dict', entries, size };
  }

  /** After its first item. */
  #set(): PythonValue {
    if (this.#took(',')) for (const item of this.#list('}').items) refuseUnhashable(item);
    else if (!this.#took('}')) throw this.#unexpected();
    return { kind: 'set', isEmpty: false };
  }

  /** Texts that stand side by side are one. */
  #strings(): PythonValue | undefined {
    let text: string | undefined;
    let kind: 'text' | 'bytes' | undefined;
    for (;;) {
      this.#skipBlank();
      const read = parseString(this.#text, this.#at);
      if (read === undefined) break;
      if (kind !== undefined && kind !== read.kind) throw new PythonLiteralError('text next to bytes');
      kind = read.kind;
      text = (text ?? '') + read.value;
      this.#at = read.end;
    }
    if (text === undefined) return undefined;
    return kind === 'bytes' ? { kind: 'bytes', isEmpty: text === '' } : text;
  }

  /** A number with a sign, and perhaps the imaginary part of a complex one. */
  #sum(): PythonValue {
    const isNegative = this.#took('-');
    if (!isNegative) this.#took('+');
    const value = this.#number();
    const isSum = typeof value !== 'object' && (this.#took('+') || this.#took('-'));
    if (isSum) {
      const second = this.#number();
      if (typeof second !== 'object') throw this.#unexpected();
      return { kind: 'imaginary', isEmpty: !isTrue(value) && second.isEmpty };
    }
    return isNegative && typeof value !== 'object' ? -value : value;
  }

  #number(): number | bigint | { readonly kind: 'imaginary'; readonly isEmpty: boolean } {
    this.#skipBlank();
    const written = this.#match(number);
    if (written === undefined) throw this.#unexpected();
    word.lastIndex = this.#at;
    if (word.test(this.#text) || /\d/.test(this.#text[this.#at] ?? '')) throw this.#unexpected();
    const plain = written.replaceAll('_', '');
    if (/^0[xob]/i.test(plain)) return BigInt(plain);
    if (/j$/i.test(plain)) return { kind: 'imaginary', isEmpty: Number(plain.slice(0, -1)) === 0 };
    if (!/^\d+$/.test(plain)) return Number(plain);
    if (/^0+[1-9]/.test(plain) || plain.length > longestInteger) throw this.#unexpected();
    return BigInt(plain);
  }

  /** Skips blanks, then the sign if it is next. */
  #took(sign: string): boolean {
    this.#skipBlank();
    return this.#take(sign);
  }

  #sees(sign: string): boolean {
    this.#skipBlank();
    return this.#text.startsWith(sign, this.#at);
  }

  #take(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  #skipBlank(): void {
    this.#match(blank);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #unexpected(): PythonLiteralError {
    return new PythonLiteralError(`unexpected ${JSON.stringify(this.#text.slice(this.#at, this.#at + 20))}`);
  }
}

function refuseUnhashable(value: PythonValue): void {
  const isHashable = !isList(value) && !(isOther(value) && (value.kind === 'dict' || value.kind === 'set'));
  if (!isHashable) throw new PythonLiteralError('unhashable key');
}
