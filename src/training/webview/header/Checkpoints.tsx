import * as l10n from '@vscode/l10n';
import type { PageCheckpoint } from '../../core/page/trainingRunRpc.ts';
import type { RunData } from '../data/runData.ts';
import { usePage } from '../page.ts';
import { number } from '../text.ts';
import { count, moment, sizeText, unknown } from '../../../base/core/format.ts';
import { checkpointText } from '../../core/runs/words.ts';

type Row = Pick<PageCheckpoint, 'step' | 'stage' | 'reward' | 'resumable' | 'sampler'> & {
  readonly bytes: number | null;
  readonly at: number;
  readonly listed: boolean;
};

export function Checkpoints() {
  const { own: run, isGone } = usePage();
  const rows = isGone ? [] : rowsOf(run);
  if (rows.length === 0) return null;
  // Training can resume only from the newest checkpoint. Each one can be forked.
  const newest = rows.find(({ resumable }) => resumable);
  const isOnServer = rows.some(({ sampler }) => sampler !== undefined);
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
              <th scope="col">{isOnServer ? l10n.t('Weights for sampling') : l10n.t('Size')}</th>
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
  readonly isNewest: boolean;
}

function CheckpointRow({ run, row, hasStages, isNewest }: RowProps) {
  const { ask } = usePage();
  const { step, stage } = row;
  const { may, local, record } = run.shown;
  // The server has nothing more to train after the last step.
  const canResume = run.isOver && (local === undefined || record.state !== 'finished');
  const ref = { run: run.id, step, ...(stage !== undefined && { stage }) };
  const named = checkpointText(row);
  return (
    <tr>
      {hasStages && <td>{stage}</td>}
      <th scope="row">{count(step)}</th>
      <td>{row.sampler === undefined ? sizeOf(row) : <code>{row.sampler}</code>}</td>
      <td>{moment(row.at)}</td>
      <td>{number(row.reward)}</td>
      <td>
        <div class="actions">
          {may.start && canResume && isNewest && (
            <button
              type="button"
              aria-label={l10n.t('Resume from {0}', named)}
              onClick={() => ask({ type: 'resume', ...ref })}
            >
              {l10n.t('Resume')}
            </button>
          )}
          {local === undefined ? <HostActions run={run} row={row} /> : <LocalActions run={run} row={row} />}
        </div>
      </td>
    </tr>
  );
}

type ActionProps = Pick<RowProps, 'run' | 'row'>;

function HostActions({ run, row }: ActionProps) {
  const { ask } = usePage();
  const { step, stage } = row;
  const { may } = run.shown;
  const ref = { run: run.id, step, ...(stage !== undefined && { stage }) };
  const named = checkpointText(row);
  return (
    <>
      {may.start && (
        <button
          type="button"
          disabled={!row.resumable}
          aria-label={l10n.t('Fork from {0}', named)}
          onClick={() => ask({ type: 'fork', ...ref })}
        >
          {l10n.t('Fork')}
        </button>
      )}
      <button
        type="button"
        disabled={!row.listed}
        aria-label={l10n.t('Fetch the checkpoint of {0}', named)}
        onClick={() => ask({ type: 'fetchCheckpoint', ...ref })}
      >
        {l10n.t('Fetch')}
      </button>
    </>
  );
}

/** The weights of a training of this machine are on the server. */
function LocalActions({ run, row }: ActionProps) {
  const { ask } = usePage();
  const named = checkpointText(row);
  const actions = [
    ['debugCheckpoint', l10n.t('Debug'), l10n.t('Debug with the weights of {0}', named)],
    ['copySampler', l10n.t('Copy path'), l10n.t('Copy path: {0}', named)],
    ['copyWeights', l10n.t('Copy with optimizer'), l10n.t('Copy with optimizer: {0}', named)],
    ['fetchCheckpoint', l10n.t('Fetch'), l10n.t('Fetch the checkpoint of {0}', named)],
    ['publishCheckpoint', l10n.t('Publish'), l10n.t('Publish the checkpoint of {0}', named)],
    // The process of an active training would list it again.
    ...(run.isOver
      ? ([['deleteCheckpoint', l10n.t('Delete'), l10n.t('Delete the checkpoint of {0}', named)]] as const)
      : []),
  ] as const;
  return (
    <>
      {actions.map(([type, text, label]) => (
        <button
          key={type}
          type="button"
          aria-label={label}
          onClick={() => ask({ type, run: run.id, step: row.step })}
        >
          {text}
        </button>
      ))}
    </>
  );
}

function sizeOf({ bytes }: Row): string {
  return bytes === null ? unknown : sizeText(bytes);
}

/** Returns the listed checkpoints, and newer ones from events. */
function rowsOf(run: RunData): Row[] {
  const listed = run.checkpoints.map(({ modifiedAt, ...rest }): Row => {
    return { ...rest, at: modifiedAt, listed: true };
  });
  const unlisted = new Map<string, Row>();
  for (const { step, stage: number, at } of run.written) {
    const stage = number === 0 ? undefined : run.stageName(number);
    const newest = Math.max(-1, ...listed.filter((one) => one.stage === stage).map((one) => one.step));
    // Older ones that are not listed were deleted: training keeps only a few.
    if (step <= newest) continue;
    const row = { step, ...(stage !== undefined && { stage }), bytes: null, at, reward: null };
    unlisted.set(`${number} ${step}`, { ...row, resumable: false, listed: false });
  }
  const stages = run.shown.record.stages?.map(({ name }) => name) ?? [];
  const order = ({ stage }: Row): number => stages.indexOf(stage ?? '');
  return [...listed, ...unlisted.values()].sort((a, b) => order(b) - order(a) || b.step - a.step);
}
