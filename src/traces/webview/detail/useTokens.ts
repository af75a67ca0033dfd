import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { largestWindow } from '../../core/protocol/traceRpc.ts';
import type { TimelineView } from '../../core/protocol/episodeRpc.ts';
import type { TokensView, StripView } from '../../core/protocol/tokenRpc.ts';
import { usePersistentState } from '../state/persistentState.ts';
import { useAnswer, useViewer, useWindow, type Windowed } from '../state/viewer.ts';
import type { Slice } from '../../../base/webview/state/windowBuffer.ts';
import { useVirtualizer } from '../../../base/webview/ui/useVirtualizer.ts';
import { mapStretches } from './TimelineMap.tsx';
import { readLayer, type Layer } from './tokenLayers.ts';
import { chunkTokens, itemOfToken, tokenItems, type TokenItem } from './tokenLayout.ts';
import { keyOf, type TimelineOf } from './timelineOf.ts';
import { useTokenSelection, type TokenSelection } from './useTokenSelection.ts';
import { useFollower } from './useFollower.ts';
import { useSearcher, type TokenSearch } from './useSearcher.ts';

/** In pixels, until the real heights are measured. */
const headingHeight = 40;
const chunkHeight = 130;

interface TokenSlice extends Slice {
  readonly view: TokensView;
}

/** A timeline's tokens and the current position in them. */
export interface Tokens {
  readonly total: number;
  readonly items: readonly TokenItem[];
  readonly window: Windowed<TokenSlice>;
  /** Undefined while it is loading. */
  readonly strip: StripView | undefined;
  readonly list: RefObject<HTMLDivElement | null>;
  readonly virtualizer: ReturnType<typeof useTokenVirtualizer>;
  readonly shown: { readonly first: number; readonly end: number };
  readonly layer: Layer;
  readonly onLayer: (layer: Layer) => void;
  readonly active: number | null;
  readonly setActive: (token: number) => void;
  /** Makes a token the current one, and brings it into view. */
  readonly go: (token: number) => void;
  /** Scrolls a token into view. */
  readonly pick: (token: number) => void;
  readonly chosen: TokenSelection;
  readonly searcher: TokenSearch;
  readonly follower: ReturnType<typeof useFollower>;
}

interface Options {
  readonly of: TimelineOf;
  readonly view: TimelineView;
  readonly token: number | null;
}

export function useTokens({ of, view, token: wanted }: Options): Tokens {
  const { trace } = useViewer();
  const { tokens: total } = view.row;
  const list = useRef<HTMLDivElement>(null);
  const [layer, onLayer] = usePersistentState('layer', readLayer);
  const items = useMemo(() => tokenItems(view.messages), [view.messages]);
  const window = useTokenWindow(of);
  // The strip needs all tokens. It is loaded only once for an ended episode.
  const strip = useAnswer('strip', { trace, ...of, stretches: mapStretches }, () => !view.row.provisional);
  const [route, setActive] = usePersistentState(`token ${keyOf(of)}`, readPlace(wanted));
  const active = route !== null && route < total ? route : null;
  const chosen = useTokenSelection({ of, total, loaded: window.slice?.view, list });
  const virtualizer = useTokenVirtualizer(list, items, active);
  const shown = shownOf(virtualizer, items);
  useEffect(() => {
    if (shown.end > shown.first) window.want(shown.first, shown.end);
  });
  const show = (token: number, align: 'auto' | 'start') =>
    virtualizer.scrollToIndex(itemOfToken(items, token), { align });
  const follower = useFollower();
  const go = (token: number) => {
    setActive(token);
    follower.follow(token, () => show(token, 'auto'));
  };
  const pick = (token: number) => {
    follower.release();
    show(token, 'start');
  };
  useEffect(() => {
    if (active !== null && active > 0) go(active);
  }, []);
  const searcher = useSearcher(of, ({ from }) => go(from));
  const here = { active, setActive, go, pick, follower };
  return {
    total,
    items,
    window,
    strip: strip.value,
    list,
    virtualizer,
    shown,
    layer,
    onLayer,
    chosen,
    searcher,
    ...here,
  };
}

function shownOf(
  { range }: ReturnType<typeof useTokenVirtualizer>,
  items: readonly TokenItem[],
): Tokens['shown'] {
  return { first: items[range?.startIndex ?? 0]?.from ?? 0, end: items[range?.endIndex ?? 0]?.end ?? 0 };
}

/** @param wanted takes precedence over the saved token */
function readPlace(wanted: number | null): (saved: unknown) => number | null {
  return (saved) => {
    if (wanted !== null) return wanted;
    return typeof saved === 'number' && Number.isSafeInteger(saved) && saved >= 0 ? saved : null;
  };
}

function useTokenWindow(of: TimelineOf): Windowed<TokenSlice> {
  const { client, trace } = useViewer();
  return useWindow<TokenSlice>({
    fetch: async (from, limit) => {
      const view = await client.ask('tokens', { trace, ...of, from, limit });
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

/** Tokens that are not loaded yet have an estimated height. */
function estimatedHeight(item: TokenItem | undefined): number {
  if (item?.kind !== 'tokens') return headingHeight;
  return Math.ceil((chunkHeight * (item.end - item.from)) / chunkTokens) + 8;
}
