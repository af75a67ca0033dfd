import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './Icon.tsx';

export interface MenuItem {
  readonly name: string;
  readonly icon: IconName;
  /** The key that does the same on the row. */
  readonly shortcut?: string;
  readonly run: () => void;
}

/** The actions for the rows of a grid. */
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
export function RowMenu({ label, items, x, y, onClose }: Props) {
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
        <Item
          key={name}
          current={index === chosen}
          onPoint={() => setChosen(index)}
          onPress={() => {
            onClose();
            run();
          }}
        >
          <Icon name={icon} /> <span class="row-menu-name">{name}</span>
          {shortcut !== undefined && <kbd>{shortcut}</kbd>}
        </Item>
      ))}
    </div>
  );
}

interface ItemProps {
  readonly current: boolean;
  readonly onPoint: () => void;
  readonly onPress: () => void;
  readonly children: ComponentChildren;
}

function Item({ current, onPoint, onPress, children }: ItemProps) {
  return (
    <button
      type="button"
      class="row-menu-item"
      role="menuitem"
      tabIndex={current ? 0 : -1}
      onPointerMove={onPoint}
      onClick={onPress}
    >
      {children}
    </button>
  );
}

function itemOf(menu: HTMLElement | null, index: number): HTMLElement | undefined {
  return menu?.querySelectorAll<HTMLElement>('[role=menuitem]')[index];
}

/** Within the page, however near to its edge it is asked for. */
function useRoom(menu: { readonly current: HTMLElement | null }, x: number, y: number) {
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
function useClosing(menu: { readonly current: HTMLElement | null }, onClose: () => void): void {
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
