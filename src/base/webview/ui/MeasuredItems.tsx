import type { ComponentChildren } from 'preact';
import type { useVirtualizer } from './useVirtualizer.ts';

interface Props {
  readonly virtualizer: ReturnType<typeof useVirtualizer<HTMLDivElement>>;
  readonly role?: 'presentation';
  readonly classOf: (index: number) => string;
  readonly children: (index: number) => ComponentChildren;
}

export function MeasuredItems({ virtualizer, role, classOf, children }: Props) {
  return (
    <div class="token-items" role={role} style={{ height: `${virtualizer.getTotalSize()}px` }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => (
        <div
          key={key}
          class={classOf(index)}
          role={role}
          data-index={index}
          ref={(element) => virtualizer.measureElement(element)}
          style={{ transform: `translateY(${start}px)` }}
        >
          {children(index)}
        </div>
      ))}
    </div>
  );
}
