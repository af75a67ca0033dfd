import { TokenChips } from './TokenChips.tsx';
import { RouteLink } from '../ui/RouteLink.tsx';
import { callRoute, formatSetting, parseSetting } from '../state/route.ts';
import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type {
  DriftDifference,
  DriftView,
  MergeSetting,
  MergingView,
} from '../../core/protocol/mergingRpc.ts';
import { useAnswer, usePersistentState, useViewer } from '../state/viewer.ts';
import { count } from '../../../base/core/format.ts';
import { Failure, Loading, Note } from '../../../base/webview/ui/Notices.tsx';
import { MergeTree } from './MergeTree.tsx';
import { SettingTable } from './SettingTable.tsx';

export function MergeExplainer({ episode }: { readonly episode: number }) {
  const { trace } = useViewer();
  const [chosen, choose] = usePersistentState(`setting ${episode}`, (saved) =>
    typeof saved === 'string' ? saved : '',
  );
  const setting = parseSetting(chosen);
  const { value, error, retry } = useAnswer('merging', { trace, episode, setting });
  // The table stays visible while another setting is loading.
  const [last, setLast] = useState<MergingView>();
  if (value !== undefined && value !== last) setLast(value);
  const view = value ?? last;
  return (
    <section class="merging" aria-label={l10n.t('Merging')}>
      <h2>{l10n.t('From calls to timelines')}</h2>
      {error && <Failure report={error} retry={retry} />}
      {view === undefined && !error && <Loading>{l10n.t('Loading the merging of calls…')}</Loading>}
      {view?.timelines.length === 0 && (
        <p class="muted">{l10n.t('Training excludes all calls, so there is no timeline.')}</p>
      )}
      {view && view.timelines.length > 0 && (
        <Explained episode={episode} view={view} onChoose={(next) => choose(formatSetting(next))} />
      )}
    </section>
  );
}

interface ExplainedProps {
  readonly episode: number;
  readonly view: MergingView;
  readonly onChoose: (setting: MergeSetting) => void;
}

function Explained({ episode, view, onChoose }: ExplainedProps) {
  const isOwn = view.chosen === 0;
  return (
    <>
      {view.provisional && (
        <Note kind="info">
          {l10n.t(
            'Merged from the calls so far. The episode is still running, and later calls may change it.',
          )}
        </Note>
      )}
      <p role="status">{summaryOf(view)}</p>
      <SettingTable view={view} onChoose={onChoose} />
      {!isOwn && (
        <Note kind="info">
          {l10n.t('These timelines belong to the selected setting. The run itself may have made others.')}
        </Note>
      )}
      <MergeTree episode={episode} view={view} />
      {view.driftCount > 0 && <DriftList episode={episode} view={view} />}
    </>
  );
}

function summaryOf({ timelines, chosen }: MergingView): string {
  const calls = timelines.reduce((sum, one) => sum + one.calls.length, 0);
  const [from, to] = [count(calls), count(timelines.length)];
  if (chosen === 0) {
    if (calls === 1) return l10n.t('One call is one timeline.');
    return timelines.length === 1
      ? l10n.t('{0} calls became one timeline.', from)
      : l10n.t('{0} calls became {1} timelines.', from, to);
  }
  if (calls === 1) return l10n.t('One call would be one timeline.');
  return timelines.length === 1
    ? l10n.t('With the selected setting, {0} calls would become one timeline.', from)
    : l10n.t('With the selected setting, {0} calls would become {1} timelines.', from, to);
}

interface Props {
  readonly episode: number;
  readonly view: MergingView;
}

function DriftList({ episode, view: { drifts, driftCount } }: Props) {
  return (
    <section class="drifts" aria-label={l10n.t('Retokenization drift')}>
      <h3>
        {driftCount === 1
          ? l10n.t('One reply came back with other tokens')
          : l10n.t('{0} replies came back with other tokens', count(driftCount))}
      </h3>
      <p class="muted">
        {l10n.t(
          "The chat template tokenizes a reply differently than the model generated it. Merging keeps the model's tokens.",
        )}
      </p>
      <ul>
        {drifts.map((drift) => (
          <li key={`${drift.call} ${drift.again} ${drift.message}`}>
            <Drift episode={episode} drift={drift} />
          </li>
        ))}
      </ul>
      {driftCount > drifts.length && (
        <p class="muted">{l10n.t('and {0} more', count(driftCount - drifts.length))}</p>
      )}
    </section>
  );
}

function Drift({ episode, drift }: { readonly episode: number; readonly drift: DriftView }) {
  const { call, again, message, differences, differenceCount } = drift;
  return (
    <details class="fork">
      <summary>{l10n.t('The reply of call {0}, message {1} of call {2}', call, message, again)}</summary>
      <p>
        {[call, again].map((one) => (
          <RouteLink key={one} to={callRoute(episode, one)}>
            {l10n.t('Call {0}', one)}
          </RouteLink>
        ))}
      </p>
      {differences.map((difference) => (
        <Difference key={difference.made.from} difference={difference} />
      ))}
      {differenceCount > differences.length && (
        <p class="muted">{l10n.t('and {0} more', count(differenceCount - differences.length))}</p>
      )}
    </details>
  );
}

function Difference({ difference: { sameText, made, templated } }: { readonly difference: DriftDifference }) {
  return (
    <dl class="fork-sides">
      <dt>{l10n.t('Model')}</dt>
      <dd>
        <TokenChips run={made} from={made.from} />
      </dd>
      <dt>{l10n.t('Chat template')}</dt>
      <dd>
        <TokenChips run={templated} from={templated.from} />
        <p class="muted">
          {sameText ? l10n.t('The text is the same, the tokens differ.') : l10n.t('The text differs, too.')}
        </p>
      </dd>
    </dl>
  );
}
