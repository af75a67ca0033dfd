import { positionAfterKey } from '../../../base/webview/ui/listKeys.ts';
import { tokenId } from './TokenChunk.tsx';

const moves = { ArrowRight: 1, ArrowLeft: -1, PageDown: 1_000, PageUp: -1_000 };

/** Returns the token that a key moves to; undefined: the list does not use the key. */
export function tokenAfterKey(key: string, token: number, last: number): number | undefined {
  if (key === 'ArrowDown') return tokenOnLine(token, 1) ?? last;
  if (key === 'ArrowUp') return tokenOnLine(token, -1) ?? 0;
  return positionAfterKey(key, token, last, moves);
}

/** Returns the token that a key moves to on the map; undefined: the map does not use the key. */
export function tokenAfterMapKey(
  key: string,
  { first, end }: { readonly first: number; readonly end: number },
  total: number,
): number | undefined {
  const screen = Math.max(1, end - first);
  const tenth = Math.ceil(total / 10);
  return positionAfterKey(key, first, total - 1, {
    ArrowRight: screen,
    ArrowUp: screen,
    ArrowLeft: -screen,
    ArrowDown: -screen,
    PageUp: tenth,
    PageDown: -tenth,
  });
}

/** The maximum vertical difference of tokens on one line, in pixels. Chips are slightly higher than words. */
const sameLine = 4;

/** Returns the nearest drawn token on the next line in a direction; undefined: there is no such line. */
function tokenOnLine(token: number, direction: 1 | -1): number | undefined {
  const from = placeOf(token);
  if (!from) return undefined;
  let line: DOMRect | undefined;
  let nearest: { readonly token: number; readonly distance: number } | undefined;
  for (let next = token + direction; ; next += direction) {
    const rect = placeOf(next);
    if (!rect || (line && !onSameLine(rect, line))) return nearest?.token;
    if (onSameLine(rect, from)) continue;
    line = rect;
    const distance = Math.abs(rect.left - from.left);
    if (nearest === undefined || distance < nearest.distance) nearest = { token: next, distance };
  }
}

/** Returns the box of the start of a drawn token. A long token may continue on the next line. */
function placeOf(token: number): DOMRect | undefined {
  return document.getElementById(tokenId(token))?.getClientRects()[0];
}

function onSameLine(one: DOMRect, other: DOMRect): boolean {
  return Math.abs(one.top - other.top) <= sameLine;
}
