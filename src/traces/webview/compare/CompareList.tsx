import * as l10n from '@vscode/l10n';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { CompareSide, CompareView } from '../../core/protocol/tokenRpc.ts';
import type { TokenRange } from '../detail/tokenRange.ts';
import type { CompareRoute } from '../state/route.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { useViewer } from '../state/viewer.ts';
import { count } from '../../../base/core/format.ts';
import { Failure } from '../../../base/webview/ui/Notices.tsx';
import { MeasuredItems } from '../../../base/webview/ui/MeasuredItems.tsx';
import { useVirtualizer } from '../../../base/webview/ui/useVirtualizer.ts';
import { FirstDifference } from './FirstDifference.tsx';
import { compareBlocks, compareItems, differencesOf, type CompareBlock } from './compareItems.ts';
import { ComparedItem } from './ComparedItem.tsx';
import { TokenPages } from './tokenPages.ts';

/** In pixels, until the real heights are measured. */
const headingHeight = 34;
const pieceHeight = 80;

interface Props {
  readonly route: CompareRoute;
  readonly view: CompareView;
  readonly onSwap: () => void;
}

/** The messages of both sides in rows. For changed messages, the tokens in view are shown, too. */
export function CompareList({ route, view, onSwap }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const items = useMemo(() => compareBlocks(compareItems(view.rows)), [view]);
  const differences = useMemo(() => differencesOf(items), [items]);
  const [at, setAt] = useState(-1);
  const left = usePages(view.left, route.trace);
  const right = usePages(view.right, route.otherTrace);
  const virtualizer = useItems(list, items);
  const { range } = virtualizer;
  const divergence = view.divergence?.token ?? null;
  useEffect(() => {
    const shown = items.slice(range?.startIndex ?? 0, (range?.endIndex ?? 0) + 1);
    left.want(shown.flatMap((item) => rangeOf(item, 'left')));
    right.want(shown.flatMap((item) => rangeOf(item, 'right')));
  });
  const go = (difference: number) => {
    const item = differences[difference];
    if (item === undefined) return;
    setAt(difference);
    virtualizer.scrollToIndex(item, { align: 'center' });
  };
  const step = (direction: 1 | -1) => {
    const next = at < 0 ? 0 : at + direction;
    go(Math.max(0, Math.min(next, differences.length - 1)));
  };
  // Starts at the first difference.
  useEffect(() => go(0), []);
  useShortcuts(l10n.t('Comparison'), [
    { keys: ['n'], what: l10n.t('Next difference'), run: () => step(1) },
    { keys: ['p'], what: l10n.t('Previous difference'), run: () => step(-1) },
    { keys: ['s'], what: l10n.t('Swap sides'), run: onSwap },
  ]);
  return (
    <>
      <div class="compare-tools">
        <FirstDifference route={route} view={view} onShow={() => go(0)} />
        <Steps at={at} count={differences.length} onStep={step} />
      </div>
      {left.error && <Failure report={left.error} retry={() => left.retry()} />}
      {right.error && <Failure report={right.error} retry={() => right.retry()} />}
      <div
        class="compare-list"
        role="region"
        aria-label={l10n.t('Messages side by side')}
        tabIndex={0}
        ref={list}
      >
        <MeasuredItems
          virtualizer={virtualizer}
          classOf={(index) => `compare-item ${index === differences[at] ? 'current' : ''}`}
        >
          {(index) => <ComparedItem item={items[index]} left={left} right={right} divergence={divergence} />}
        </MeasuredItems>
      </div>
    </>
  );
}

interface StepsProps {
  /** The current difference; -1: none. */
  readonly at: number;
  readonly count: number;
  readonly onStep: (direction: 1 | -1) => void;
}

function Steps({ at, count: all, onStep }: StepsProps) {
  return (
    <span class="compare-steps">
      <span role="status">
        {all === 0
          ? l10n.t('No difference')
          : l10n.t('Difference {0} of {1}', count(Math.max(at, 0) + 1), count(all))}
      </span>
      <button type="button" disabled={at <= 0} onClick={() => onStep(-1)}>
        {l10n.t('Previous')}
      </button>
      <button type="button" disabled={at >= all - 1} onClick={() => onStep(1)}>
        {l10n.t('Next')}
      </button>
    </span>
  );
}

function rangeOf(item: CompareBlock, side: 'left' | 'right'): readonly TokenRange[] {
  return item.kind === 'block' ? item.pieces.map((piece) => piece[side]) : [];
}

function usePages({ row: { episode }, timeline }: CompareSide, other: string | null): TokenPages {
  const { client, trace: own } = useViewer();
  const trace = other ?? own;
  const [, redraw] = useState({});
  const pages = useMemo(
    () =>
      new TokenPages(
        (from, limit) => client.ask('tokens', { trace, episode, timeline: timeline ?? 0, from, limit }),
        () => redraw({}),
      ),
    [],
  );
  useEffect(() => () => pages.dispose(), []);
  return pages;
}

function useItems(list: RefObject<HTMLDivElement | null>, items: readonly CompareBlock[]) {
  return useVirtualizer<HTMLDivElement>({
    count: items.length,
    getScrollElement: () => list.current,
    estimateSize: (index) => {
      const kind = items[index]?.kind;
      return kind === 'row' || kind === 'gap' ? headingHeight : pieceHeight;
    },
    getItemKey: (index) => index,
    overscan: 3,
    alwaysDrawn: -1,
  });
}
