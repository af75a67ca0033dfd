import * as l10n from '@vscode/l10n';
import { Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ExcludedMessage, MessageView } from '../../core/protocol/episodeRpc.ts';
import { groupBy } from '../../../tracking/core/groupBy.ts';
import { ExcludedCard } from '../message/ExcludedCard.tsx';
import { count } from '../../../base/core/format.ts';
import { Pager } from '../ui/Pager.tsx';
import { MessageCard, type CardProps } from './MessageCard.tsx';

const pageLength = 50;

export function lastPage(total: number): number {
  return Math.max(total - pageLength, 0);
}

/** Returns the start of the page with a message. The current page is preferred. */
export function pageOf(message: number, from: number, total: number): number {
  if (message >= from && message < from + pageLength) return from;
  return Math.max(0, Math.min(message - Math.floor(pageLength / 2), lastPage(total)));
}

interface Props {
  readonly messages: readonly MessageView[];
  readonly from: number;
  readonly onMove: (from: number) => void;
  readonly card: Omit<CardProps, 'message'>;
  readonly excluded: readonly ExcludedMessage[];
}

export function MessagePages({ messages, from: chosen, onMove, card, excluded }: Props) {
  const before = useMemo(() => groupBy(excluded, (one) => one.before), [excluded]);
  const last = lastPage(messages.length);
  const from = Math.min(chosen, last);
  return (
    <>
      {last > 0 && <MessagePager from={from} total={messages.length} onMove={onMove} />}
      {messages.slice(from, from + pageLength).map((message) => (
        <Fragment key={message.index}>
          <ExcludedCards messages={before.get(message.index)} />
          <MessageCard {...card} message={message} />
        </Fragment>
      ))}
      {from === last && <ExcludedCards messages={before.get(messages.length)} />}
    </>
  );
}

function ExcludedCards({ messages = [] }: { readonly messages: readonly ExcludedMessage[] | undefined }) {
  return (
    <>
      {messages.map((message, index) => (
        <ExcludedCard key={index} message={message} />
      ))}
    </>
  );
}

interface PagerProps {
  readonly from: number;
  readonly total: number;
  readonly onMove: (from: number) => void;
}

function MessagePager({ from, total, onMove }: PagerProps) {
  const end = Math.min(from + pageLength, total);
  const earlier = Math.min(from, pageLength);
  const later = Math.min(total - end, pageLength);
  return (
    <Pager
      class="pager"
      label={l10n.t('Messages shown')}
      text={l10n.t('{0} to {1} of {2}', count(from + 1), count(end), count(total))}
      from={from}
      last={lastPage(total)}
      step={pageLength}
      earlier={{ text: l10n.t('{0} earlier', earlier), label: l10n.t('Show {0} earlier messages', earlier) }}
      later={{ text: l10n.t('{0} later', later), label: l10n.t('Show {0} later messages', later) }}
      onMove={onMove}
    />
  );
}
