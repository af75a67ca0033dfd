import * as l10n from '@vscode/l10n';
import type { RunView } from '../../core/protocol/runRpc.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useViewer } from '../state/viewer.ts';
import { count } from '../../../base/core/format.ts';
import { Icon } from '../../../base/webview/ui/Icon.tsx';

/** A toggle that follows the newest episode of an active run. When off, it shows the number of new ones. */
export function FollowLatest({ run }: { readonly run: RunView }) {
  return run.live ? <Toggle started={run.totals.started} /> : null;
}

function Toggle({ started }: { readonly started: number }) {
  const { follow } = useViewer();
  const news = follow.on ? 0 : Math.max(0, started - (follow.seen ?? started));
  const press = () => follow.set(!follow.on);
  useShortcuts(l10n.t('Run'), [
    { keys: ['l'], what: l10n.t('Follow the latest episode, or stop following'), run: press },
  ]);
  return (
    <button
      type="button"
      class="follow"
      aria-pressed={follow.on}
      title={
        follow.on
          ? l10n.t('The newest episode stays in view until you scroll or select another.')
          : l10n.t('Keep the newest episode in view')
      }
      onClick={press}
    >
      <Icon name="latest" /> {l10n.t('Follow latest')}{' '}
      {news > 0 && <span class="follow-news">{l10n.t('{0} new', count(news))}</span>}
    </button>
  );
}
