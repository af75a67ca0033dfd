import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** The vertical extent of what a tooltip describes, and the tooltip's left edge, on the page. */
type Anchor = Pick<DOMRect, 'left' | 'top' | 'bottom'>;

/** In pixels. */
const margin = 4;

/**
 * Places a tooltip below its anchor, or above it if there is no room, but always inside the page. Escape hides it.
 *
 * @param gap the distance to the anchor, in pixels
 * @returns true if the tooltip of this target is hidden
 */
export function useTooltip(
  box: RefObject<HTMLElement | null>,
  target: number | null,
  gap: number,
  anchorOf: () => Anchor | undefined,
): boolean {
  const [hidden, setHidden] = useState<number | null>(null);
  useLayoutEffect(() => {
    setHidden(null);
    const onKey = ({ key }: KeyboardEvent) => key === 'Escape' && setHidden(target);
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [target]);
  useLayoutEffect(() => {
    const anchor = anchorOf();
    if (!box.current || !anchor) return;
    const { width, height } = box.current.getBoundingClientRect();
    const { left, top, bottom } = anchor;
    const below = bottom + gap + height <= window.innerHeight;
    box.current.style.left = `${Math.max(margin, Math.min(left, window.innerWidth - width - margin))}px`;
    box.current.style.top = `${below ? bottom + gap : Math.max(margin, top - gap - height)}px`;
  });
  return target !== null && hidden === target;
}

/** Names and values. Lines that are falsy are not shown. */
export type Lines = readonly (readonly [name: string, value: string] | false | null | undefined)[];

export function TooltipLines({ lines }: { readonly lines: Lines }) {
  return (
    <dl>
      {lines.map(
        (line) =>
          line && (
            <div key={line[0]}>
              <dt>{line[0]}</dt>
              <dd>{line[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
