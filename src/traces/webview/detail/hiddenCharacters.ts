/**
 * Matches characters that are invisible or change their neighbors: control characters, format characters
 * (bidirectional controls, zero-width characters, tags) and unusual spaces. Line breaks, tabs and plain spaces have
 * separate signs.
 */
export const hiddenCharacter =
  /(?![\n\r\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u00a0\u115f\u1160\u1680\u2000-\u200a\u202f\u205f\u3000\u3164]/u;

/** Common short names. */
const names: Readonly<Record<number, string>> = {
  0x00: 'NUL',
  0x07: 'BEL',
  0x08: 'BS',
  0x0b: 'VT',
  0x0c: 'FF',
  0x1b: 'ESC',
  0x7f: 'DEL',
  0x85: 'NEL',
  0xa0: 'NBSP',
  0xad: 'SHY',
  0x061c: 'ALM',
  0x200b: 'ZWSP',
  0x200c: 'ZWNJ',
  0x200d: 'ZWJ',
  0x200e: 'LRM',
  0x200f: 'RLM',
  0x2028: 'LS',
  0x2029: 'PS',
  0x202a: 'LRE',
  0x202b: 'RLE',
  0x202c: 'PDF',
  0x202d: 'LRO',
  0x202e: 'RLO',
  0x2060: 'WJ',
  0x2066: 'LRI',
  0x2067: 'RLI',
  0x2068: 'FSI',
  0x2069: 'PDI',
  0xfeff: 'BOM',
};

/** E.g. `ZWSP`, else `U+0001`. */
export function hiddenName(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  return names[point] ?? `U+${point.toString(16).toUpperCase().padStart(4, '0')}`;
}
