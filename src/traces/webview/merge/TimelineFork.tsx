import * as l10n from '@vscode/l10n';
import { useState } from 'preact/hooks';
import type { MergeSetting } from '../../core/protocol/mergingRpc.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { Failure, Loading } from '../../../base/webview/ui/Notices.tsx';
import { ForkDetail } from './ForkDetail.tsx';

interface Props {
  readonly episode: number;
  readonly timeline: number;
  /** Null: the run's own. */
  readonly setting: MergeSetting | null;
}

/**
 * Explains on demand why a timeline is separate, because this reads the whole episode. The first timeline has no
 * explanation.
 */
export function TimelineFork({ episode, timeline, setting }: Props) {
  const [open, setOpen] = useState(false);
  if (timeline === 0) return null;
  return (
    <div class="timeline-fork">
      <button type="button" class="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {l10n.t('Why it is a separate timeline')}
      </button>
      {open && <Answered episode={episode} timeline={timeline} setting={setting} />}
    </div>
  );
}

function Answered({ episode, timeline, setting }: Props) {
  const { trace } = useViewer();
  const { value, error, retry } = useAnswer('merging', { trace, episode, setting });
  const fork = value?.forks.find((one) => one.timeline === timeline);
  if (error) return <Failure report={error} retry={retry} />;
  if (value === undefined) return <Loading>{l10n.t('Loading the merging of calls…')}</Loading>;
  if (fork === undefined) return <p class="muted">{l10n.t('The trace does not have the reason.')}</p>;
  return <ForkDetail episode={episode} fork={fork} />;
}
