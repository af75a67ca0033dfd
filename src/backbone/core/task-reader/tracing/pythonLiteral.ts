import { parser } from '@lezer/python';
import { childrenOf, partsOf, type SyntaxNode } from '../../../../configs/core/code/syntaxTree.ts';

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
 * Returns the value of a Python literal by the rules of `ast.literal_eval`: texts, bytes, numbers, lists, tuples, sets,
 * dictionaries, `True`, `False`, `None`. It runs no code. An escape of a lone surrogate becomes U+D800, because such a text
 * has no UTF-8 and two of them must not join. `\N{…}` is rejected.
 *
 * @throws PythonLiteralError
 */
export function parsePythonLiteral(text: string): PythonValue {
  const { expression, code } = parseExpression(text);
  return valueOf(expression, code);
}

function parseExpression(text: string): { readonly expression: SyntaxNode; readonly code: string } {
  if (text.includes('\0')) throw new PythonLiteralError('null byte');
  if (hasLoneSurrogate(text)) throw new PythonLiteralError('lone surrogate');
  const code = prepared(text.replace(/^[ \t]+/, '').replace(/\r\n?/g, '\n'));
  const [statement, ...others] = childrenOf(parser.parse(code).topNode);
  if (statement?.name !== 'ExpressionStatement' || others.length > 0) throw unexpected(code);
  const [expression, ...more] = childrenOf(statement);
  if (expression === undefined || more.length > 0) throw unexpected(code);
  return { expression, code };
}

/** A call with keyword arguments. */
export interface PythonCall {
  readonly name: string;
  readonly arguments: ReadonlyMap<string, PythonValue>;
}

/**
 * Returns the calls of a list such as `[f(a=1), g()]`. The functions are plain names, and the arguments are literals.
 *
 * @throws PythonLiteralError
 */
export function parsePythonCalls(text: string): readonly PythonCall[] {
  const { expression, code } = parseExpression(text);
  if (expression.name !== 'ArrayExpression') throw unexpected(code);
  return partsOf(expression).map((part) => callOf(onlyOf(part, code), code));
}

function callOf(node: SyntaxNode, code: string): PythonCall {
  const [name, list, ...others] = childrenOf(node);
  const isCall = node.name === 'CallExpression' && name?.name === 'VariableName' && others.length === 0;
  if (!isCall || list === undefined) throw unexpected(code.slice(node.from));
  const entries = partsOf(list).map(([key, equals, ...values]) => {
    if (key?.name !== 'VariableName' || equals?.name !== 'AssignOp') throw unexpected(code.slice(list.from));
    return [code.slice(key.from, key.to), valueOf(onlyOf(values, code), code)] as const;
  });
  return { name: code.slice(name.from, name.to), arguments: new Map(entries) };
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

/** Matches the strings and comments of Python, then brackets, then numbers such as `1.`. */
const tokens =
  /'''(?:[^\\]|\\.)*?'''|"""(?:[^\\]|\\.)*?"""|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|#[^\n]*|[[({\])}]|\d\.(?!\d)/gs;

/** Rejects deep brackets, on which the parser takes long, and completes numbers such as `1.`, which it does not know. */
function prepared(code: string): string {
  let depth = 0;
  return code.replace(tokens, (token) => {
    if (/^[[({]/.test(token)) depth += 1;
    else if (/^[\])}]/.test(token)) depth -= 1;
    if (depth > deepest) throw new PythonLiteralError('too many nested brackets');
    return /^\d/.test(token) ? `${token}0` : token;
  });
}

function valueOf(node: SyntaxNode, code: string): PythonValue {
  switch (node.name) {
    case 'String':
    case 'ContinuedString':
      return stringOf(node, code);
    case 'Number':
      return numberOf(node, code);
    case 'UnaryExpression':
    case 'BinaryExpression':
      return sumOf(node, code);
    case 'Boolean':
      return code.slice(node.from, node.to) === 'True';
    case 'None':
      return null;
    case 'Ellipsis':
      return { kind: 'ellipsis', isEmpty: false };
    case 'ArrayExpression':
      return itemsOf(node, code);
    case 'ParenthesizedExpression':
      return onlyOf(itemsOf(node, code), code);
    case 'TupleExpression':
      return { kind: 'tuple', isEmpty: itemsOf(node, code).length === 0 };
    case 'SetExpression':
      itemsOf(node, code).forEach(refuseUnhashable);
      return { kind: 'set', isEmpty: false };
    case 'DictionaryExpression':
      return dictOf(node, code);
    default:
      if (/^set\s*\(\s*\)$/.test(code.slice(node.from, node.to))) return { kind: 'set', isEmpty: true };
      throw unexpected(code.slice(node.from));
  }
}

function itemsOf(node: SyntaxNode, code: string): PythonValue[] {
  return partsOf(node).map((part) => valueOf(onlyOf(part, code), code));
}

function dictOf(node: SyntaxNode, code: string): PythonDict {
  const entries = new Map<string, PythonValue>();
  const parts = partsOf(node);
  for (const part of parts) {
    const [keyNode, colon, ...values] = part;
    if (keyNode === undefined || colon?.name !== ':') throw unexpected(code.slice(node.from));
    const key = valueOf(keyNode, code);
    refuseUnhashable(key);
    const value = valueOf(onlyOf(values, code), code);
    if (typeof key === 'string') entries.set(key, value);
  }
  return { kind: 'dict', entries, size: parts.length };
}

function onlyOf<T>([only, ...others]: readonly T[], code: string): T {
  if (only === undefined || others.length > 0) throw unexpected(code);
  return only;
}

/** Adjacent texts are one. */
function stringOf(node: SyntaxNode, code: string): PythonValue {
  const strings = (node.name === 'String' ? [node] : childrenOf(node)).map(({ from, to }) => {
    const read = parseString(code.slice(from, to));
    if (read?.end !== to - from) throw unexpected(code.slice(from));
    return read;
  });
  const text = strings.map(({ value }) => value).join('');
  if (new Set(strings.map(({ kind }) => kind)).size > 1) throw new PythonLiteralError('text next to bytes');
  return strings[0]?.kind === 'bytes' ? { kind: 'bytes', isEmpty: text === '' } : text;
}

/** A number with a sign, or a complex number. */
function sumOf(node: SyntaxNode, code: string): PythonValue {
  const [left, sign, right] =
    node.name === 'UnaryExpression' ? [undefined, ...childrenOf(node)] : childrenOf(node);
  const operator = sign === undefined ? '' : code.slice(sign.from, sign.to);
  if (!/^[-+]$/.test(operator) || right?.name !== 'Number') throw unexpected(code.slice(node.from));
  const value = numberOf(right, code);
  if (left === undefined) return operator === '-' && typeof value !== 'object' ? -value : value;
  const real = left.name === 'Number' || left.name === 'UnaryExpression' ? valueOf(left, code) : null;
  if (!/^(?:number|bigint)$/.test(typeof real) || typeof value !== 'object')
    throw unexpected(code.slice(node.from));
  return { kind: 'imaginary', isEmpty: !real && value.isEmpty };
}

const longestInteger = 4_300;
const digits = String.raw`\d(?:_?\d)*`;
const number = new RegExp(
  String.raw`^(?:0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:(?:${digits})?\.${digits}|${digits}\.?)(?:[eE][+-]?${digits})?[jJ]?)$`,
);

function numberOf(
  { from, to }: SyntaxNode,
  code: string,
): number | bigint | { readonly kind: 'imaginary'; readonly isEmpty: boolean } {
  const written = code.slice(from, to);
  if (!number.test(written)) throw unexpected(written);
  const plain = written.replaceAll('_', '');
  if (/^0[xob]/i.test(plain)) return BigInt(plain);
  if (/j$/i.test(plain)) return { kind: 'imaginary', isEmpty: Number(plain.slice(0, -1)) === 0 };
  if (!/^\d+$/.test(plain)) return Number(plain);
  if (/^0+[1-9]/.test(plain) || plain.length > longestInteger) throw unexpected(written);
  return BigInt(plain);
}

function unexpected(code: string): PythonLiteralError {
  return new PythonLiteralError(`unexpected ${JSON.stringify(code.slice(0, 20))}`);
}

function refuseUnhashable(value: PythonValue): void {
  const isHashable = !isList(value) && !(isOther(value) && (value.kind === 'dict' || value.kind === 'set'));
  if (!isHashable) throw new PythonLiteralError('unhashable key');
}

/** The text is not what Python's `ast.literal_eval` would take. */
export class PythonLiteralError extends Error {
  override readonly name = 'PythonLiteralError';
}

/** Half a character of UTF-16, which has no UTF-8. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

interface StringToken {
  readonly kind: 'text' | 'bytes';
  readonly value: string;
  /** The position after it. */
  readonly end: number;
}

const beginning = /^(u|[bB][rR]?|[rR][bB]?|U)?('''|"""|'|")/;

/** The string or bytes literal that the text begins with, if any. @throws PythonLiteralError where it is broken */
function parseString(text: string): StringToken | undefined {
  const begun = beginning.exec(text);
  if (begun === null) return undefined;
  const [{ length: from }, prefix = '', quote = ''] = begun;
  const isRaw = /r/i.test(prefix);
  const kind = /b/i.test(prefix) ? 'bytes' : 'text';
  const end = endOf(text, from, quote);
  const body = text.slice(from, end);
  // Characters beyond ASCII have no place in bytes.
  if (kind === 'bytes' && /[^\0-\x7f]/.test(body)) throw new PythonLiteralError('bytes beyond ASCII');
  return { kind, value: isRaw ? body : unescape(body, kind), end: end + quote.length };
}

function endOf(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '\n' && quote.length === 1) break;
    else if (text.startsWith(quote, at)) return at;
  }
  throw new PythonLiteralError('an unterminated string');
}

const simple: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const digitsOf: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** An escape that Python does not know stays as it is written. */
function unescape(body: string, kind: 'text' | 'bytes'): string {
  return body.replace(/\\([0-7]{1,3}|[xuU][\da-fA-F]{0,8}|[^])/gu, (written: string, escape: string) => {
    if (/^[0-7]/.test(escape)) return String.fromCharCode(parseInt(escape, 8));
    const letter = escape[0] ?? '';
    const length = kind === 'bytes' && letter !== 'x' ? undefined : digitsOf[letter];
    if (length === undefined) {
      if (escape === 'N' && kind === 'text') throw new PythonLiteralError('a character by name');
      return escape.length === 1 ? (simple[escape] ?? written) : written;
    }
    const digits = escape.slice(1, 1 + length);
    if (digits.length < length) throw new PythonLiteralError('an incomplete escape');
    return character(parseInt(digits, 16)) + escape.slice(1 + length);
  });
}

function character(code: number): string {
  if (code > 0x10ffff) throw new PythonLiteralError('no such character');
  return code >= 0xd800 && code <= 0xdfff ? '\ud800' : String.fromCodePoint(code);
}
