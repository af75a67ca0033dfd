import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type Range,
  type VirtualizerOptions,
} from '@tanstack/virtual-core';
import { useLayoutEffect, useState } from 'preact/hooks';

type Given = 'scrollToFn' | 'observeElementRect' | 'observeElementOffset' | 'onChange' | 'rangeExtractor';

interface Options<Item extends Element> extends Omit<VirtualizerOptions<HTMLElement, Item>, Given> {
  /** The entry that a list's focus points to, wherever the list is scrolled; -1: none. */
  readonly alwaysDrawn: number;
}

/** Which entries of a long list are in view, and where they lie. */
export function useVirtualizer<Item extends Element>({
  alwaysDrawn,
  ...options
}: Options<Item>): Virtualizer<HTMLElement, Item> {
  const [, redraw] = useState({});
  const resolved: VirtualizerOptions<HTMLElement, Item> = {
    ...options,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw({}),
    rangeExtractor: (range) => withEntry(range, alwaysDrawn),
  };
  const [virtualizer] = useState(() => new Virtualizer(resolved));
  virtualizer.setOptions(resolved);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}

/** In the order of the list, which is the order in which assistive technology reads it. */
function withEntry(range: Range, entry: number): number[] {
  const shown = defaultRangeExtractor(range);
  if (entry < 0 || entry >= range.count || shown.includes(entry)) return shown;
  return entry < (shown[0] ?? 0) ? [entry, ...shown] : [...shown, entry];
}
