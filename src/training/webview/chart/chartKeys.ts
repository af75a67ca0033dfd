import type { Window } from '../data/chartPoints.ts';

/** The action of a key in a chart. */
export type ChartKey =
  | { readonly kind: 'move'; readonly by: number }
  | { readonly kind: 'goTo'; readonly at: number }
  /** Clears the selected position, so that the newest values are shown. */
  | { readonly kind: 'leave' }
  | { readonly kind: 'zoom'; readonly window: Window | null };

/**
 * @param shown the visible range
 * @param at the selected position
 */
export function chartKey(
  { key, shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent,
  shown: Window,
  at: number,
): ChartKey | undefined {
  if (altKey || ctrlKey || metaKey) return undefined;
  const width = shown.max - shown.min;
  const page = Math.max(1, Math.round(width / 10));
  const forward = key === 'ArrowRight' || key === 'ArrowUp';
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowDown':
    case 'ArrowRight':
    case 'ArrowUp': {
      const by = forward ? 1 : -1;
      return shiftKey ? { kind: 'zoom', window: moved(shown, by * page) } : { kind: 'move', by };
    }
    case 'PageUp':
      return { kind: 'move', by: page };
    case 'PageDown':
      return { kind: 'move', by: -page };
    case 'Home':
      return { kind: 'goTo', at: -Infinity };
    case 'End':
      return { kind: 'goTo', at: Infinity };
    case '+':
    case '=':
      return { kind: 'zoom', window: scaled(shown, at, 0.5) };
    case '-':
      return { kind: 'zoom', window: scaled(shown, at, 2) };
    case 'Escape':
      return { kind: 'leave' };
    case '0':
      return { kind: 'zoom', window: null };
    default:
      return undefined;
  }
}

/** Limits a window to the available range, with at least one step. Returns null if the window covers the whole range. */
export function within({ min, max }: Window, all: Window): Window | null {
  if (min <= all.min && max >= all.max) return null;
  const width = Math.min(Math.max(max - min, 1), all.max - all.min);
  const from = Math.max(all.min, Math.min(min, all.max - width));
  return { min: from, max: from + width };
}

function moved({ min, max }: Window, by: number): Window {
  return { min: min + by, max: max + by };
}

function scaled({ min, max }: Window, at: number, by: number): Window {
  const middle = at >= min && at <= max ? at : (min + max) / 2;
  return { min: middle - (middle - min) * by, max: middle + (max - middle) * by };
}
