/** Formats the numbers of the page. */
import * as l10n from '@vscode/l10n';
import { count, language, unknown } from '../../base/core/format.ts';

/** Formats a number with four digits, for example `0.1234`, `1.5e−7`. All digits before the point are kept: `12,346`. */
export function number(value: number | undefined | null): string {
  if (value === undefined || value === null || Number.isNaN(value)) return unknown;
  if (Math.abs(value) >= 1_000 && Math.abs(value) < 1e12) return count(Math.round(value)).replace('-', '−');
  return String(Number(value.toPrecision(4))).replaceAll('-', '−');
}

/** Formats a number for an axis, as short as possible, for example `25k`. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 10_000) return short.format(value).replace('-', '−');
  return String(Number(value.toPrecision(3))).replaceAll('-', '−');
}

const short = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });

/** Formats seconds for the time axis, for example `0:45`, `12:30`, `3:05:00`. */
export function clock(seconds: number): string {
  const all = Math.max(0, Math.round(seconds));
  const parts = [Math.floor((all % 3_600) / 60), all % 60].map((part) => String(part).padStart(2, '0'));
  const hours = Math.floor(all / 3_600);
  return hours > 0 ? `${hours}:${parts.join(':')}` : parts.join(':');
}

export function stepText(step: number): string {
  return l10n.t('Step {0}', count(step));
}
