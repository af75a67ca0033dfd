import * as l10n from '@vscode/l10n';
import type { HostState } from '../../core/page/trainingRunRpc.ts';
import { useNow } from '../page.ts';
import { Note } from '../../../base/webview/ui/Notices.tsx';

interface Props {
  readonly host: string;
  readonly state: HostState;
}

/** That a host cannot be heard now: its runs go on. */
export function Connection({ host, state }: Props) {
  const now = useNow(state.kind === 'waiting');
  switch (state.kind) {
    case 'connected':
      return null;
    case 'connecting':
      if (state.attempt <= 1) return null;
      return <Note kind="info">{l10n.t('Connecting to {0} …', host)}</Note>;
    case 'waiting':
      return (
        <div role="status">
          <Note kind="warning">
            <p class="notice-title">{l10n.t('The connection to {0} is lost. Its runs go on.', host)}</p>
            <p>{state.reason}</p>
            <p>{retryText(state.retryAt - now)}</p>
          </Note>
        </div>
      );
    case 'ended':
      return (
        <div role="alert">
          <Note kind="error">
            <p class="notice-title">{l10n.t('There is no connection to {0}. Its runs go on.', host)}</p>
            <p>{state.reason}</p>
          </Note>
        </div>
      );
  }
}

function retryText(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds <= 0 ? l10n.t('It is tried again now.') : l10n.t('It is tried again in {0} s.', seconds);
}
