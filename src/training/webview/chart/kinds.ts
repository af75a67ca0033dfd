/** The titles and number formats of the charts. */
import * as l10n from '@vscode/l10n';
import type { ChartMetrics } from '../data/chartTable.ts';
import { duration, percent } from '../../../base/core/format.ts';
import { number } from '../text.ts';

export interface ChartKind {
  readonly title: string;
  readonly valueText: (value: number | undefined) => string;
}

export function kindOf({ id, names }: ChartMetrics): ChartKind {
  switch (id) {
    case 'reward':
      return { title: l10n.t('Mean reward'), valueText: number };
    case 'success':
      return { title: l10n.t('Success'), valueText: share };
    case 'kl':
      return { title: l10n.t('KL divergence'), valueText: number };
    case 'entropy':
      return { title: l10n.t('Entropy'), valueText: number };
    case 'length':
      return { title: l10n.t('Response length'), valueText: number };
    case 'time':
      return { title: l10n.t('Time per step'), valueText: (value) => duration(value ?? null) };
    case 'added':
      return { title: names.find((name) => name !== undefined) ?? '', valueText: number };
  }
}

/** Formats a share as a percentage. Values outside 0 to 1 are formatted as numbers. */
function share(value: number | undefined): string {
  return value === undefined || (value >= 0 && value <= 1) ? percent(value ?? null) : number(value);
}
