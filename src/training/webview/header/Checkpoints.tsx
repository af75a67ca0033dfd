import * as l10n from '@vscode/l10n';
import type { Checkpoint } from '../../core/protocol/runs.ts';
import type { RunData } from '../data/runData.ts';
import { usePage } from '../page.ts';
import { number } from '../text.ts';
import { count, moment, sizeText, unknown } from '../../../base/core/format.ts';
import { checkpointText } from './words.ts';

type Row = Pick<Checkpoint, 'step' | 'stage' | 'reward' | 'resumable'> & {
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
  const hasStages = rows.some(({ stage }) => stage !== undefined);
  return (
    <section class="panel" aria-labelledby="checkpoints">
      <h2 id="checkpoints">{l10n.t('Checkpoints')}</h2>
      <div class="table-scroller" role="group" aria-labelledby="checkpoints" tabIndex={0}>
        <table>
          <thead>
            <tr>
              {hasStages && <th scope="col">{l10n.t('Stage')}</th>}
              <th scope="col">{l10n.t('Step')}</th>
              <th scope="col">{l10n.t('Size')}</th>
              <th scope="col">{l10n.t('Written')}</th>
              <th scope="col">{l10n.t('Mean reward')}</th>
              <th scope="col">{l10n.t('Actions')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <CheckpointRow
                key={`${row.stage ?? ''} ${row.step}`}
                run={run}
                row={row}
                hasStages={hasStages}
                isNewest={row === newest}
              />
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
  readonly hasStages: boolean;
  /** Of those that can be gone on from. */
  readonly isNewest: boolean;
}

function CheckpointRow({ run, row, hasStages, isNewest }: RowProps) {
  const { ask } = usePage();
  const { step, stage } = row;
  const { may } = run.shown;
  const of = { run: run.id, step, ...(stage !== undefined && { stage }) };
  const named = checkpointText(row);
  return (
    <tr>
      {hasStages && <td>{stage}</td>}
      <th scope="row">{count(step)}</th>
      <td>{row.bytes === null ? unknown : sizeText(row.bytes)}</td>
      <td>{moment(row.at)}</td>
      <td>{number(row.reward)}</td>
      <td>
        <div class="actions">
          {may.start && run.isOver && isNewest && (
            <button
              type="button"
              aria-label={l10n.t('Resume from {0}', named)}
              onClick={() => ask({ type: 'resume', ...of })}
            >
              {l10n.t('Resume')}
            </button>
          )}
          {may.start && (
            <button
              type="button"
              disabled={!row.resumable}
              aria-label={l10n.t('Fork from {0}', named)}
              onClick={() => ask({ type: 'fork', ...of })}
            >
              {l10n.t('Fork')}
            </button>
          )}
          <button
            type="button"
            disabled={!row.listed}
            aria-label={l10n.t('Fetch the checkpoint of {0}', named)}
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
function rowsOf(run: RunData): Row[] {
  const listed = run.checkpoints.map(({ step, stage, bytes, modifiedAt, reward, resumable }): Row => {
    return {
      step,
      ...(stage !== undefined && { stage }),
      bytes,
      at: modifiedAt,
      reward,
      resumable,
      listed: true,
    };
  });
  const told = new Map<string, Row>();
  for (const { step, stage: number, at } of run.written) {
    const stage = number === 0 ? undefined : run.stageName(number);
    const newest = Math.max(-1, ...listed.filter((one) => one.stage === stage).map((one) => one.step));
    // Older ones that are not listed are gone: training keeps but a few.
    if (step <= newest) continue;
    const row = { step, ...(stage !== undefined && { stage }), bytes: null, at, reward: null };
    told.set(`${number} ${step}`, { ...row, resumable: false, listed: false });
  }
  const stages = run.shown.record.stages?.map(({ name }) => name) ?? [];
  const place = ({ stage }: Row): number => stages.indexOf(stage ?? '');
  return [...listed, ...told.values()].sort((a, b) => place(b) - place(a) || b.step - a.step);
}
