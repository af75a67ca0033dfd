import * as l10n from '@vscode/l10n';
import { seriesOf, type ChartMetrics, kindOf } from '../data/chartTable.ts';
import type { Window } from '../data/chartPoints.ts';
import type { RunData } from '../data/runData.ts';
import { usePage } from '../page.ts';
import { count } from '../../../base/core/format.ts';
import { stepAxis } from './axes.ts';

/** The maximum number of rows. Of more steps, an evenly spaced selection is shown. */
const mostRows = 100;

export function ValueTable({ charts }: { readonly charts: readonly ChartMetrics[] }) {
  const page = usePage();
  const { view, change } = page;
  return (
    <details
      class="value-table"
      open={view.table}
      onToggle={(event) => {
        if (event.currentTarget.open !== view.table) change({ table: event.currentTarget.open });
      }}
    >
      <summary>{l10n.t('Values as a table')}</summary>
      {view.table && <Rows charts={charts} window={stepAxis(page).window} />}
    </details>
  );
}

function Rows({ charts, window }: { readonly charts: readonly ChartMetrics[]; readonly window: Window }) {
  const { runs } = usePage();
  const columns = charts.flatMap((chart) => {
    const { title, valueText } = kindOf(chart);
    return runs.flatMap((run, index) => {
      const series = seriesOf(run, chart.names[index]);
      if (series === undefined) return [];
      const name = runs.length === 1 ? title : `${title} · ${run.name}`;
      return [{ key: `${chart.key} ${run.id}`, name, series, valueText }];
    });
  });
  return (
    <div class="table-scroller" role="group" aria-label={l10n.t('Values as a table')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{l10n.t('Step')}</th>
            {columns.map(({ key, name }) => (
              <th key={key} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stepsOf(runs, window).map((step) => (
            <tr key={step}>
              <th scope="row">{count(step)}</th>
              {columns.map(({ key, series, valueText }) => (
                <td key={key}>{valueText(series.valueAt(step))}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Returns the visible steps of the run with the most visible steps, newest first. */
function stepsOf(runs: readonly RunData[], { min, max }: Window): number[] {
  const visible = runs.map(({ stepTimes }) =>
    stepTimes.positions.filter((step) => step >= min && step <= max),
  );
  const [most = []] = visible.sort((a, b) => b.length - a.length);
  const rows = Math.min(mostRows, most.length);
  const stride = rows === 1 ? 0 : (most.length - 1) / (rows - 1);
  return Array.from({ length: rows }, (_, row) => most[Math.round((rows - 1 - row) * stride)] ?? NaN);
}
