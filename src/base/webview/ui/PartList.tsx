import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { positionAfterKey } from './listKeys.ts';
import { useVirtualizer } from './useVirtualizer.ts';

/** Pixels; the style sheet knows it too. */
const rowHeight = 46;

interface Props {
  readonly label: string;
  readonly count: number;
  /** Position of the selected entry; -1: none. */
  readonly selected: number;
  readonly onSelect: (position: number) => void;
  /** Called after {@link onSelect} when the entry was clicked, not walked over with the keyboard. */
  readonly onChoose?: (() => void) | undefined;
  readonly entry: (position: number) => ComponentChildren;
}

/** A list of one selectable entry per row, however many there are. */
export function PartList({ label, count, selected, onSelect, onChoose, entry }: Props) {
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer<HTMLDivElement>({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    alwaysDrawn: selected,
  });
  useEffect(() => {
    if (selected >= 0) virtualizer.scrollToIndex(selected, { align: 'auto' });
  }, [selected]);
  const onKeyDown = (event: KeyboardEvent) => {
    const target = positionAfterKey(event.key, selected, count - 1, { ArrowDown: 1, ArrowUp: -1 });
    if (target === undefined) return;
    event.preventDefault();
    onSelect(target);
  };
  if (count === 0) return null;
  return (
    <div
      class="part-list"
      role="listbox"
      aria-label={label}
      aria-activedescendant={selected < 0 ? undefined : `${id}-${selected}`}
      tabIndex={0}
      ref={scroller}
      onKeyDown={onKeyDown}
    >
      <div class="part-rows" role="presentation" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            id={`${id}-${index}`}
            class={`part ${index === selected ? 'selected' : ''}`}
            role="option"
            aria-selected={index === selected}
            aria-posinset={index + 1}
            aria-setsize={count}
            style={{ transform: `translateY(${start}px)` }}
            onClick={() => {
              onSelect(index);
              onChoose?.();
            }}
          >
            {entry(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
