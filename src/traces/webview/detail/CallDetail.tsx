import * as l10n from '@vscode/l10n';
import { useRef } from 'preact/hooks';
import { largestWindow } from '../../core/protocol/traceRpc.ts';
import type { CallView } from '../../core/protocol/episodeRpc.ts';
import { ConversationView } from '../message/ConversationView.tsx';
import { timelineRoute } from '../state/route.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { count, duration, fileName, moment, prettyJson } from '../../../base/core/format.ts';
import { RouteLink } from '../ui/RouteLink.tsx';
import { GoToSource } from '../ui/GoToSource.tsx';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { Failure, Loading, Note } from '../../../base/webview/ui/Notices.tsx';
import { Stat } from '../../../base/webview/ui/Stat.tsx';

export function CallDetail({ episode, call: number }: { readonly episode: number; readonly call: number }) {
  const { trace } = useViewer();
  const { value: call, error, retry } = useAnswer('call', { trace, episode, call: number });
  return (
    // Another call starts at its top, with its own expanded parts.
    <section key={number} class="detail" aria-label={l10n.t('Call {0}', number)}>
      {error && <Failure report={error} retry={retry} />}
      {call === undefined && !error && <Loading>{l10n.t('Loading call {0}…', number)}</Loading>}
      {call && <CallBody episode={episode} call={call} />}
    </section>
  );
}

function CallBody({ episode, call }: { readonly episode: number; readonly call: CallView }) {
  const { trace } = useViewer();
  const reply = useRef<HTMLHeadingElement>(null);
  const excluded = useAnswer('excluded', { trace, episode, call: call.row.call });
  const { row, messages } = call;
  return (
    <>
      <CallHeader episode={episode} call={call} onReply={() => reply.current?.scrollIntoView()} />
      {row.error !== null && (
        <Note kind="warning">{l10n.t('The client received status {0}: {1}', row.status, row.error)}</Note>
      )}
      <Json title={l10n.t('Options')} json={call.options} />
      {call.tools !== null && <Json title={l10n.t('Tools')} json={call.tools} />}
      {excluded.error && <Failure report={excluded.error} retry={excluded.retry} />}
      <ConversationView
        source={{ episode, conversation: { kind: 'call', call: row.call } }}
        title={
          messages.length === 1
            ? l10n.t('Request, 1 message')
            : l10n.t('Request, {0} messages', count(messages.length))
        }
        messages={messages}
        {...(excluded.value && { excluded: excluded.value })}
        reply={{ message: call.reply, missing: missingReply(row.error), heading: reply }}
      />
    </>
  );
}

function missingReply(error: string | null): string {
  return error === null
    ? l10n.t('Not recorded, because the call is not tracked.')
    : l10n.t('None, because the call was not answered.');
}

interface HeaderProps {
  readonly episode: number;
  readonly call: CallView;
  readonly onReply: () => void;
}

function CallHeader({ episode, call: { row, source }, onReply }: HeaderProps) {
  const { timeline } = row;
  return (
    <div class="detail-header">
      <div class="title-line">
        <h2>{l10n.t('Call {0}', row.call)}</h2>
        <span class="muted">{row.agent}</span>
        {row.tag !== '' && <span class="badge">{row.tag}</span>}
        <button type="button" class="link" onClick={onReply}>
          {l10n.t('Go to the reply')} <Icon name="down" />
        </button>
        {source && (
          <GoToSource
            key={row.call}
            episode={episode}
            of={{ kind: 'call', call: row.call }}
            label={`${fileName(source.file)}:${source.line}`}
            what={l10n.t('{0}, the source of call {1}', `${fileName(source.file)}:${source.line}`, row.call)}
            shortcut="s"
          />
        )}
        {timeline === null ? (
          <span class="muted">{l10n.t('in no timeline')}</span>
        ) : (
          <RouteLink to={timelineRoute(episode, timeline)}>
            {l10n.t('Timeline {0}', timeline)} <Icon name="chevron" />
          </RouteLink>
        )}
      </div>
      <dl class="stats foldable">
        <Stat name={l10n.t('Status')}>{row.status}</Stat>
        <Stat name={l10n.t('Time')}>{duration(row.seconds)}</Stat>
        {row.askedAfter !== null && <Stat name={l10n.t('Before the model')}>{duration(row.askedAfter)}</Stat>}
        {row.firstAfter !== null && (
          <Stat name={l10n.t('First token')}>{duration(row.firstAfter - (row.askedAfter ?? 0))}</Stat>
        )}
        <Stat name={l10n.t('Prompt')} note={l10n.t('tokens')}>
          {count(row.promptTokens)}
        </Stat>
        <Stat name={l10n.t('Reply')} note={l10n.t('tokens')}>
          {count(row.replyTokens)}
        </Stat>
        <Stat name={l10n.t('Finish')}>{row.finishReason ?? l10n.t('none')}</Stat>
        <Stat name={l10n.t('Started')}>{moment(row.startedAt)}</Stat>
      </dl>
    </div>
  );
}

function Json({ title, json }: { readonly title: string; readonly json: string }) {
  return (
    <details class="json">
      <summary>{title}</summary>
      <pre>{prettyJson(json)}</pre>
      {json.length >= largestWindow.json - 1 && (
        <p class="muted">{l10n.t('Only the first {0} characters are shown.', count(json.length))}</p>
      )}
    </details>
  );
}
