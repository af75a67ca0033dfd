import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useViewer } from '../../state/viewer.ts';
import { AxisEngine } from './engine.ts';
import type { Hover } from './gestures.ts';
import type { AxisModel } from './model.ts';
import type { Range } from './range.ts';

export interface AxisRefs {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  readonly overview: RefObject<HTMLCanvasElement | null>;
}

export interface AxisUse {
  readonly episode: number;
  readonly model: AxisModel;
  /** The key of the selected span. */
  readonly key: string | null;
  readonly pick: (id: number) => void;
}

/**
 * Creates the engine while the page shows the axis. It remembers the visible range, and scrolls the selected span into
 * view.
 */
export function useEngine(refs: AxisRefs, use: AxisUse) {
  const { memory } = useViewer();
  const { episode, model, key } = use;
  const engine = useRef<AxisEngine | null>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const [, setMoved] = useState({});
  const [now, setNow] = useState(() => Date.now() - model.origin);
  const newest = useRef(use);
  newest.current = use;
  const kept = useMemo(() => keptView(memory.read(memoryKey), episode), []);
  const shown = useRef(kept?.key);
  useLayoutEffect(() => {
    const [scroller, canvas, overview] = [refs.scroller.current, refs.canvas.current, refs.overview.current];
    if (!scroller || !canvas || !overview) return;
    const listeners = {
      onPick: (span: number) => newest.current.pick(span),
      onHover: setHover,
      // Only the tooltip of the focused span moves along.
      onMoved: () => document.activeElement === scroller && setMoved({}),
      onRest: ({ start, end }: Range) =>
        memory.write(memoryKey, { episode, start, end, key: newest.current.key }),
      onTime: setNow,
    };
    const made = new AxisEngine({ scroller, canvas, overview }, listeners, model, kept);
    engine.current = made;
    return () => {
      engine.current = null;
      made.dispose();
    };
  }, []);
  useEffect(() => {
    const selected = key === null || key === shown.current ? undefined : model.ids.get(key);
    shown.current = key;
    if (selected !== undefined) engine.current?.reveal(selected);
  }, [key]);
  return { engine, hover, now };
}

const memoryKey = 'axis';

interface KeptView extends Range {
  readonly key: string | null;
}

/** Returns the saved range of the same episode; undefined: there is none. */
function keptView(saved: unknown, episode: number): KeptView | undefined {
  if (typeof saved !== 'object' || saved === null) return undefined;
  if (!('episode' in saved && 'start' in saved && 'end' in saved && 'key' in saved)) return undefined;
  const { start, end, key } = saved;
  if (saved.episode !== episode || typeof start !== 'number' || typeof end !== 'number') return undefined;
  return start < end ? { start, end, key: typeof key === 'string' ? key : null } : undefined;
}
