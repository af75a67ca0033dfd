import * as l10n from '@vscode/l10n';
import { duration } from '../../../../base/core/format.ts';
import { lengthOf, type Range } from './range.ts';

export interface Ticks {
  readonly step: number;
  readonly times: readonly number[];
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const longSteps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * minute);

/** Returns at most `wanted` round times within a range. */
export function ticksIn(range: Range, wanted: number): Ticks {
  const step = stepFor(lengthOf(range) / Math.max(1, wanted));
  const first = Math.ceil(range.start / step);
  const last = Math.floor(range.end / step);
  // Multiplies instead of adding, because sums of fractions accumulate errors.
  const times = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step);
  return { step, times };
}

function stepFor(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const decimal = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * 0.999999);
  if (decimal !== undefined && decimal <= 20 * second) return decimal;
  if (least <= 30 * second) return 30 * second;
  return longSteps.find((step) => step >= least) ?? Math.ceil(least / (1440 * minute)) * 1440 * minute;
}

export function tickLabel(time: number, step: number): string {
  if (step >= second) {
    if (time < minute) return l10n.t('{0} s', Math.round(time / second));
    return time < hour || step >= hour ? duration(time / second) : withHours(time, step < minute ? 0 : null);
  }
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / second) - 1e-9));
  if (time >= hour) return withHours(time, decimals);
  if (time >= minute) return withMinutes(time, decimals);
  if (decimals <= 3 || time >= second) {
    return l10n.t('{0} s', (time / second).toFixed(decimals));
  }
  return l10n.t('{0} ms', time.toFixed(decimals - 3));
}

/** e.g. `1 min 09.5 s`. */
function withMinutes(time: number, decimals: number): string {
  const rounded = Number((time / second).toFixed(decimals));
  const minutes = Math.floor(rounded / 60);
  const seconds = (rounded - minutes * 60).toFixed(decimals);
  return l10n.t('{0} min {1} s', minutes, seconds.padStart(decimals + 3, '0'));
}

/** e.g. `1 h 05 min`, with seconds and their decimals if `decimals` is not null. */
function withHours(time: number, decimals: number | null): string {
  const rounded = Number((time / second).toFixed(decimals ?? 0));
  const hours = Math.floor(rounded / 3_600);
  const minutes = String(Math.floor((rounded % 3_600) / 60)).padStart(2, '0');
  if (decimals === null) return l10n.t('{0} h {1} min', hours, minutes);
  const width = decimals === 0 ? 2 : decimals + 3;
  return l10n.t('{0} h {1} min {2} s', hours, minutes, (rounded % 60).toFixed(decimals).padStart(width, '0'));
}
