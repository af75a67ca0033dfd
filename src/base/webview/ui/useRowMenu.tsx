import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { RowMenu, type GridActions } from './RowMenu.tsx';

interface Grid<Row> {
  readonly current: number;
  readonly rowAt: (position: number) => Row | undefined;
  readonly onCurrent: (position: number) => void;
  readonly actions?: GridActions<Row>;
}

interface Shown<Row> {
  readonly row: Row;
  readonly x: number;
  readonly y: number;
}

/** The menu of a grid's rows: by the mouse of the row below it, by keys of the current one. */
export function useRowMenu<Row>(
  { current, rowAt, onCurrent, actions }: Grid<Row>,
  scroller: RefObject<HTMLElement | null>,
) {
  const [shown, setShown] = useState<Shown<Row>>();
  const items = shown && actions ? actions.of(shown.row) : [];
  const close = () => {
    setShown(undefined);
    scroller.current?.focus({ preventScroll: true });
  };
  const onContextMenu = (event: MouseEvent) => {
    const pointed = positionOf(event.target);
    const row = rowAt(pointed ?? current);
    if (actions === undefined || row === undefined || actions.of(row).length === 0) return;
    event.preventDefault();
    if (pointed !== undefined && pointed !== current) onCurrent(pointed);
    const place = pointed === undefined ? placeOfRow(scroller.current, current) : undefined;
    setShown({ row, x: place?.x ?? event.clientX, y: place?.y ?? event.clientY });
  };
  /** Handles a key for the current row. Returns true if it did. */
  const onKey = (event: KeyboardEvent): boolean => {
    const row = rowAt(current);
    if (actions === undefined || row === undefined || isHeld(event)) return false;
    const item = actions.of(row).find(({ shortcut }) => shortcut === event.key);
    if (item === undefined) return false;
    event.preventDefault();
    event.stopPropagation();
    item.run();
    return true;
  };
  return {
    onKey,
    onContextMenu,
    shown:
      shown && items.length > 0 ? (
        <RowMenu
          label={actions?.label(shown.row) ?? ''}
          items={items}
          x={shown.x}
          y={shown.y}
          onClose={close}
        />
      ) : null,
  };
}

function isHeld({ altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
  return altKey || ctrlKey || metaKey;
}

/** Returns the position of the row around an element; undefined if there is none, as for keys. */
function positionOf(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>('[data-position]') : null;
  const position = Number(row?.dataset['position']);
  return row === null || Number.isNaN(position) ? undefined : position;
}

function placeOfRow(
  scroller: HTMLElement | null,
  position: number,
): { readonly x: number; readonly y: number } | undefined {
  const row = scroller?.querySelector(`[data-position="${position}"]`)?.getBoundingClientRect();
  return row && { x: row.left + 24, y: row.bottom };
}
