import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { largestWindow } from '../../core/protocol/traceRpc.ts';
import { usePersistentState, useWindow, type Windowed } from '../state/viewer.ts';
import type { Slice } from '../../../base/webview/state/windowBuffer.ts';

export interface ListAnswer<Row> {
  readonly total: number;
  readonly rows: readonly Row[];
  readonly anchor?: number | null;
  readonly newest?: number | null;
}

interface ListSlice<Row> extends Slice {
  readonly rows: readonly Row[];
  /** The key of the filter and the order of the request. */
  readonly key: string;
  readonly anchorOf: Anchor;
  readonly anchor: number | null | undefined;
  readonly newest: number | null | undefined;
}

type Anchor = number | 'newest' | undefined;

interface ListOptions<Row> {
  /** The name under which the current row is saved. */
  readonly name: string;
  readonly key: string;
  /** @param anchor number of the row whose position is requested */
  readonly ask: (from: number, limit: number, anchor: Anchor) => Promise<ListAnswer<Row>>;
  readonly numberOf: (row: Row) => number;
  /** True if the newest row is always the current one. */
  readonly follows: boolean;
  readonly onChosen: () => void;
}

interface Current {
  readonly position: number;
  readonly number: number | undefined;
  /** See `DataGrid`. */
  readonly shifted: number;
}

interface List<Row> {
  readonly window: Windowed<ListSlice<Row>>;
  readonly total: number;
  readonly rowAt: (position: number) => Row | undefined;
  readonly current: Current;
  readonly onCurrent: (position: number) => void;
  /** True if the shown rows belong to an earlier filter or order. */
  readonly stale: boolean;
}

/** A list of any length. The current row stays current when new rows move it, and across reloads. */
export function useList<Row>(options: ListOptions<Row>): List<Row> {
  const newest = useRef(options);
  newest.current = options;
  const [kept, keep] = usePersistentState(`${options.name}.current`, (saved) =>
    typeof saved === 'number' ? saved : undefined,
  );
  const [current, setCurrent] = useState<Current>({ position: 0, number: kept, shifted: 0 });
  const anchor = useRef(current.number);
  anchor.current = current.number;
  const window = useWindow<ListSlice<Row>>({
    fetch: async (from, limit) => {
      const { key, ask } = newest.current;
      const anchorOf = newest.current.follows ? 'newest' : anchor.current;
      const { total, rows, anchor: position, newest: last } = await ask(from, limit, anchorOf);
      return { from, length: rows.length, total, rows, key, anchorOf, anchor: position, newest: last };
    },
    largest: largestWindow.episodes,
    smallest: 128,
  });
  const { slice } = window;
  const rowAt = (position: number): Row | undefined => slice?.rows[position - slice.from];
  const shown = useRef(options.key);
  useEffect(() => {
    if (shown.current === options.key) {
      window.want(0, 1);
      return;
    }
    shown.current = options.key;
    anchor.current = undefined;
    setCurrent(({ shifted }) => ({ position: 0, number: undefined, shifted }));
    window.want(0, 1);
    window.retry();
  }, [options.key]);
  useEffect(() => {
    if (options.follows) window.retry();
  }, [options.follows]);
  useLayoutEffect(() => {
    if (slice?.key !== options.key) return;
    const isNewest = options.follows && slice.anchorOf === 'newest';
    setCurrent((last) => (isNewest ? atNewest(last, slice) : settled(last, slice, options.numberOf)));
  }, [slice, current.position, options.follows]);
  useEffect(() => {
    if (current.number !== undefined && current.number !== kept) keep(current.number);
  }, [current.number]);
  return {
    window,
    total: slice?.total ?? 0,
    rowAt,
    current,
    onCurrent: (position) => {
      options.onChosen();
      const row = rowAt(position);
      const number = row && options.numberOf(row);
      // Saves at once, because opening a row removes the list.
      if (number !== undefined) keep(number);
      setCurrent(({ shifted }) => ({ position, number, shifted }));
    },
    stale: slice !== undefined && slice.key !== options.key,
  };
}

function atNewest<Row>(last: Current, { anchor, newest }: ListSlice<Row>): Current {
  if (typeof anchor !== 'number' || typeof newest !== 'number') return last;
  if (anchor === last.position && newest === last.number) return last;
  return { position: anchor, number: newest, shifted: last.shifted };
}

function settled<Row>(
  last: Current,
  { rows, from, total, anchorOf, anchor }: ListSlice<Row>,
  numberOf: (row: Row) => number,
): Current {
  const { position, number, shifted } = last;
  const near = number === undefined ? -1 : rows.findIndex((row) => numberOf(row) === number);
  const known = near === -1 ? (anchorOf === number ? anchor : undefined) : from + near;
  if (typeof known === 'number') {
    return known === position ? last : { position: known, number, shifted: shifted + known - position };
  }
  // The row has left the list, so the row at its position becomes current.
  const gone = known === null;
  const route = Math.max(0, Math.min(position, total - 1));
  if (number !== undefined && !gone && route === position) return last;
  const row = rows[route - from];
  const next = row && numberOf(row);
  return next === number && route === position ? last : { position: route, number: next, shifted };
}
