import * as l10n from '@vscode/l10n';
import type { ForkSideView, ForkView } from '../../core/protocol/mergingRpc.ts';
import { PlainText } from '../message/PlainText.tsx';
import { callRoute } from '../state/route.ts';
import { RouteLink } from '../ui/RouteLink.tsx';
import { TokenChips } from './TokenChips.tsx';

export function ForkDetail({ episode, fork }: { readonly episode: number; readonly fork: ForkView }) {
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
  return (
    <>
      <dt>
        <RouteLink to={callRoute(episode, call)}>{l10n.t('Call {0}', call)}</RouteLink>
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

function causeOf({ cause, message, earlierCall, before, now }: ForkView): string {
  const role = now?.role ?? before?.role ?? '';
  const causes: Readonly<Record<ForkView['cause'], string>> = {
    agents: l10n.t(
      'The call is from another agent than call {0}, or has another system prompt.',
      earlierCall,
    ),
    content: l10n.t('Message {0} ({1}) differs from that of call {2}.', message, role, earlierCall),
    reply: l10n.t('The request of call {0} was sent again, and the reply was different.', earlierCall),
    fields: l10n.t(
      'Message {0} ({1}) has the text of call {2}, but another role or other tool calls. Only the level token compares these.',
      message,
      role,
      earlierCall,
    ),
    tools: l10n.t('Other tools are offered than in call {0}.', earlierCall),
    retokenized: l10n.t(
      'Message {0} ({1}) has the text of call {2} with other tokens.',
      message,
      role,
      earlierCall,
    ),
    shorter: l10n.t(
      'It is the beginning of the conversation of call {0}. Only a later call can continue an earlier one.',
      earlierCall,
    ),
  };
  return causes[cause];
}

function adviceOf({ cause }: ForkView): string | undefined {
  const unchanged = l10n.t('To get one timeline, send the history back unchanged.');
  const byText = l10n.t('timeline_compare_level: text only compares texts.');
  const advice: Readonly<Partial<Record<ForkView['cause'], string>>> = {
    content: unchanged,
    reply: unchanged,
    fields: byText,
    retokenized: byText,
    tools: l10n.t('ignore_tools: true merges them anyway.'),
  };
  return advice[cause];
}
