import * as l10n from '@vscode/l10n';
import type { RunData } from '../data/runData.ts';
import { usePage } from '../page.ts';
import { number, stepText } from '../text.ts';

interface Row {
  readonly trace: string;
  readonly kind: 'step' | 'validation';
  readonly step: number;
}

/** The traces of a training of this machine: one per step and validation, newest first. */
export function Rollouts() {
  const { own: run, isGone } = usePage();
  const rows = isGone ? [] : rowsOf(run);
  if (rows.length === 0) return null;
  return (
    <section class="panel" aria-labelledby="rollouts">
      <h2 id="rollouts">{l10n.t('Rollouts')}</h2>
      <div class="table-scroller rollouts" role="group" aria-labelledby="rollouts" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{l10n.t('Rollouts of')}</th>
              <th scope="col">{l10n.t('Mean reward')}</th>
              <th scope="col">{l10n.t('Actions')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <RolloutRow key={row.trace} run={run} row={row} first={firstOf(rows, row)} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function RolloutRow({ run, row, first }: { readonly run: RunData; readonly row: Row; readonly first: Row }) {
  const { ask } = usePage();
  const { trace } = row;
  const name = nameOf(row);
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{number(rewardOf(run, row))}</td>
      <td>
        <div class="actions">
          <button
            type="button"
            aria-label={l10n.t('Open the rollouts of {0}', name)}
            onClick={() => ask({ type: 'openTrace', run: run.id, trace })}
          >
            {l10n.t('Open')}
          </button>
          {row !== first && (
            <button
              type="button"
              aria-label={l10n.t('Compare with {0}: {1}', nameOf(first), name)}
              onClick={() => ask({ type: 'compareTrace', run: run.id, trace })}
            >
              {l10n.t('Compare with {0}', nameOf(first))}
            </button>
          )}
        </div>
      </td>
    </tr>
  );
}

function rowsOf(run: RunData): Row[] {
  const traces = run.shown.local?.traces ?? [];
  const rows = traces.map((trace): Row => {
    const [kind, step] = trace.split('-');
    return { trace, kind: kind === 'validation' ? 'validation' : 'step', step: Number(step) };
  });
  return rows.reverse();
}

/** Returns the first row of the same kind. */
function firstOf(rows: readonly Row[], own: Row): Row {
  return rows.findLast(({ kind }) => kind === own.kind) ?? own;
}

function nameOf({ kind, step }: Row): string {
  if (kind === 'step') return stepText(step);
  return step === 0 ? l10n.t('Validation before training') : l10n.t('Validation after step {0}', step);
}

function rewardOf(run: RunData, { kind, step }: Row): number | undefined {
  const series = run.metrics.get(kind === 'step' ? 'critic/rewards/mean' : 'val/reward/mean');
  const index = series?.positions.indexOf(step) ?? -1;
  return index < 0 ? undefined : series?.value(index);
}
