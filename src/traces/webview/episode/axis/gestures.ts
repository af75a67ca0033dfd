/** Handles the pointer, the wheel and the trackpad on the time axis. */
import { lengthOf, type Range } from './range.ts';

export interface Hover {
  readonly span: number;
  /** The position of the pointer on the page. */
  readonly x: number;
  readonly y: number;
}

interface Moved {
  readonly range: Range;
  readonly gutter: number;
  zoom(factor: number, at?: number): void;
  panTo(start: number): void;
  pan(screens: number): void;
  timeAt(x: number): number;
  timeOfWhole(x: number): number;
  spanAt(x: number, y: number): number | undefined;
}

interface PointerListeners {
  onPick(span: number): void;
  onHover(hover: Hover | null): void;
  onScroll(pixels: number): void;
}

/** Pixels that a pointer must move before it drags. */
const dragFrom = 4;
/** The zoom factor per pixel of a wheel. A notch of 100 zooms by a quarter. */
const zoomPerPixel = 1.0022;
const pixelsPerLine = 20;

type Undo = () => void;

/** Drags pan, clicks select. Ctrl or ⌘ with the wheel zooms at the pointer, Shift or a horizontal wheel pans. */
export function listenToPointer(canvas: HTMLCanvasElement, axis: Moved, listeners: PointerListeners): Undo {
  let drag: { x: number; y: number; readonly start: number; readonly length: number; moved: boolean } | null =
    null;
  const widthOf = (): number => Math.max(1, canvas.clientWidth - axis.gutter);
  const onDown = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    const { start } = axis.range;
    drag = { x: event.clientX, y: event.clientY, start, length: lengthOf(axis.range), moved: false };
  };
  const onMove = (event: PointerEvent): void => {
    if (drag === null) {
      const { offsetX: x, offsetY: y, clientX, clientY } = event;
      const span = axis.spanAt(x, y);
      canvas.classList.toggle('on-span', span !== undefined);
      listeners.onHover(span === undefined ? null : { span, x: clientX, y: clientY });
      return;
    }
    const across = event.clientX - drag.x;
    if (!drag.moved && Math.hypot(across, event.clientY - drag.y) < dragFrom) return;
    if (!drag.moved) canvas.setPointerCapture(event.pointerId);
    drag.moved = true;
    listeners.onHover(null);
    listeners.onScroll(drag.y - event.clientY);
    drag.y = event.clientY;
    axis.panTo(drag.start - (across / widthOf()) * drag.length);
  };
  const onUp = (event: PointerEvent): void => {
    const span = drag !== null && !drag.moved ? axis.spanAt(event.offsetX, event.offsetY) : undefined;
    drag = null;
    if (span !== undefined) listeners.onPick(span);
  };
  const onLeave = (): void => listeners.onHover(null);
  const onWheel = (event: WheelEvent): void => wheeled(event, axis, axis.timeAt(event.offsetX), widthOf());
  return listening(canvas, {
    pointerdown: onDown,
    pointermove: onMove,
    pointerup: onUp,
    pointercancel: () => (drag = null),
    pointerleave: onLeave,
    wheel: onWheel,
  });
}

/** @param at the position of the pointer */
function wheeled(event: WheelEvent, axis: Moved, at: number, width: number): void {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? pixelsPerLine : 1;
  const [across, down] = [event.deltaX * unit, event.deltaY * unit];
  if (event.ctrlKey || event.metaKey) {
    // A pinch on a trackpad arrives as a wheel event with small numbers.
    const pixels = Math.abs(down) < 10 ? down * 8 : down;
    axis.zoom(zoomPerPixel ** pixels, at);
  } else if (event.shiftKey || Math.abs(across) > Math.abs(down)) {
    axis.pan((across === 0 ? down : across) / width);
  } else {
    return; // the lanes scroll, or the page
  }
  event.preventDefault();
}

/** A click or a drag moves the visible range there. */
export function listenToOverview(canvas: HTMLCanvasElement, axis: Moved): Undo {
  let grabbed: number | null = null;
  const go = (event: PointerEvent): void => {
    if (grabbed !== null) axis.panTo(axis.timeOfWhole(event.offsetX) - grabbed);
  };
  return listening(canvas, {
    pointerdown: (event) => {
      if (event.button !== 0) return;
      const { start, end } = axis.range;
      const at = axis.timeOfWhole(event.offsetX);
      grabbed = at >= start && at <= end ? at - start : (end - start) / 2;
      canvas.setPointerCapture(event.pointerId);
      go(event);
    },
    pointermove: go,
    pointerup: () => (grabbed = null),
    pointercancel: () => (grabbed = null),
    wheel: (event) => wheeled(event, axis, axis.timeOfWhole(event.offsetX), canvas.clientWidth),
  });
}

type Listeners = { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

function listening(element: HTMLElement, listeners: Listeners): Undo {
  const entries = Object.entries(listeners) as [string, (event: Event) => void][];
  for (const [type, listener] of entries) element.addEventListener(type, listener, { passive: false });
  return () => {
    for (const [type, listener] of entries) element.removeEventListener(type, listener);
  };
}
