import * as l10n from '@vscode/l10n';
import type { ErrorReport } from '../../../base/core/errors.ts';
import { countedCalls, duration, reward } from '../../../base/core/format.ts';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { Failure, Note } from '../../../base/webview/ui/Notices.tsx';
import { Stat } from '../../../base/webview/ui/Stat.tsx';
import type { EpisodeView, OutcomeText, OutcomeView } from '../../core/protocol/episodeRpc.ts';
import type { RunView } from '../../core/protocol/runRpc.ts';
import type { EpisodeRow } from '../../core/protocol/traceLists.ts';
import { OwnRun } from '../compare/OtherRun.tsx';
import { episodeStatus } from '../run/status.ts';
import type { Answer } from '../state/viewer.ts';
import { EpisodeNotes } from './EpisodeNotes.tsx';
import { FindingMessage } from '../ui/FindingMessage.tsx';
import { Hint } from '../ui/FetchTokenizer.tsx';
import { GoToSource } from '../ui/GoToSource.tsx';

interface Props {
  readonly run: RunView;
  readonly episode: EpisodeView;
  readonly outcome: Answer<OutcomeView>;
}

/** The end of an episode: its error, reward, judge and findings, and the output next to the expected answer. */
export function Outcome({ run, episode: { row }, outcome: { value, error, retry } }: Props) {
  return (
    <section class="outcome" aria-label={l10n.t('Outcome')}>
      {row.error && <EpisodeError report={row.error} />}
      {error && <Failure report={error} retry={retry} />}
      <Verdict run={run} row={row} outcome={value} />
      <Findings row={row} config={run.config} />
      <dl class="outcome-texts">
        <div class="outcome-task">
          <dt>
            {l10n.t('Task')} <OwnRun episode={row.episode} />
          </dt>
          <dd class="text-block">{row.query}</dd>
        </div>
        {value && <Texts name={l10n.t('Output')} texts={value.output} />}
        {value && <Texts name={l10n.t('Expected answer')} texts={value.reference} />}
      </dl>
      <EpisodeNotes episode={row.episode} noted={row.noted} />
    </section>
  );
}

function EpisodeError({ report }: { readonly report: ErrorReport }) {
  return (
    <>
      <Failure report={report} />
      {report.stack !== undefined && (
        <details class="json" open>
          <summary>{l10n.t('Stack')}</summary>
          <pre class="mono">{report.stack}</pre>
        </details>
      )}
    </>
  );
}

interface VerdictProps {
  readonly run: RunView;
  readonly row: EpisodeRow;
  readonly outcome: OutcomeView | undefined;
}

function Verdict({ run, row, outcome }: VerdictProps) {
  const failure = outcome?.judge?.error ?? null;
  if (row.reward === null && failure === null) return null;
  return (
    <>
      <div class="title-line outcome-verdict">
        {row.reward !== null && <RewardWord row={row} />}
        {outcome && <Scorer run={run} outcome={outcome} />}
        {row.reward !== null && run.imported === undefined && (
          <GoToSource
            episode={row.episode}
            of={{ kind: 'reward' }}
            label={l10n.t('Reward’s source')}
            what={l10n.t('Reward’s source')}
          />
        )}
      </div>
      {failure !== null && <Note kind="error">{l10n.t('The judge failed: {0}', failure)}</Note>}
      {outcome && outcome.parts.length > 0 && (
        <dl class="stats">
          {outcome.parts.map(({ name, value }) => (
            <Stat key={name} name={name}>
              {reward(value)}
            </Stat>
          ))}
        </dl>
      )}
    </>
  );
}

function RewardWord({ row }: { readonly row: EpisodeRow }) {
  const status = episodeStatus(row, false); // it has a reward, so it has ended
  return (
    <span class={`outcome-reward success-${status}`}>
      <Icon name={row.isSuccess ? 'check' : 'cross'} />
      {row.isSuccess
        ? l10n.t('Reward {0}, success', reward(row.reward))
        : l10n.t('Reward {0}, no success', reward(row.reward))}
    </span>
  );
}

function Scorer({ run, outcome }: { readonly run: RunView; readonly outcome: OutcomeView }) {
  const { scoredBy, judge, attempts } = outcome;
  const texts = [];
  if (scoredBy === 'judge') {
    const name = judge?.name ?? run.judge ?? '';
    const took = judge?.seconds ?? null;
    texts.push(
      took === null
        ? l10n.t('scored by the judge {0}', name)
        : l10n.t('scored by the judge {0} in {1}', name, duration(took)),
    );
  }
  if (scoredBy === 'workflow') texts.push(l10n.t('returned by the workflow {0}', run.workflow));
  if (attempts > 1) texts.push(l10n.t('attempt {0}', attempts));
  return <span class="muted">{texts.join(' · ')}</span>;
}

interface FindingsProps {
  readonly row: EpisodeRow;
  readonly config: string;
}

/** If there is only one reason against training, the header shows it. */
function Findings({ row: { findings, trains }, config }: FindingsProps) {
  const listed = trains === false && findings.length === 1 ? [] : findings;
  return (
    <>
      {listed.map(({ code, message, severity, hint }) => (
        <Note key={message} kind={severity}>
          <strong class="finding-severity">
            {severity === 'error' ? l10n.t('error') : l10n.t('warning')}
          </strong>{' '}
          <FindingMessage code={code} message={message} />
          <span class="finding-hint">
            <Hint text={hint} config={config} />
          </span>
        </Note>
      ))}
    </>
  );
}

/** The first text in full, and the others on demand. */
function Texts({ name, texts }: { readonly name: string; readonly texts: readonly OutcomeText[] }) {
  const [first, ...others] = texts;
  if (first === undefined) return null;
  return (
    <div>
      <dt>
        {name} <span class="muted mono">{first.name}</span>
      </dt>
      <dd class="text-block">{first.text}</dd>
      {others.length > 0 && (
        <dd>
          <details class="json">
            <summary>{l10n.t('More: {0}', others.map((one) => one.name).join(', '))}</summary>
            {others.map((one) => (
              <p key={one.name} class="text-block">
                <span class="muted">{one.name}:</span> {one.text}
              </p>
            ))}
          </details>
        </dd>
      )}
    </div>
  );
}

/** Returns e.g. `24 trained + 26 of gpt-4o`; undefined: the trained model answered all calls. */
export function callsNote(calls: number, untrained: OutcomeView['untrained']): string | undefined {
  if (untrained.length === 0) return undefined;
  const byModel = new Map<string, number>();
  for (const { model, calls: own } of untrained) byModel.set(model, (byModel.get(model) ?? 0) + own);
  const others = [...byModel].map(([model, own]) => l10n.t('{0} of {1}', own, model));
  const trained = calls - untrained.reduce((sum, { calls: own }) => sum + own, 0);
  return [l10n.t('{0} trained', countedCalls(trained)), ...others].join(' + ');
}
