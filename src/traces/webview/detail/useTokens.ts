import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { largestWindow } from '../../core/protocol/traceRpc.ts';
import type { TimelineView } from '../../core/protocol/episodeRpc.ts';
import type { TokensView, StripView, TokenQuery } from '../../core/protocol/tokenRpc.ts';
import { usePersistentState } from '../state/persistentState.ts';
import { useAnswer, useViewer, useWindow, type Windowed } from '../state/viewer.ts';
import type { Slice } from '../../../base/webview/state/windowBuffer.ts';
import { useVirtualizer } from '../../../base/webview/ui/useVirtualizer.ts';
import { mapStretches } from './TimelineMap.tsx';
import { readLayer, type Layer } from './tokenLayers.ts';
import { chunkTokens, itemOfToken, tokenItems, type TokenItem } from './tokenLayout.ts';
import { keyOf, type TimelineOf } from './timelineOf.ts';
import { useTokenSelection, type TokenSelection } from './useTokenSelection.ts';
import { tokenId } from './TokenChunk.tsx';
import { overlap, type TokenRange } from './tokenRange.ts';
import { Searcher, type Search } from './tokenSearch.ts';

/** Number of frames without a move after which positions are stable. */
const settledAfter = 3;

/**
 * Scrolls a token into view, in the list and on the page. A chunk of tokens may be higher than the list, and on a low
 * page the list itself may be out of view. The follower continues until the token does not move any more, because
 * loading and measuring moves tokens.
 */
class Follower {
  #token: number | null = null;
  #frame: number | undefined;
  #still = 0;

  /** @param show scrolls to the estimated position of a token that is not drawn yet */
  follow(token: number, show: (token: number) => void): void {
    this.release();
    this.#token = token;
    this.#still = 0;
    if (!document.getElementById(tokenId(token))) show(token);
    this.#step();
  }

  /** Stops, because the user scrolls. */
  release(): void {
    this.#token = null;
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }

  #step(): void {
    if (this.#token === null) return;
    const token = document.getElementById(tokenId(this.#token));
    if (token) this.#still = moved(token) ? 0 : this.#still + 1;
    this.#frame = this.#still < settledAfter ? requestAnimationFrame(() => this.#step()) : undefined;
  }
}

/** Scrolls a token into view. Returns true if it moved. */
function moved(token: HTMLElement): boolean {
  const before = token.getBoundingClientRect().top;
  token.scrollIntoView({ block: 'nearest' });
  return token.getBoundingClientRect().top !== before;
}

function useFollower(): Follower {
  const follower = useMemo(() => new Follower(), []);
  useEffect(() => () => follower.release(), []);
  return follower;
}

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

interface TokenSearch {
  readonly search: Search | null;
  /** @param first the token to start at */
  readonly start: (wanted: TokenQuery, first: number) => void;
  readonly step: (direction: 1 | -1) => void;
  readonly clear: () => void;
  /** Returns the matches in a range of tokens, and the current match. */
  readonly near: (
    first: number,
    end: number,
  ) => { readonly found: readonly TokenRange[]; readonly current: TokenRange | null };
}

/** Searches the tokens of a timeline while its list is mounted. */
function useSearcher(of: TimelineOf, onArrive: (match: TokenRange) => void): TokenSearch {
  const { client, trace } = useViewer();
  const [search, setSearch] = useState<Search | null>(null);
  const arrive = useRef(onArrive);
  arrive.current = onArrive;
  const searcher = useMemo(
    () =>
      new Searcher({
        ask: (wanted, from) => client.ask('find', { trace, ...of, wanted, from }),
        onChange: setSearch,
        onArrive: (match) => arrive.current(match),
      }),
    [],
  );
  useEffect(() => () => searcher.clear(), []);
  return {
    search,
    start: (wanted, first) => void searcher.start(wanted, first),
    step: (direction) => searcher.step(direction),
    clear: () => searcher.clear(),
    near: (first, end) => ({
      found: (search?.matches ?? []).filter((match) => overlap(match, { from: first, end }) !== null),
      current: search?.matches[search.at] ?? null,
    }),
  };
}
