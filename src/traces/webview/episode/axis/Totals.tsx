import * as l10n from '@vscode/l10n';
import { useMemo, useState } from 'preact/hooks';
import { count, duration, share, unknown } from '../../../../base/core/format.ts';
import { nameOfGroup } from './describe.ts';
import { boundsAt, type AxisModel } from './model.ts';
import { lengthOf } from './range.ts';
import { totalsOf, type Total } from './totals.ts';

interface Props {
  readonly model: AxisModel;
  readonly now: number;
}

const mostRows = 100;

export function Totals({ model, now }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <details class="axis-totals" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{l10n.t('Time by agent, tool and judge')}</summary>
      {open && <TotalsTable model={model} now={model.runs ? now : 0} />}
    </details>
  );
}

function TotalsTable({ model, now }: Props) {
  const totals = useMemo(() => totalsOf(model, now), [model, now]);
  const whole = lengthOf(boundsAt(model, now));
  const times = [l10n.t('Times'), l10n.t('Failed'), l10n.t('Sum'), l10n.t('Mean'), l10n.t('Longest')];
  const heads = [l10n.t('What'), ...times, l10n.t('Share of the episode')];
  const seconds = (time: number) => duration(time / 1000);
  return (
    <>
      <div class="axis-table" role="region" aria-label={l10n.t('Time by agent, tool and judge')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {heads.map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {totals.slice(0, mostRows).map((total) => (
              <tr key={`${total.kind} ${total.name}`}>
                <th scope="row">{nameOfGroup(total.kind, total.name)}</th>
                <td>{count(total.count)}</td>
                <td>{count(total.failed)}</td>
                <td>{bounded(total, seconds(total.sum))}</td>
                <td>{bounded(total, seconds(total.sum / total.timed))}</td>
                <td>{bounded(total, seconds(total.longest))}</td>
                <td>{bounded(total, share(total.covered, whole))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="muted">
        {totals.length > mostRows && l10n.t('The first {0} of {1}. ', mostRows, totals.length)}
        {l10n.t(
          'Parallel activities count once in the share, and separately in the sum. The tuner does not see tools run. The time of a tool is the time from the reply that calls it to the request with its answer.',
        )}
      </p>
    </>
  );
}

/** Marks the time of a tool, which is an upper bound. */
function bounded({ kind, timed }: Total, text: string): string {
  if (timed === 0) return unknown;
  return kind === 'tool' ? `≤ ${text}` : text;
}
