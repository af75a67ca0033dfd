import * as l10n from '@vscode/l10n';
import type { MessageView, TimelineView } from '../../core/protocol/episodeRpc.ts';
import { ConversationView } from '../message/ConversationView.tsx';
import { timelineRoute } from '../state/route.ts';
import { useRecorded } from '../state/missingRecords.ts';
import { useViewer } from '../state/viewer.ts';
import { count } from '../../../base/core/format.ts';
import { keyOf, type TimelineOf } from './timelineOf.ts';

interface Props {
  readonly of: TimelineOf;
  readonly timeline: TimelineView;
  readonly message: number | 'newest';
}

/** A timeline as messages, with their authors and the number of trained tokens. */
export function TimelineConversation({ of, timeline: { messages }, message }: Props) {
  const { navigate } = useViewer();
  const recorded = useRecorded();
  const { episode, timeline, setting = null } = of;
  const toTokens = ({ firstToken }: MessageView): void =>
    navigate(timelineRoute(episode, timeline, firstToken, { setting }));
  const trained = messages.filter(({ trainableTokens }) => trainableTokens > 0).length;
  return (
    <ConversationView
      key={keyOf(of)}
      source={{ episode, conversation: { kind: 'timeline', timeline, ...(setting !== null && { setting }) } }}
      title={
        messages.length === 1
          ? l10n.t('1 message, {0} with trained tokens', count(trained))
          : l10n.t('{0} messages, {1} with trained tokens', count(messages.length), count(trained))
      }
      messages={messages}
      {...(message !== 'newest' && { start: message })}
      onTokens={recorded('tokens') ? toTokens : undefined}
    />
  );
}
