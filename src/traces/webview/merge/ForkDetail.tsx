import * as l10n from '@vscode/l10n';
import type { ForkSideView, ForkView } from '../../core/protocol/mergingRpc.ts';
import { PlainText } from '../message/PlainText.tsx';
import { callRoute } from '../state/route.ts';
import { useViewer } from '../state/viewer.ts';
import { adviceOf, causeOf } from './causes.ts';
import { TokenChips } from './TokenChips.tsx';

interface Props {
  readonly episode: number;
  readonly fork: ForkView;
}

/** The reason why a timeline is separate, with both sides of the difference. */
export function ForkDetail({ episode, fork }: Props) {
  const { before, now, field, token } = fork;
  const advice = adviceOf(fork);
  return (
    <details class="fork">
      <summary>{causeOf(fork)}</summary>
      {advice !== undefined && <p>{advice}</p>}
      <p class="muted">
        {token === null
          ? l10n.t('First difference: message {0}, {1}.', fork.message, field)
          : l10n.t('First difference: message {0}, {1}, token {2}.', fork.message, field, token)}
      </p>
      <dl class="fork-sides">
        <Side episode={episode} call={fork.earlierCall} side={before} token={token} />
        <Side episode={episode} call={fork.call} side={now} token={token} />
      </dl>
    </details>
  );
}

interface SideProps {
  readonly episode: number;
  readonly call: number;
  readonly side: ForkSideView | null;
  readonly token: number | null;
}

function Side({ episode, call, side, token }: SideProps) {
  const { navigate } = useViewer();
  return (
    <>
      <dt>
        <button type="button" class="link" onClick={() => navigate(callRoute(episode, call))}>
          {l10n.t('Call {0}', call)}
        </button>
        {side !== null && <span class="muted"> {side.role}</span>}
      </dt>
      <dd>
        {side === null && <span class="muted">{l10n.t('This message does not exist here.')}</span>}
        {side !== null && (
          <p class="text-block">
            <PlainText text={side.text} />
          </p>
        )}
        {side !== null && token !== null && <TokenChips run={side.tokens} from={token} />}
      </dd>
    </>
  );
}
