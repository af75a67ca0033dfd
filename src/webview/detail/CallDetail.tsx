import { useRef } from 'preact/hooks';
import type { CallView } from '../../protocol/traceRpc.ts';
import { timelinePlace } from '../state/place.ts';
import { useAnswer, useViewer } from '../state/viewer.ts';
import { count, counted, duration, moment, prettyJson } from '../ui/format.ts';
import { Icon } from '../ui/Icon.tsx';
import { Failure, Loading, Note } from '../ui/Notices.tsx';
import { Stat } from '../ui/Stat.tsx';
import { MessageCard } from './MessageCard.tsx';
import { MessagePages } from './MessagePages.tsx';

interface Props {
  readonly episode: number;
  readonly call: number;
}

/** One call: what was asked, with which options and tools, and what came back. */
export function CallDetail({ episode, call: number }: Props) {
  const { trace } = useViewer();
  const { value: call, error, retry } = useAnswer('call', { trace, episode, call: number });
  return (
    // Another call starts at its top, with its own parts open.
    <section key={number} class="detail" aria-label={`Call ${number}`}>
      {error && <Failure report={error} retry={retry} />}
      {call === undefined && !error && <Loading what={`call ${number}`} />}
      {call && <CallBody episode={episode} call={call} />}
    </section>
  );
}

function CallBody({ episode, call }: { readonly episode: number; readonly call: CallView }) {
  const reply = useRef<HTMLHeadingElement>(null);
  const { row, messages } = call;
  return (
    <>
      <CallHeader episode={episode} call={call} onReply={() => reply.current?.scrollIntoView()} />
      {row.error !== null && (
        <Note kind="warning">
          The client got status {row.status}: {row.error}
        </Note>
      )}
      <Json title="Options" json={call.options} />
      {call.tools !== null && <Json title="Tools" json={call.tools} />}
      <h3>Request, {counted(messages.length, 'message')}</h3>
      <MessagePages messages={messages} />
      <h3 ref={reply}>Reply</h3>
      {call.reply ? (
        <MessageCard message={call.reply} />
      ) : (
        <p class="muted">
          {row.error === null ? 'Not kept: the call is not tracked.' : 'None: the call was not answered.'}
        </p>
      )}
    </>
  );
}

interface HeaderProps {
  readonly episode: number;
  readonly call: CallView;
  readonly onReply: () => void;
}

function CallHeader({ episode, call: { row }, onReply }: HeaderProps) {
  const { go } = useViewer();
  const { timeline } = row;
  return (
    <div class="detail-header">
      <div class="title-line">
        <h2>Call {row.call}</h2>
        <span class="muted">{row.agent}</span>
        {row.tag !== '' && <span class="badge">{row.tag}</span>}
        <button type="button" class="link" onClick={onReply}>
          To the reply <Icon name="down" />
        </button>
        {timeline === null ? (
          <span class="muted">in no timeline</span>
        ) : (
          <button type="button" class="link" onClick={() => go(timelinePlace(episode, timeline))}>
            Timeline {timeline} <Icon name="chevron" />
          </button>
        )}
      </div>
      <dl class="stats foldable">
        <Stat name="Status">{row.status}</Stat>
        <Stat name="Time">{duration(row.seconds)}</Stat>
        <Stat name="Prompt" note="tokens">
          {count(row.promptTokens)}
        </Stat>
        <Stat name="Reply" note="tokens">
          {count(row.replyTokens)}
        </Stat>
        <Stat name="Finish">{row.finishReason ?? 'none'}</Stat>
        <Stat name="Started">{moment(row.startedAt)}</Stat>
      </dl>
    </div>
  );
}

function Json({ title, json }: { readonly title: string; readonly json: string }) {
  return (
    <details class="json">
      <summary>{title}</summary>
      <pre>{prettyJson(json)}</pre>
    </details>
  );
}
