import { clip } from '../clip.ts';

/** Escapes text for HTML elements and attributes. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Invisible and control characters except line breaks and tabs: C0, DEL, C1 and bidirectional controls. */
const hidden = /((?![\t\n])[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff])/u;

/** Returns escaped text in a `bdi` element. Control characters are shown by their codes. */
export function isolatedHtml(text: string): string {
  return `<bdi>${withCodes(text, (code) => `<i>${code}</i>`)}</bdi>`;
}

/** Returns escaped text for places where elements are not allowed, such as titles. */
export function escapedText(text: string): string {
  return withCodes(text, (code) => code);
}

function withCodes(text: string, show: (code: string) => string): string {
  // The separators are the odd parts.
  const parts = text
    .split(hidden)
    .map((part, index) => (index % 2 === 0 ? escaped(part) : show(codeOf(part))));
  return parts.join('');
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The maximum number of characters of a text that a page shows. */
export const longestText = 100_000;

/** Returns a text, cut with a note if it is too long. */
export function clipped(text: string): string {
  if (text.length <= longestText) return isolatedHtml(text);
  const shown = clip(text, longestText);
  const left = (text.length - shown.length).toLocaleString('en');
  return `${isolatedHtml(shown)}<p class="note">… ${left} more characters are in the trace.</p>`;
}

export function number(value: number | null): string {
  return value === null ? 'unknown' : String(Number(value.toFixed(4)));
}

export function count(value: number): string {
  return value.toLocaleString('en');
}

/** From milliseconds to hours; rounded before it is split, so that 119.7 s are two minutes. */
export function duration(seconds: number): string {
  if (seconds < 0.9995) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function facts(rows: readonly (readonly [name: string, text: string])[]): string {
  const cells = rows.map(
    ([name, text]) => `<div><dt>${isolatedHtml(name)}</dt><dd>${clipped(text)}</dd></div>`,
  );
  return `<dl class="facts">${cells.join('')}</dl>`;
}
