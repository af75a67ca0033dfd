import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './Icon.tsx';

export interface MenuItem {
  readonly name: string;
  readonly icon: IconName;
  /** The key that does the same on the row. */
  readonly shortcut?: string;
  readonly run: () => void;
}

export interface GridActions<Row> {
  /** Returns the menu items of a row, without those that do not apply to it. */
  readonly of: (row: Row) => readonly MenuItem[];
  /** For the menu: which row it is of. */
  readonly label: (row: Row) => string;
}

interface Props {
  readonly label: string;
  readonly items: readonly MenuItem[];
  /** Pixels of the page. */
  readonly x: number;
  readonly y: number;
  readonly onClose: () => void;
}

/** A menu of what can be done to a row, where the mouse or the row is. Arrow keys, Enter, Escape. */
function RowMenu({ label, items, x, y, onClose }: Props) {
  const menu = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState(0);
  const place = useRoom(menu, x, y);
  useLayoutEffect(() => itemOf(menu.current, chosen)?.focus({ preventScroll: true }), [chosen]);
  useClosing(menu, onClose);
  const onKeyDown = (event: KeyboardEvent) => {
    // Whatever the key, it is not for what lies below.
    event.stopPropagation();
    if (event.key === 'Escape' || event.key === 'Tab') onClose();
    const next = targetOf(event.key, chosen, items.length);
    if (next !== undefined) setChosen(next);
    if (next !== undefined || event.key === 'Escape' || event.key === 'Tab') event.preventDefault();
  };
  return (
    <div
      class="row-menu"
      role="menu"
      aria-label={label}
      ref={menu}
      style={{ left: `${place.x}px`, top: `${place.y}px` }}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.preventDefault()}
    >
      {items.map(({ name, icon, shortcut, run }, index) => (
        <button
          key={name}
          type="button"
          class="row-menu-item"
          role="menuitem"
          tabIndex={index === chosen ? 0 : -1}
          onPointerMove={() => setChosen(index)}
          onClick={() => {
            onClose();
            run();
          }}
        >
          <Icon name={icon} /> <span class="row-menu-name">{name}</span>
          {shortcut !== undefined && <kbd>{shortcut}</kbd>}
        </button>
      ))}
    </div>
  );
}

function itemOf(menu: HTMLElement | null, index: number): HTMLElement | undefined {
  return menu?.querySelectorAll<HTMLElement>('[role=menuitem]')[index];
}

/** Within the page, however near to its edge it is asked for. */
function useRoom(menu: RefObject<HTMLElement | null>, x: number, y: number) {
  const [place, setPlace] = useState({ x, y });
  useLayoutEffect(() => {
    const { width = 0, height = 0 } = menu.current?.getBoundingClientRect() ?? {};
    setPlace({
      x: Math.max(0, Math.min(x, window.innerWidth - width)),
      y: Math.max(0, Math.min(y, window.innerHeight - height)),
    });
  }, [x, y]);
  return place;
}

/** Whatever else is pressed or scrolled closes it, and so does leaving the page. */
function useClosing(menu: RefObject<HTMLElement | null>, onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const onEvent = (event: Event) => {
      const inside = event.target instanceof Node && menu.current?.contains(event.target) === true;
      if (!inside) close.current();
    };
    const onBlur = () => close.current();
    document.addEventListener('pointerdown', onEvent, true);
    document.addEventListener('wheel', onEvent, { capture: true, passive: true });
    window.addEventListener('blur', onBlur);
    window.addEventListener('resize', onBlur);
    return () => {
      document.removeEventListener('pointerdown', onEvent, true);
      document.removeEventListener('wheel', onEvent, true);
      window.removeEventListener('blur', onBlur);
      window.removeEventListener('resize', onBlur);
    };
  }, []);
}

function targetOf(key: string, chosen: number, length: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return (chosen + 1) % length;
    case 'ArrowUp':
      return (chosen + length - 1) % length;
    case 'Home':
      return 0;
    case 'End':
      return length - 1;
    default:
      return undefined;
  }
}

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
