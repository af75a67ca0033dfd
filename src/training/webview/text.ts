/** Numbers of the page as people read them. */
import * as l10n from '@vscode/l10n';
import { count, language, unknown } from '../../base/core/format.ts';

/** To four digits, and all that are before the point, e.g. `0.1234`, `12,346`, `1.5e−7`. */
export function number(value: number | undefined | null): string {
  if (value === undefined || value === null || Number.isNaN(value)) return unknown;
  if (Math.abs(value) >= 1_000 && Math.abs(value) < 1e12) return count(Math.round(value)).replace('-', '−');
  return String(Number(value.toPrecision(4))).replaceAll('-', '−');
}

/** Of an axis: as short as can be, e.g. `25k`. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 10_000) return short.format(value).replace('-', '−');
  return String(Number(value.toPrecision(3))).replaceAll('-', '−');
}

const short = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });

/** Of the axis of time, e.g. `0:45`, `12:30`, `3:05:00`. */
export function clock(seconds: number): string {
  const all = Math.max(0, Math.round(seconds));
  const parts = [Math.floor((all % 3_600) / 60), all % 60].map((part) => String(part).padStart(2, '0'));
  const hours = Math.floor(all / 3_600);
  return hours > 0 ? `${hours}:${parts.join(':')}` : parts.join(':');
}

export function stepText(step: number): string {
  return l10n.t('Step {0}', count(step));
}
