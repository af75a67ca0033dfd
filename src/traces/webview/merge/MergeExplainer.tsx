import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { MergeSetting, MergingView } from '../../core/protocol/mergingRpc.ts';
import { usePersistentState } from '../state/persistentState.ts';
import { formatSetting, parseSetting } from '../state/route.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { count } from '../../../base/core/format.ts';
import { Failure, Loading, Note } from '../../../base/webview/ui/Notices.tsx';
import { DriftList } from './DriftList.tsx';
import { MergeTree } from './MergeTree.tsx';
import { SettingTable } from './SettingTable.tsx';

/** Explains how an episode's calls became its timelines, and what they would become with other settings. */
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
