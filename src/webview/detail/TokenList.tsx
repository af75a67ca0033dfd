import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { largestWindow, type MessageView, type TokensView } from '../../protocol/traceRpc.ts';
import { useViewer, useWindow, type Windowed } from '../state/viewer.ts';
import type { Slice } from '../state/windowBuffer.ts';
import { Failure } from '../ui/Notices.tsx';
import { useVirtualizer } from '../ui/useVirtualizer.ts';
import { MessageHeading } from './MessageCard.tsx';
import { TimelineMap } from './TimelineMap.tsx';
import { TokenChunk, tokenId } from './TokenChunk.tsx';
import { chunkTokens, itemOfToken, tokenItems, type TokenItem } from './tokenLayout.ts';
import { tokenAfterKey } from './tokenMoves.ts';
import { TokenTooltip, tokenOf, tooltipId } from './TokenTooltip.tsx';
import { useFollower } from './useFollower.ts';

/** Pixels, until the real heights are measured. */
const headingHeight = 40;
const chunkHeight = 130;

interface TokenSlice extends Slice {
  readonly view: TokensView;
}

interface Props {
  readonly episode: number;
  readonly timeline: number;
  readonly messages: readonly MessageView[];
}

/** A timeline's tokens below the headings of their messages. Only those near the visible ones are held and drawn. */
export function TokenList({ episode, timeline, messages }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<number | null>(null);
  const [hasFocus, setHasFocus] = useState(false);
  const items = useMemo(() => tokenItems(messages), [messages]);
  const tokens = useTokens(episode, timeline);
  const virtualizer = useTokenVirtualizer(scroller, items, active);
  const { range } = virtualizer;
  const first = items[range?.startIndex ?? 0]?.from ?? 0;
  const end = items[range?.endIndex ?? 0]?.end ?? 0;
  useEffect(() => {
    if (end > first) tokens.want(first, end);
  });

  const show = (token: number, align: 'auto' | 'start') =>
    virtualizer.scrollToIndex(itemOfToken(items, token), { align });
  const follower = useFollower();
  const onKeyDown = (event: KeyboardEvent) => {
    follower.release();
    const target = tokenAfterKey(event.key, active ?? first, (items.at(-1)?.end ?? 0) - 1);
    if (target === undefined) return;
    event.preventDefault();
    setActive(target);
    follower.follow(target, (token) => show(token, 'auto'));
  };
  const onFocus = () => {
    setHasFocus(true);
    setActive((token) => token ?? first);
  };
  const onPick = (token: number) => {
    follower.release();
    show(token, 'start');
  };
  const view = tokens.slice?.view;
  return (
    <>
      {tokens.error && <Failure report={tokens.error} retry={tokens.retry} />}
      <TimelineMap messages={messages} shown={{ first, end }} onPick={onPick} />
      <div
        class="tokens"
        role="listbox"
        aria-label="Tokens"
        aria-activedescendant={active === null ? undefined : tokenId(active)}
        aria-describedby={hasFocus ? tooltipId : undefined}
        tabIndex={0}
        ref={scroller}
        onKeyDown={onKeyDown}
        onFocus={onFocus}
        onBlur={() => setHasFocus(false)}
        onWheel={() => follower.release()}
        onPointerDown={() => follower.release()}
        onClick={({ target }) => setActive((token) => tokenOf(target) ?? token)}
      >
        <Items virtualizer={virtualizer} items={items} view={view} active={active} />
      </div>
      <TokenTooltip list={scroller} tokens={view} messages={messages} focused={hasFocus ? active : null} />
    </>
  );
}

function useTokens(episode: number, timeline: number): Windowed<TokenSlice> {
  const { client, trace } = useViewer();
  return useWindow<TokenSlice>({
    fetch: async (from, limit) => {
      const view = await client.ask('tokens', { trace, episode, timeline, from, limit });
      return { from: view.from, length: view.ids.length, total: view.total, view };
    },
    largest: largestWindow.tokens,
    smallest: 2_048,
  });
}

function useTokenVirtualizer(
  scroller: RefObject<HTMLDivElement | null>,
  items: readonly TokenItem[],
  active: number | null,
) {
  return useVirtualizer<HTMLDivElement>({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => estimatedHeight(items[index]),
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 3,
    alwaysDrawn: active === null ? -1 : itemOfToken(items, active),
  });
}

/** Not yet fetched tokens keep their place. */
function estimatedHeight(item: TokenItem | undefined): number {
  if (item?.kind !== 'tokens') return headingHeight;
  return Math.ceil((chunkHeight * (item.end - item.from)) / chunkTokens) + 8;
}

interface ItemsProps {
  readonly virtualizer: ReturnType<typeof useTokenVirtualizer>;
  readonly items: readonly TokenItem[];
  readonly view: TokensView | undefined;
  readonly active: number | null;
}

function Items({ virtualizer, items, view, active }: ItemsProps) {
  return (
    <div class="token-items" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => (
        <div
          key={key}
          class="token-item"
          role="presentation"
          data-index={index}
          ref={(element) => virtualizer.measureElement(element)}
          style={{ transform: `translateY(${start}px)` }}
        >
          <Item item={items[index]} view={view} active={active} />
        </div>
      ))}
    </div>
  );
}

interface ItemProps {
  readonly item: TokenItem | undefined;
  readonly view: TokensView | undefined;
  readonly active: number | null;
}

function Item({ item, view, active }: ItemProps) {
  if (item === undefined) return null;
  if (item.kind === 'tokens')
    return <TokenChunk from={item.from} end={item.end} tokens={view} active={active} />;
  return (
    <div class="token-heading">
      <MessageHeading message={item.message} />
    </div>
  );
}
