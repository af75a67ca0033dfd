import { useRecorded } from '../ui/Recorded.tsx';
import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { Bar, Histogram } from '../../core/protocol/traceLists.ts';
import type { MissingData } from '../../../tracking/core/records/tracedRun.ts';
import { positionAfterKey } from '../../../base/webview/ui/listKeys.ts';
import { count, duration, percent, reward } from '../../../base/core/format.ts';
import { barTerm, hasTerm, toggledTerm } from './filterEdit.ts';

/** The width of the drawing in its units, large enough for sharp bars. */
const width = 160;
const height = 44;

interface Props {
  readonly histograms: readonly Histogram[];
  readonly filter: string;
  readonly onFilter: (filter: string) => void;
}

/** The data of a distribution, which an imported trace may not have. */
const madeOf: Readonly<Record<Histogram['field'], MissingData>> = {
  reward: 'rewards',
  mean: 'rewards',
  solved: 'successes',
  tokens: 'tokens',
  time: 'times',
};

export function Histograms({ histograms, filter, onFilter }: Props) {
  const recorded = useRecorded();
  const shown = histograms.filter(({ field }) => recorded(madeOf[field]));
  if (shown.length === 0) return null;
  return (
    <section class="histograms foldable" aria-label={l10n.t('Distributions')}>
      {shown.map((histogram) => (
        <Chart key={histogram.field} histogram={histogram} filter={filter} onFilter={onFilter} />
      ))}
    </section>
  );
}

interface ChartProps extends Omit<Props, 'histograms'> {
  readonly histogram: Histogram;
}

function Chart({ histogram, filter, onFilter }: ChartProps) {
  const { bars, field, missing } = histogram;
  const [focused, setFocused] = useState(0);
  const most = Math.max(...bars.map((bar) => bar.count));
  const slot = width / bars.length;
  const terms = bars.map((bar) => barTerm(histogram, bar));
  const choose = (index: number) => {
    const term = terms[index];
    if (term !== undefined) onFilter(toggledTerm(filter, term, terms));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = positionAfterKey(event.key, focused, bars.length - 1, { ArrowRight: 1, ArrowLeft: -1 });
    if (event.key === 'Enter' || event.key === ' ') choose(focused);
    else if (target === undefined) return;
    else {
      setFocused(target);
      (event.currentTarget as Element).querySelectorAll<SVGGElement>('.bar')[target]?.focus();
    }
    event.preventDefault();
  };
  return (
    <figure class="histogram">
      <figcaption>{titleOf(histogram)}</figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="group"
        aria-label={titleOf(histogram)}
        onKeyDown={onKeyDown}
      >
        {bars.map((bar, index) => (
          // The whole height of a bar can be clicked, also if the bar is low.
          <g
            key={bar.from}
            class="bar"
            role="button"
            tabindex={index === Math.min(focused, bars.length - 1) ? 0 : -1}
            aria-pressed={hasTerm(filter, terms[index] ?? '')}
            aria-label={barText(histogram, bar)}
            onFocus={() => setFocused(index)}
            onClick={() => choose(index)}
          >
            <title>{barText(histogram, bar)}</title>
            <rect class="bar-slot" x={index * slot} width={slot} height={height} />
            <rect
              class="bar-value"
              x={index * slot + 1}
              width={Math.max(slot - 2, 1)}
              {...verticalOf(bar, most)}
            />
          </g>
        ))}
      </svg>
      <p class="histogram-ends muted" aria-hidden="true">
        <span>{valueText(field, bars[0]?.from ?? 0)}</span>
        {missing > 0 && <span>{l10n.t('{0} without a value', count(missing))}</span>}
        <span>{bars.length > 1 && valueText(field, bars.at(-1)?.to ?? 0)}</span>
      </p>
    </figure>
  );
}

/** A single entry stays visible. */
function verticalOf({ count: counted }: Bar, most: number): { readonly y: number; readonly height: number } {
  const tall = counted === 0 ? 0 : Math.max((counted / most) * (height - 2), 2);
  return { y: height - tall, height: tall };
}

function titleOf({ field }: Histogram): string {
  const titles: Readonly<Record<Histogram['field'], string>> = {
    reward: l10n.t('Reward of episodes'),
    mean: l10n.t('Mean reward of tasks'),
    solved: l10n.t('Success of tasks'),
    tokens: l10n.t('Tokens of episodes'),
    time: l10n.t('Time of episodes'),
  };
  return titles[field];
}

function barText({ field, of }: Histogram, { from, to, count: counted }: Bar): string {
  const values =
    from === to ? valueText(field, from) : l10n.t('{0} to {1}', valueText(field, from), valueText(field, to));
  if (of === 'groups') {
    return counted === 1 ? l10n.t('{0}: 1 task', values) : l10n.t('{0}: {1} tasks', values, count(counted));
  }
  return counted === 1
    ? l10n.t('{0}: 1 episode', values)
    : l10n.t('{0}: {1} episodes', values, count(counted));
}

function valueText(field: Histogram['field'], value: number): string {
  if (field === 'solved') return percent(value);
  if (field === 'time') return duration(value);
  return field === 'tokens' ? count(Math.round(value)) : reward(value);
}
