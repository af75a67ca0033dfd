import * as l10n from '@vscode/l10n';
import { usePage } from '../page.ts';
import { count, moment } from '../../../base/core/format.ts';
import { Empty } from '../../../base/webview/ui/Notices.tsx';
import { phaseText } from '../../core/runs/words.ts';

export function EmptyRun() {
  const { own: run } = usePage();
  const { state, reason, gpus, phase } = run.shown.record;
  const notice = run.notice && <p>{`${moment(run.notice.at)} · ${run.notice.text}`}</p>;
  if (run.isOver) return <Empty title={l10n.t('The run ended before its first step.')}>{notice}</Empty>;
  if (state === 'queued') {
    return (
      <Empty title={queueText(run.shown.ahead, gpus)}>
        <p>{reason ?? l10n.t('It starts automatically as soon as they are free.')}</p>
      </Empty>
    );
  }
  if (state === 'preparing') {
    return (
      <Empty title={l10n.t('The code of the run is being written.')}>
        <p>{reason ?? l10n.t('It starts as soon as all files are written.')}</p>
      </Empty>
    );
  }
  return (
    <Empty title={runningText(phase ?? run.phase?.phase)}>
      <p>{l10n.t('The first metrics appear after the first complete step.')}</p>
      {notice}
    </Empty>
  );
}

function queueText(ahead: number | null, gpus: number): string {
  if (ahead === null)
    return gpus === 1
      ? l10n.t('The run waits for a GPU.')
      : l10n.t('The run waits for {0} GPUs.', count(gpus));
  return ahead === 0
    ? l10n.t('The run is next in the queue and waits for {0} GPUs.', count(gpus))
    : l10n.t('The run is number {0} in the queue and waits for {1} GPUs.', count(ahead + 1), count(gpus));
}

function runningText(phase: string | null | undefined): string {
  return phase === null || phase === undefined
    ? l10n.t('No metrics yet.')
    : l10n.t('No metrics yet: {0}.', phaseText(phase));
}
