/** The text is not what Python's `ast.literal_eval` would take. */
export class PythonLiteralError extends Error {
  override readonly name = 'PythonLiteralError';
}

/** Half a character of UTF-16, which has no UTF-8. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

export interface StringToken {
  readonly kind: 'text' | 'bytes';
  readonly value: string;
  /** The position after it. */
  readonly end: number;
}

const beginning = /(u|[bB][rR]?|[rR][bB]?|U)?('''|"""|'|")/y;

/** The string or bytes literal that begins at this place, if one does. @throws PythonLiteralError where it is broken */
export function parseString(text: string, at: number): StringToken | undefined {
  beginning.lastIndex = at;
  const begun = beginning.exec(text);
  if (begun === null) return undefined;
  const [all, prefix = '', quote = ''] = begun;
  const isRaw = /r/i.test(prefix);
  const kind = /b/i.test(prefix) ? 'bytes' : 'text';
  const from = at + all.length;
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
