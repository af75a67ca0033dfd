import type { Virtualizer } from '@tanstack/virtual-core';
import { useEffect, useRef } from 'preact/hooks';
import { largestWindow, type EpisodeRow } from '../../protocol/traceRpc.ts';
import { useViewer, useWindow, type Windowed } from '../state/viewer.ts';
import type { Slice } from '../state/windowBuffer.ts';
import { counted } from '../ui/format.ts';
import { Empty, Failure, Loading } from '../ui/Notices.tsx';
import { useVirtualizer } from '../ui/useVirtualizer.ts';
import { EpisodeRowView, HeaderRow, rowId } from './EpisodeRowView.tsx';

/** Pixels; the style sheet knows them too. */
const rowHeight = 28;
const headerHeight = 28;
const pageRows = 20;

interface EpisodeSlice extends Slice {
  readonly rows: readonly EpisodeRow[];
}

interface Props {
  /** Position of the current row, kept by the caller across visits. */
  readonly active: number;
  readonly onActive: (position: number) => void;
  /** Numbers of the episodes to mark. */
  readonly marked: ReadonlySet<number>;
  readonly onOpen: (episode: number) => void;
}

/** All episodes of the run, of which those near the visible ones are held. */
export function EpisodeTable(props: Props) {
  const { client, trace } = useViewer();
  const episodes = useWindow<EpisodeSlice>({
    fetch: async (from, limit) => {
      const { rows, total } = await client.ask('episodes', { trace, from, limit });
      return { from, length: rows.length, total, rows };
    },
    largest: largestWindow.episodes,
    smallest: 128,
  });
  useEffect(() => episodes.want(props.active, props.active + 1), []);

  if (episodes.slice === undefined) {
    if (episodes.error) return <Failure report={episodes.error} retry={episodes.retry} />;
    return <Loading what="episodes" />;
  }
  if (episodes.slice.total === 0)
    return <Empty title="No episode has started yet.">They appear here as they start.</Empty>;
  return (
    <>
      {episodes.error && <Failure report={episodes.error} retry={episodes.retry} />}
      <Grid {...props} episodes={episodes} slice={episodes.slice} />
    </>
  );
}

interface GridProps extends Props {
  readonly episodes: Windowed<EpisodeSlice>;
  readonly slice: EpisodeSlice;
}

function Grid({ active, onActive, marked, onOpen, episodes, slice }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const current = Math.min(active, slice.total - 1);
  const virtualizer = useVirtualizer<HTMLDivElement>({
    count: slice.total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    scrollMargin: headerHeight,
    scrollPaddingStart: headerHeight,
    overscan: 8,
    alwaysDrawn: current,
  });
  const range = virtualizer.range;
  useEffect(() => {
    if (range) episodes.want(range.startIndex, range.endIndex + 1);
  });
  useEffect(() => virtualizer.scrollToIndex(current, { align: 'auto' }), [current]);

  const rowAt = (position: number) => slice.rows[position - slice.from];
  const open = (position: number) => {
    onActive(position);
    const row = rowAt(position);
    if (row) onOpen(row.episode);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      open(current);
      return;
    }
    const target = targetOf(event.key, current, slice.total - 1);
    if (target === undefined) return;
    event.preventDefault();
    onActive(target);
  };
  return (
    <div
      class="grid"
      role="grid"
      aria-label={counted(slice.total, 'episode')}
      aria-rowcount={slice.total + 1}
      aria-multiselectable="true"
      aria-activedescendant={rowId(current)}
      tabIndex={0}
      ref={scroller}
      onKeyDown={onKeyDown}
    >
      <HeaderRow />
      <Rows virtualizer={virtualizer} rowAt={rowAt} current={current} marked={marked} onOpen={open} />
    </div>
  );
}

interface RowsProps {
  readonly virtualizer: Virtualizer<HTMLElement, HTMLDivElement>;
  readonly rowAt: (position: number) => EpisodeRow | undefined;
  readonly current: number;
  readonly marked: ReadonlySet<number>;
  readonly onOpen: (position: number) => void;
}

function Rows({ virtualizer, rowAt, current, marked, onOpen }: RowsProps) {
  return (
    <div class="grid-rows" role="rowgroup" style={{ height: `${virtualizer.getTotalSize()}px` }}>
      {virtualizer.getVirtualItems().map(({ index, start }) => (
        <EpisodeRowView
          key={index}
          position={index}
          row={rowAt(index)}
          top={start - headerHeight}
          current={index === current}
          marked={marked}
          onOpen={() => onOpen(index)}
        />
      ))}
    </div>
  );
}

/** Where a key leads from a row; undefined: not a key of the grid's. */
function targetOf(key: string, current: number, last: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + pageRows,
    PageUp: current - pageRows,
    Home: 0,
    End: last,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.min(Math.max(target, 0), last);
}
