import * as l10n from '@vscode/l10n';
import type { Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ListSort } from '../../core/protocol/traceLists.ts';
import { positionAfterKey } from '../../../base/webview/ui/listKeys.ts';
import { Icon } from '../../../base/webview/ui/Icon.tsx';
import { useRowMenu, type GridActions } from '../../../base/webview/ui/RowMenu.tsx';
import { useVirtualizer } from '../../../base/webview/ui/useVirtualizer.ts';
import { useViewer } from '../state/viewer.ts';

/** In pixels. The style sheet has the same value. */
const rowHeight = 28;
const headerHeight = 28;
const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 };

export interface Column<Row> {
  readonly name: string;
  /** The minimum width in pixels, and the share of the remaining width. */
  readonly width: number;
  readonly grows?: number;
  readonly numeric?: boolean;
  /** The sort key of the list; absent: the column cannot be sorted. */
  readonly sort?: string;
  readonly cell: (row: Row) => ComponentChildren;
}

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly total: number;
  /** Undefined while it is loading. */
  readonly rowAt: (position: number) => Row | undefined;
  /** Part of each row's id. */
  readonly name: string;
  readonly current: number;
  readonly onCurrent: (position: number) => void;
  readonly onOpen: (position: number) => void;
  /** Called with the visible positions. The last is excluded. */
  readonly onRange?: (first: number, end: number) => void;
  readonly isMarked?: (row: Row) => boolean;
  /** Called when the space bar is pressed on the current row. */
  readonly onMark?: (position: number) => void;
  readonly sort: ListSort | null;
  readonly onSort: (sort: ListSort | null) => void;
  /** The total number of rows by which the current one has moved. The list scrolls along. */
  readonly shifted?: number;
  readonly busy?: boolean;
  readonly onScrolled?: () => void;
  readonly actions?: GridActions<Row>;
}

/** A table of any length. Only rows near the visible ones are drawn. */
export function DataGrid<Row>(props: Props<Row>) {
  const { total, current, columns, onRange } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const menu = useRowMenu(props, scroller);
  useFocusAfterNavigation(scroller);
  const virtualizer = useVirtualizer<HTMLDivElement>({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    scrollMargin: headerHeight,
    scrollPaddingStart: headerHeight,
    overscan: 8,
    alwaysDrawn: current,
  });
  const range = virtualizer.range;
  useEffect(() => {
    if (range) onRange?.(range.startIndex, range.endIndex + 1);
  });
  useScroll(virtualizer, scroller, props);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target === scroller.current && !menu.onKey(event)) onKey(event, props);
  };
  const layout = layoutOf(columns);
  return (
    <>
      <div
        class={`grid ${props.busy === true ? 'busy' : ''}`}
        role="grid"
        aria-label={props.label}
        aria-rowcount={total + 1}
        aria-busy={props.busy === true}
        aria-multiselectable={props.isMarked ? 'true' : undefined}
        aria-activedescendant={total === 0 ? undefined : rowId(props.name, current)}
        tabIndex={0}
        ref={scroller}
        onKeyDown={onKeyDown}
        onContextMenu={menu.onContextMenu}
        {...scrollListeners(scroller, props.onScrolled)}
      >
        <HeaderRow columns={columns} layout={layout} sort={props.sort} onSort={props.onSort} />
        <div
          class="grid-rows"
          role="rowgroup"
          style={{ height: `${virtualizer.getTotalSize()}px`, minWidth: layout.minWidth }}
        >
          {virtualizer.getVirtualItems().map(({ index, start }) => (
            <BodyRow key={index} {...props} position={index} top={start - headerHeight} layout={layout} />
          ))}
        </div>
      </div>
      {menu.shown}
    </>
  );
}

/** Enter opens the current row, the space bar marks it, and other keys move to another row. */
function onKey<Row>(event: KeyboardEvent, { current, total, onOpen, onMark, onCurrent }: Props<Row>): void {
  if (event.key === 'Enter') {
    onOpen(current);
    return;
  }
  const isHeld = event.altKey || event.ctrlKey || event.metaKey;
  const target = isHeld ? undefined : positionAfterKey(event.key, current, total - 1, moves);
  if (target !== undefined) onCurrent(target);
  else if (event.key === ' ' && onMark) onMark(current);
  else return;
  event.preventDefault();
}

/** Shows the current row when it changes. If only its position changes, the visible rows stay the same. */
function useScroll<Row>(
  virtualizer: Virtualizer<HTMLElement, HTMLDivElement>,
  scroller: { readonly current: HTMLDivElement | null },
  { current, shifted = 0 }: Props<Row>,
): void {
  const followed = useRef(shifted);
  useLayoutEffect(() => {
    const rows = shifted - followed.current;
    followed.current = shifted;
    if (rows === 0) virtualizer.scrollToIndex(current, { align: 'auto' });
    else scroller.current?.scrollBy({ top: rows * rowHeight });
  }, [current, shifted]);
}

type Layout = Readonly<Record<'gridTemplateColumns' | 'minWidth', string>>;

interface HeaderProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly layout: Layout;
  readonly sort: ListSort | null;
  readonly onSort: (sort: ListSort | null) => void;
}

function HeaderRow<Row>({ columns, layout, sort, onSort }: HeaderProps<Row>) {
  return (
    <div class="grid-header" role="rowgroup" style={{ minWidth: layout.minWidth }}>
      <div class="grid-row" role="row" aria-rowindex={1} style={layout}>
        {columns.map((column) => (
          <HeaderCell key={column.name} column={column} sort={sort} onSort={onSort} />
        ))}
      </div>
    </div>
  );
}

type HeaderCellProps<Row> = Pick<HeaderProps<Row>, 'sort' | 'onSort'> & { readonly column: Column<Row> };

function HeaderCell<Row>({ column, sort, onSort }: HeaderCellProps<Row>) {
  const { name, numeric = false, sort: by } = column;
  const own = sort !== null && sort.by === by ? sort : undefined;
  const direction = own && (own.descending ? 'descending' : 'ascending');
  return (
    <div
      class={`cell ${numeric ? 'number' : ''}`}
      role="columnheader"
      aria-sort={by === undefined ? undefined : (direction ?? 'none')}
    >
      {by === undefined ? (
        name
      ) : (
        <button
          type="button"
          class="sort-button"
          title={l10n.t('Sort by {0}', name)}
          onClick={() => onSort(nextSort(by, numeric, own))}
        >
          {name}
          {own && <Icon name={own.descending ? 'down' : 'up'} />}
        </button>
      )}
    </div>
  );
}

/** Cycles through one order, the other and none. Numbers start with the greatest. */
function nextSort(by: string, numeric: boolean, own: ListSort | undefined): ListSort | null {
  if (own === undefined) return { by, descending: numeric };
  return own.descending === numeric ? { by, descending: !numeric } : null;
}

interface BodyRowProps<Row> extends Props<Row> {
  readonly position: number;
  readonly top: number;
  readonly layout: Layout;
}

function BodyRow<Row>(props: BodyRowProps<Row>) {
  const { position, columns, name, rowAt, current, isMarked, top, layout, onOpen } = props;
  const row = rowAt(position);
  const marked = row !== undefined && isMarked?.(row) === true;
  return (
    <div
      id={rowId(name, position)}
      class={`grid-row body-row ${position === current ? 'current' : ''} ${marked ? 'marked' : ''}`}
      role="row"
      aria-rowindex={position + 2}
      data-position={position}
      aria-selected={isMarked ? marked : undefined}
      style={{ ...layout, transform: `translateY(${top}px)` }}
      onClick={() => onOpen(position)}
    >
      {columns.map(({ name: column, numeric, cell }) => (
        <div key={column} class={`cell ${numeric === true ? 'number' : ''}`} role="gridcell">
          {row === undefined ? '…' : cell(row)}
        </div>
      ))}
    </div>
  );
}

function layoutOf<Row>(columns: readonly Column<Row>[]): Layout {
  return {
    gridTemplateColumns: columns.map(({ width, grows }) => track(width, grows)).join(' '),
    minWidth: `${columns.reduce((sum, { width }) => sum + width, 0)}px`,
  };
}

function track(width: number, grows: number | undefined): string {
  return grows === undefined ? `${width}px` : `minmax(${width}px, ${grows}fr)`;
}

function rowId(name: string, position: number): string {
  return `${name}-row-${position}`;
}

/** Focuses an element if the focused one was removed with its screen, so that keys continue to work. */
function useFocusAfterNavigation(element: RefObject<HTMLElement | null>): void {
  const { hasNavigated } = useViewer();
  useLayoutEffect(() => {
    // A page that just opened, or that does not have the focus, must not take it.
    if (hasNavigated && document.hasFocus() && document.activeElement === document.body) {
      element.current?.focus({ preventScroll: true });
    }
  }, []);
}

/** Hears of scrolling that the user does: what scrolls by itself says nothing here. Keys are the list's own. */
export function scrollListeners(
  scroller: RefObject<HTMLElement | null>,
  onScrolled: (() => void) | undefined,
): {
  readonly onWheel?: () => void;
  readonly onTouchMove?: () => void;
  readonly onPointerDown?: (event: PointerEvent) => void;
} {
  if (onScrolled === undefined) return {};
  return {
    onWheel: onScrolled,
    onTouchMove: onScrolled,
    onPointerDown: (event) => {
      const list = scroller.current;
      if (event.target !== list || list === null) return;
      const onBar = event.offsetX >= list.clientWidth || event.offsetY >= list.clientHeight;
      if (onBar) onScrolled();
    },
  };
}
