import { useState } from 'preact/hooks';
import type { MessageView } from '../../protocol/traceRpc.ts';
import { count } from '../ui/format.ts';
import { Icon } from '../ui/Icon.tsx';
import { MessageCard } from './MessageCard.tsx';

/** Messages that are drawn at once. */
const pageLength = 50;

/** The last messages of a request, the newest at the end, and a way to the earlier ones. */
export function MessagePages({ messages }: { readonly messages: readonly MessageView[] }) {
  const last = Math.max(messages.length - pageLength, 0);
  const [chosen, setFrom] = useState(last);
  const from = Math.min(chosen, last);
  return (
    <>
      {last > 0 && <Pager from={from} total={messages.length} onMove={setFrom} />}
      {messages.slice(from, from + pageLength).map((message) => (
        <MessageCard key={message.index} message={message} />
      ))}
    </>
  );
}

interface PagerProps {
  /** Position of the page's first message. */
  readonly from: number;
  readonly total: number;
  readonly onMove: (from: number) => void;
}

function Pager({ from, total, onMove }: PagerProps) {
  const end = Math.min(from + pageLength, total);
  const earlier = Math.min(from, pageLength);
  const later = Math.min(total - end, pageLength);
  return (
    <div class="pager" role="toolbar" aria-label="Messages shown">
      <span class="pager-text" role="status">
        {count(from + 1)} to {count(end)} of {count(total)}
      </span>
      <button type="button" disabled={earlier === 0} onClick={() => onMove(0)}>
        First
      </button>
      <button
        type="button"
        disabled={earlier === 0}
        aria-label={`Show ${earlier} earlier messages`}
        onClick={() => onMove(from - earlier)}
      >
        <Icon name="up" /> {earlier} earlier
      </button>
      <button
        type="button"
        disabled={later === 0}
        aria-label={`Show ${later} later messages`}
        onClick={() => onMove(from + later)}
      >
        <Icon name="down" /> {later} later
      </button>
      <button type="button" disabled={later === 0} onClick={() => onMove(total - pageLength)}>
        Last
      </button>
    </div>
  );
}
