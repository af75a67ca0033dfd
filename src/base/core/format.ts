/** Formats numbers, times and names for users. An en dash replaces unknown values. */
import * as l10n from '@vscode/l10n';
import { parseJson } from './parseJson.ts';

export const unknown = '–';

/** The language of the page, from `lang` in webPage.ts. English without a page. */
export const language =
  (globalThis as { document?: { documentElement: { lang: string } } }).document?.documentElement.lang ?? 'en';

/** Created when first needed, because that takes as long as the start of a small program. */
let dateAndTime: Intl.DateTimeFormat | undefined;

export function count(value: number): string {
  return value.toLocaleString(language);
}

export function countedTokens(value: number): string {
  return value === 1 ? l10n.t('1 token') : l10n.t('{0} tokens', count(value));
}

export function countedCalls(value: number): string {
  return value === 1 ? l10n.t('1 call') : l10n.t('{0} calls', count(value));
}

export function countedEpisodes(value: number): string {
  return value === 1 ? l10n.t('1 episode') : l10n.t('{0} episodes', count(value));
}

/** At most three decimals, e.g. `0.667`, `1`. */
export function reward(value: number | null): string {
  if (value === null) return unknown;
  return String(Math.round(value * 1000) / 1000).replace('-', '−');
}

/** Formats a fraction, e.g. `34 %`. Rounds neither to 0 % nor to 100 %. */
export function percent(fraction: number | null): string {
  if (fraction === null || Number.isNaN(fraction)) return unknown;
  if (fraction > 0 && fraction < 0.005) return l10n.t('< 1 %');
  if (fraction < 1 && fraction > 0.995) return l10n.t('> 99 %');
  return l10n.t('{0} %', Math.round(fraction * 100));
}

/** Formats `part` of `all` as {@link percent}. Unknown if `all` is 0. */
export function share(part: number, all: number): string {
  return percent(all === 0 ? null : part / all);
}

/** E.g. `812 B`, `3.4 MB`, in units of 1000. */
export function sizeText(bytes: number, decimals = 1): string {
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : decimals)} ${units[power] ?? ''}`;
}

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** E.g. `8 ms`, `0.42 s`, `12.3 s`, `2 min 05 s`, `3 h 05 min`, `2 d 03 h`. */
export function duration(seconds: number | null): string {
  if (seconds === null) return unknown;
  if (seconds < 0.1) return l10n.t('{0} ms', Math.round(seconds * 1000));
  if (seconds < 10) return l10n.t('{0} s', seconds.toFixed(2));
  if (seconds < 59.95) return l10n.t('{0} s', seconds.toFixed(1));
  const all = Math.round(seconds);
  if (all < hour) return l10n.t('{0} min {1} s', ...split(all, 60));
  const minutes = Math.round(seconds / 60);
  if (minutes < day / 60) return l10n.t('{0} h {1} min', ...split(minutes, 60));
  return l10n.t('{0} d {1} h', ...split(Math.round(seconds / hour), 24));
}

/** Seconds. */
const hour = 3_600;
const day = 24 * hour;

/** Returns the quotient, and the remainder in two digits. */
function split(value: number, whole: number): readonly [wholes: number, rest: string] {
  return [Math.floor(value / whole), String(value % whole).padStart(2, '0')];
}

export function logprob(value: number | null): string {
  return value === null ? l10n.t('no logprob') : value.toFixed(3).replace('-', '−');
}

export function moment(milliseconds: number): string {
  if (milliseconds === 0) return unknown;
  dateAndTime ??= new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
    dateStyle: 'medium',
    timeStyle: 'medium',
  });
  return dateAndTime.format(milliseconds);
}

/** Returns the last part of a POSIX or Windows path. */
export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

/** Indents JSON and keeps its numbers and strings as written. Returns other text unchanged. */
export function prettyJson(text: string): string {
  return parseJson(text) === undefined ? text : indented(text);
}

/** The tokens of JSON: strings, punctuation and literals. */
const jsonPieces = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/** @param json valid JSON */
function indented(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  let before = '';
  const newLine = (): void => void parts.push('\n', '  '.repeat(depth));
  for (const [piece] of json.matchAll(jsonPieces)) {
    const closes = piece === '}' || piece === ']';
    const opened = before === '{' || before === '[';
    if (closes) depth -= 1;
    if ((closes && !opened) || (opened && !closes) || before === ',') newLine();
    if (piece === '{' || piece === '[') depth += 1;
    parts.push(piece === ':' ? ': ' : piece);
    before = piece;
  }
  return parts.join('');
}
