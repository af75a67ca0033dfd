import { count, countedEpisodes } from '../../../base/core/format.ts';
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
  const left = count(text.length - shown.length);
  return `${isolatedHtml(shown)}<p class="note">… ${left} more characters are in the trace.</p>`;
}

/** Returns a list of findings; empty: there are none. */
export function findingsHtml(
  findings: readonly {
    readonly severity: string;
    readonly message: string;
    readonly code: string;
    readonly count?: number;
  }[],
): string {
  if (findings.length === 0) return '';
  const items = findings.map(({ severity, message, code, count: episodes = 0 }) => {
    const number = episodes === 0 ? '' : `, ${countedEpisodes(episodes)}`;
    return `<li><b>${severity}</b>: ${isolatedHtml(message)} <code>${isolatedHtml(code)}</code>${number}</li>`;
  });
  return `<ul class="findings">${items.join('')}</ul>\n`;
}

/** Returns a list of facts with their names, without those that are false. */
export function facts(rows: readonly (readonly [name: string, text: string | false])[]): string {
  const cells = rows.map(([name, text]) =>
    text === false ? '' : `<div><dt>${isolatedHtml(name)}</dt><dd>${clipped(text)}</dd></div>`,
  );
  return `<dl class="facts">${cells.join('')}</dl>`;
}
