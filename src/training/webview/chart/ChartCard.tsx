import * as l10n from '@vscode/l10n';
import { useRef } from 'preact/hooks';
import type { MetricSeries } from '../data/metricSeries.ts';
import { useCursor, usePage, type Page } from '../page.ts';
import { shortNumber } from '../text.ts';
import { IconButton } from '../../../base/webview/ui/Icon.tsx';
import { pressKey, type ChartAxis } from './chartKeys.ts';
import { Swatch } from './Swatch.tsx';
import { colorOf, dashOf } from './theme.ts';
import { usePlot } from './plot.ts';

interface Props {
  readonly title: string;
  readonly name: string;
  readonly axisOf: (page: Page) => ChartAxis;
  readonly series: readonly (MetricSeries | undefined)[];
  readonly valueText: (value: number | undefined) => string;
  /** See {@link PlotUse.range}. A chart with a range has no log scale. */
  readonly range?: readonly [least: number, greatest: number];
  readonly onRemove?: (() => void) | undefined;
}

export function ChartCard(props: Props) {
  const { title, name, axisOf, series, valueText, range, onRemove } = props;
  const page = usePage();
  const { runs, view, theme, version } = page;
  const point = useCursor();
  const axis = axisOf(page);
  const element = useRef<HTMLDivElement>(null);
  const wantsLog = view.log && range === undefined;
  const isLog = wantsLog && series.some((one) => one !== undefined && isPositiveSomewhere(one));
  usePlot(element, {
    ...axis,
    lines: series.map((one, run) => ({
      series: one,
      color: colorOf(theme, run),
      dash: dashOf(theme, run),
    })),
    log: isLog,
    range,
    smoothing: view.smoothing,
    version,
    theme,
    tickText: axis.text,
    valueText: shortNumber,
  });
  const last = Math.max(...series.map((one) => one?.last?.at ?? axis.window.min));
  const at = axis.pointed ?? last;
  // The selected position can be unknown on this axis, for example a step whose time is unknown.
  const read = point === undefined ? newest : axis.pointed === undefined ? nothing : valueAt(axis.pointed);
  const values = runs.map((_, run) => valueText(read(series[run])));
  return (
    <div class="chart" role="group" aria-label={title}>
      <Heading title={title} name={name} onRemove={onRemove} />
      <ul class="readout">
        {values.map((value, run) => (
          <li key={run}>
            {runs.length > 1 && <Swatch run={run} />}
            <span class="readout-value">{value}</span>
          </li>
        ))}
      </ul>
      <div
        ref={element}
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={axis.window.min}
        aria-valuemax={axis.window.max}
        aria-valuenow={Math.max(axis.window.min, Math.min(axis.window.max, at))}
        aria-valuetext={`${axis.text(at)}: ${values.map((value, run) => `${runs[run]?.name ?? ''} ${value}`).join('; ')}`}
        onKeyDown={(event) => {
          if (event.altKey || event.ctrlKey || event.metaKey) return;
          if (pressKey(event, at, axis)) event.preventDefault();
        }}
      />
      {wantsLog && !isLog && <p class="muted">{l10n.t('The log scale is off: no value is above zero.')}</p>}
    </div>
  );
}

type ReadValue = (series: MetricSeries | undefined) => number | undefined;
const newest: ReadValue = (series) => series?.last?.value;
const nothing: ReadValue = () => undefined;
const valueAt =
  (at: number): ReadValue =>
  (series) =>
    series?.valueAt(at);

function Heading({ title, name, onRemove }: Pick<Props, 'title' | 'name' | 'onRemove'>) {
  return (
    <div class="chart-heading">
      <h3>{title}</h3>
      {name !== title && (
        <span class="chart-name" title={name}>
          {name}
        </span>
      )}
      {onRemove && (
        <IconButton icon="close" name={l10n.t('Remove the chart {0}', title)} onPress={onRemove} />
      )}
    </div>
  );
}

function isPositiveSomewhere(series: MetricSeries): boolean {
  for (let index = 0; index < series.length; index += 1) if (series.value(index) > 0) return true;
  return false;
}
