import * as l10n from '@vscode/l10n';
import type { Checkpoint } from '../../../protocol/host/runs.ts';
import type { RunData } from '../data/runData.ts';
import { usePage } from '../page.ts';
import { number, size } from '../text.ts';
import { count, moment, unknown } from '../../ui/format.ts';

type Row = Pick<Checkpoint, 'step' | 'reward' | 'resumable'> & {
  readonly bytes: number | null;
  readonly at: number;
  readonly listed: boolean;
};

/** What the run can go on from, the newest first. */
export function Checkpoints() {
  const { own: run, isGone } = usePage();
  const rows = isGone ? [] : rowsOf(run);
  if (rows.length === 0) return null;
  // Training resumes from nothing else; any one can be forked from.
  const newest = rows.find(({ resumable }) => resumable);
  return (
    <section class="panel" aria-labelledby="checkpoints">
      <h2 id="checkpoints">{l10n.t('Checkpoints')}</h2>
      <div class="table-scroller" role="group" aria-labelledby="checkpoints" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{l10n.t('Step')}</th>
              <th scope="col">{l10n.t('Size')}</th>
              <th scope="col">{l10n.t('Written')}</th>
              <th scope="col">{l10n.t('Mean reward')}</th>
              <th scope="col">{l10n.t('Actions')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <CheckpointRow key={row.step} run={run} row={row} isNewest={row === newest} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface RowProps {
  readonly run: RunData;
  readonly row: Row;
  /** Of those that can be gone on from. */
  readonly isNewest: boolean;
}

function CheckpointRow({ run, row, isNewest }: RowProps) {
  const { ask } = usePage();
  const { step } = row;
  const { may } = run.shown;
  const of = { run: run.id, step };
  return (
    <tr>
      <th scope="row">{count(step)}</th>
      <td>{row.bytes === null ? unknown : size(row.bytes)}</td>
      <td>{moment(row.at)}</td>
      <td>{number(row.reward)}</td>
      <td>
        <div class="actions">
          {may.start && run.isOver && isNewest && (
            <button
              type="button"
              aria-label={l10n.t('Resume from step {0}', count(step))}
              onClick={() => ask({ type: 'resume', ...of })}
            >
              {l10n.t('Resume')}
            </button>
          )}
          {may.start && (
            <button
              type="button"
              disabled={!row.resumable}
              aria-label={l10n.t('Fork from step {0}', count(step))}
              onClick={() => ask({ type: 'fork', ...of })}
            >
              {l10n.t('Fork')}
            </button>
          )}
          <button
            type="button"
            disabled={!row.listed}
            aria-label={l10n.t('Fetch the checkpoint of step {0}', count(step))}
            onClick={() => ask({ type: 'fetchCheckpoint', ...of })}
          >
            {l10n.t('Fetch')}
          </button>
        </div>
      </td>
    </tr>
  );
}

/** Those that are listed, and those that were told of and are not yet. */
function rowsOf({ checkpoints, checkpointTimes }: RunData): Row[] {
  const rows = checkpoints.map(({ step, bytes, modifiedAt, reward, resumable }): Row => {
    return { step, bytes, at: modifiedAt, reward, resumable, listed: true };
  });
  const newest = Math.max(-1, ...rows.map(({ step }) => step));
  for (let index = 0; index < checkpointTimes.length; index += 1) {
    const step = checkpointTimes.at(index);
    // Older ones that are not listed are gone: training keeps but a few.
    if (step <= newest) continue;
    const at = checkpointTimes.value(index);
    rows.push({ step, bytes: null, at, reward: null, resumable: false, listed: false });
  }
  return rows.sort((a, b) => b.step - a.step);
}
