import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { largestWindow } from '../../core/protocol/traceRpc.ts';
import type { TimelineView } from '../../core/protocol/episodeRpc.ts';
import type { TokensView, TokenQuery } from '../../core/protocol/tokenRpc.ts';
import { useAnswer, usePersistentState, useViewer, useWindow } from '../state/viewer.ts';
import type { Slice } from '../../../base/webview/state/windowBuffer.ts';
import { useVirtualizer } from '../../../base/webview/ui/useVirtualizer.ts';
import { mapStretches } from './TimelineMap.tsx';
import { readLayer } from './tokenLayers.ts';
import { chunkTokens, itemOfToken, tokenItems, type TokenItem } from './tokenLayout.ts';
import { keyOf, type TimelineOf } from '../state/route.ts';
import { useTokenSelection } from './useTokenSelection.ts';
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

/** In pixels, until the real heights are measured. */
const headingHeight = 40;
const chunkHeight = 130;

interface TokenSlice extends Slice {
  readonly view: TokensView;
}

interface Options {
  readonly of: TimelineOf;
  readonly view: TimelineView;
  readonly token: number | null;
}

export function useTokens({ of, view: timeline, token: wanted }: Options) {
  const { client, trace } = useViewer();
  const { row, messages } = timeline;
  const { tokens: total } = row;
  const list = useRef<HTMLDivElement>(null);
  const [layer, onLayer] = usePersistentState('layer', readLayer);
  const items = useMemo(() => tokenItems(messages), [messages]);
  const window = useWindow<TokenSlice>({
    fetch: async (from, limit) => {
      const view = await client.ask('tokens', { trace, ...of, from, limit });
      return { from: view.from, length: view.ids.length, total: view.total, view };
    },
    largest: largestWindow.tokens,
    smallest: 2_048,
  });
  // The strip needs all tokens. It is loaded only once for an ended episode.
  const strip = useAnswer('strip', { trace, ...of, stretches: mapStretches }, () => !row.provisional);
  const [route, setActive] = usePersistentState(`token ${keyOf(of)}`, readPlace(wanted));
  const active = route !== null && route < total ? route : null;
  const chosen = useTokenSelection({ of, total, loaded: window.slice?.view, list });
  const virtualizer = useTokenVirtualizer(list, items, active);
  const { startIndex = 0, endIndex = 0 } = virtualizer.range ?? {};
  const shown = { first: items[startIndex]?.from ?? 0, end: items[endIndex]?.end ?? 0 };
  useEffect(() => {
    if (shown.end > shown.first) window.want(shown.first, shown.end);
  });
  const show = (token: number, align: 'auto' | 'start') =>
    virtualizer.scrollToIndex(itemOfToken(items, token), { align });
  const follower = useMemo(() => new Follower(), []);
  useEffect(() => () => follower.release(), []);
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
  const view = { items, list, virtualizer, shown, layer, onLayer };
  const here = { active, setActive, go, pick, follower };
  return { total, window, strip: strip.value, chosen, searcher, ...view, ...here };
}

export type Tokens = ReturnType<typeof useTokens>;

/** @param wanted takes precedence over the saved token */
function readPlace(wanted: number | null): (saved: unknown) => number | null {
  return (saved) => {
    if (wanted !== null) return wanted;
    return typeof saved === 'number' && Number.isSafeInteger(saved) && saved >= 0 ? saved : null;
  };
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

function useSearcher(of: TimelineOf, onArrive: (match: TokenRange) => void) {
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
    /** @param first the token to start at */
    start: (wanted: TokenQuery, first: number) => void searcher.start(wanted, first),
    step: (direction: 1 | -1) => searcher.step(direction),
    clear: () => searcher.clear(),
    near: (first: number, end: number) => ({
      found: (search?.matches ?? []).filter((match) => overlap(match, { from: first, end }) !== null),
      current: search?.matches[search.at] ?? null,
    }),
  };
}
