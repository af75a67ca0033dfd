/** Recognizes images and other base64 data in a trace. Only pixel formats are shown, because an SVG is a document. */

export interface Raster {
  /** e.g. `image/png`. */
  readonly type: string;
  readonly base64: string;
}

/** The maximum size of a shown image, in bytes. */
export const largestImage = 8 * 1024 * 1024;

const rasterTypes = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/bmp',
  'image/avif',
]);

export function isRaster(type: string): boolean {
  return rasterTypes.has(type);
}

/** Returns the image in a `data:` address; undefined: there is none that can be shown. */
export function rasterOf(address: string): Raster | undefined {
  const [, type = '', base64 = ''] = /^data:([\w.+/-]+);base64,([A-Za-z0-9+/]+={0,2})$/.exec(address) ?? [];
  const isShown = isRaster(type.toLowerCase()) && byteLength(base64) <= largestImage;
  return isShown ? { type: type.toLowerCase(), base64 } : undefined;
}

export function byteLength(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** Returns the approximate number of bytes of base64 data with a length. */
export function byteSize(characters: number): number {
  return Math.floor((characters * 3) / 4);
}

export type TextPiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'data'; readonly type: string; readonly bytes: number };

const dataAddress = /data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.-]+)*;base64,([A-Za-z0-9+/]{64,}={0,2})/;
/** Matches base64 that is longer than any word, path or number. */
const bareData = /(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{512,}={0,2})/;
const anyData = new RegExp(`${dataAddress.source}|${bareData.source}`, 'g');

/** Splits a text so that base64 can be replaced by a short description. Repetitions of a model are not data. */
export function textPieces(text: string): readonly TextPiece[] {
  if (text.length < 64) return [{ kind: 'text', text }];
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(anyData)) {
    const [whole, type, addressed, bare] = match;
    if (bare !== undefined && !isVaried(bare)) continue;
    if (match.index > from) pieces.push({ kind: 'text', text: text.slice(from, match.index) });
    pieces.push({ kind: 'data', type: type ?? '', bytes: byteLength(addressed ?? bare ?? '') });
    from = match.index + whole.length;
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) });
  return pieces;
}

/** Returns true if a text has about as many different characters as base64. */
function isVaried(text: string): boolean {
  return new Set(text.slice(0, 2_048)).size >= 40;
}
