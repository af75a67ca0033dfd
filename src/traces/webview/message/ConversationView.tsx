import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ExcludedMessage, MessageView } from '../../core/protocol/episodeRpc.ts';
import { MessageCard, type CardProps, type TextMode } from '../detail/MessageCard.tsx';
import { lastPage, MessagePages, pageOf } from '../detail/MessagePages.tsx';
import { useShortcuts } from '../state/shortcuts.ts';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { FindBar, foundOf, noSearch, type Search } from './FindBar.tsx';
import type { MessageSource } from './LongText.tsx';
import { linkToolCalls } from './toolCalls.ts';

interface Props {
  readonly source: MessageSource;
  readonly title: string;
  readonly messages: readonly MessageView[];
  readonly excluded?: readonly ExcludedMessage[];
  /** The reply, under a separate heading; undefined: the conversation does not belong to a call. */
  readonly reply?: Reply;
  /** The message to start at; absent: the newest. */
  readonly start?: number;
  /** Goes to the tokens of a message; absent: they are not available. */
  readonly onTokens?: ((message: MessageView) => void) | undefined;
}

const none: readonly ExcludedMessage[] = [];

interface Reply {
  readonly message: MessageView | null;
  readonly missing: string;
  readonly heading: RefObject<HTMLHeadingElement | null>;
}

export function ConversationView(props: Props) {
  const { source, title, messages, excluded = none, reply, start, onTokens } = props;
  const own = useRef<HTMLDivElement>(null);
  const [reading, setReading] = useState<TextMode>('markdown');
  const [search, setSearch] = useState<Search>();
  const [from, setFrom] = useState(
    pageOf(start ?? messages.length - 1, lastPage(messages.length), messages.length),
  );
  const [target, setTarget] = useState(start === undefined ? undefined : { message: start });
  const [active, setActive] = useState<number>();
  const answer = reply?.message ?? null;
  const ties = useMemo(
    () => linkToolCalls(answer === null ? messages : [...messages, answer]),
    [messages, answer],
  );
  const show = (message: number) => {
    if (message < messages.length) setFrom(pageOf(message, from, messages.length));
    setTarget({ message });
  };
  useLayoutEffect(() => {
    const card = target && cardOf(own.current, target.message);
    // A page that loads without the focus must not take it from the user.
    if (document.hasFocus()) card?.focus();
    else card?.scrollIntoView({ block: 'nearest' });
  }, [target]);
  const onSearch = (next: Search) => {
    setSearch(next);
    const found = foundOf(next);
    if (found !== undefined && found.message < messages.length)
      setFrom(pageOf(found.message, from, messages.length));
  };
  const found = search && foundOf(search);
  const card = { source, reading, ties, found, onShow: show, onTokens, active: active ?? from };
  const current = messages[active ?? start ?? from];
  const toTokens = () => current && onTokens?.(current);
  const find = () => setSearch((last) => (last === undefined ? noSearch : undefined));
  const toggle = () => setReading((last) => (last === 'text' ? 'markdown' : 'text'));
  useShortcuts(l10n.t('Conversation'), [
    { keys: ['t'], what: l10n.t('Show all messages as text or rendered'), run: toggle },
    { keys: ['/'], what: l10n.t('Find in all messages'), run: () => setSearch((last) => last ?? noSearch) },
    { keys: ['ArrowDown', 'ArrowUp'], what: l10n.t('Move to another message') },
    ...(onTokens === undefined
      ? []
      : [{ keys: ['m'], what: l10n.t('Tokens of the message'), run: toTokens }]),
  ]);
  return (
    <div
      class="conversation"
      ref={own}
      onKeyDown={(event) => onKey(event, own.current)}
      onFocusCapture={({ target: focused }) => setActive((last) => messageOf(focused) ?? last)}
    >
      <Bar {...{ title, reading, isSearching: search !== undefined }} onToggle={toggle} onFind={find} />
      {search && (
        <FindBar source={source} search={search} onSearch={onSearch} onClose={() => setSearch(undefined)} />
      )}
      <MessagePages {...{ messages, from, card, excluded }} onMove={setFrom} />
      {reply && <ReplySection {...reply} card={card} />}
    </div>
  );
}

interface ReplyProps extends Reply {
  readonly card: Omit<CardProps, 'message'>;
}

function ReplySection({ message, missing, heading, card }: ReplyProps) {
  return (
    <>
      <h3 ref={heading}>{l10n.t('Reply')}</h3>
      {message === null ? <p class="muted">{missing}</p> : <MessageCard {...card} message={message} />}
    </>
  );
}

interface BarProps {
  readonly title: string;
  readonly reading: TextMode;
  readonly isSearching: boolean;
  readonly onToggle: () => void;
  readonly onFind: () => void;
}

function Bar({ title, reading, isSearching, onToggle, onFind }: BarProps) {
  return (
    <div class="conversation-bar" role="toolbar" aria-label={l10n.t('Conversation')}>
      <h3>{title}</h3>
      <button
        type="button"
        aria-pressed={reading === 'text'}
        title={l10n.t('Show all messages as text (T)')}
        onClick={onToggle}
      >
        {l10n.t('All as text')}
      </button>
      <button
        type="button"
        aria-expanded={isSearching}
        title={l10n.t('Find in all messages (/)')}
        onClick={onFind}
      >
        <Icon name="search" /> {l10n.t('Find')}
      </button>
    </div>
  );
}

function onKey(event: KeyboardEvent, own: HTMLElement | null): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  const cards = [...(own?.querySelectorAll<HTMLElement>('[data-message]') ?? [])];
  const at = cards.findIndex((card) => card === event.target);
  if (at < 0) return;
  cards[Math.max(0, Math.min(at + by, cards.length - 1))]?.focus();
  event.preventDefault();
}

function messageOf(node: EventTarget | null): number | undefined {
  const card = node instanceof HTMLElement ? node.closest<HTMLElement>('[data-message]') : null;
  return card === null ? undefined : Number(card.dataset['message']);
}

function cardOf(own: HTMLElement | null, message: number): HTMLElement | null {
  return own?.querySelector<HTMLElement>(`[data-message="${message}"]`) ?? null;
}
