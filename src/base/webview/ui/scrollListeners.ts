import type { RefObject } from 'preact';

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
