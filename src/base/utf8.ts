/** Bytes of texts where neither `TextEncoder` nor `Buffer` is at hand. */

/** UTF-8; a lone surrogate becomes U+FFFD. */
export function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const point = text.codePointAt(at) ?? 0;
    if (point > 0xffff) at++;
    length = writeCodePoint(bytes, length, point >= 0xd800 && point <= 0xdfff ? 0xfffd : point);
  }
  return bytes.slice(0, length);
}

function writeCodePoint(bytes: Uint8Array, at: number, point: number): number {
  if (point < 0x80) {
    bytes[at] = point;
    return at + 1;
  }
  const following = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const marker = [0, 0xc0, 0xe0, 0xf0][following] ?? 0;
  bytes[at] = marker | (point >> (6 * following));
  for (let left = following - 1; left >= 0; left--) {
    bytes[at + following - left] = 0x80 | ((point >> (6 * left)) & 0x3f);
  }
  return at + following + 1;
}

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Both halves of a pair count two bytes, a lone one three.
    if (unit >= 0x80) length += unit < 0x800 || isHalfOfPair(text, at) ? 1 : 2;
  }
  return length;
}

function isHalfOfPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdfff) return false;
  const other = text.charCodeAt(unit < 0xdc00 ? at + 1 : at - 1);
  return unit < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other < 0xdc00;
}

/** Characters that are made into text at a time: more are too many arguments. */
const atATime = 8_192;

/** The text of UTF-8; what is none becomes U+FFFD, a byte at a time. */
export function utf8Text(bytes: Uint8Array): string {
  const pieces: string[] = [];
  let points: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const { point, length } = readCodePoint(bytes, at);
    points.push(point);
    at += length;
    if (points.length < atATime) continue;
    pieces.push(String.fromCodePoint(...points));
    points = [];
  }
  return pieces.join('') + String.fromCodePoint(...points);
}

/** The least code point of each length: a longer form of a smaller one is none. */
const leastPoints = [0, 0, 0x80, 0x800, 0x10000];

function readCodePoint(bytes: Uint8Array, at: number): { readonly point: number; readonly length: number } {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return { point: first, length: 1 };
  const length = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : 2;
  let point = first & (0xff >> (length + 1));
  for (let behind = 1; behind < length; behind++) {
    const byte = bytes[at + behind] ?? 0;
    if ((byte & 0xc0) !== 0x80) return unreadable;
    point = (point << 6) | (byte & 0x3f);
  }
  const isHalf = point >= 0xd800 && point <= 0xdfff;
  const isWhole = first >= 0xc0 && first < 0xf8 && point >= (leastPoints[length] ?? 0) && point <= 0x10ffff;
  return isWhole && !isHalf ? { point, length } : unreadable;
}

const unreadable = { point: 0xfffd, length: 1 } as const;
