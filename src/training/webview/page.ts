import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { RunPageRequest } from '../core/page/trainingRunRpc.ts';
import type { PlotTheme } from './chart/theme.ts';
import type { Cursor, Point } from './cursor.ts';
import type { RunData } from './data/runData.ts';
import type { View } from './view.ts';

/** The data that all components of the page share. */
export interface Page {
  /** The runs, starting with the page's own. Never empty. */
  readonly runs: readonly RunData[];
  readonly own: RunData;
  /** True if the page's own run was removed from its host. Then no actions are possible. */
  readonly isGone: boolean;
  /** Changes with the data. */
  readonly version: number;
  readonly view: View;
  readonly change: (changes: Partial<View>) => void;
  readonly cursor: Cursor;
  readonly theme: PlotTheme;
  readonly ask: (ask: RunPageRequest) => void;
}

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === undefined) throw new Error('usePage was called outside of a PageContext.');
  return page;
}

export function useCursor(): Point | undefined {
  const { cursor } = usePage();
  const [point, setPoint] = useState(cursor.point);
  useEffect(() => {
    const listening = cursor.onMoved(setPoint);
    setPoint(cursor.point);
    return () => listening.dispose();
  }, [cursor]);
  return point;
}

/** Returns the current time of this machine. Updates every second while `matters` is true. */
export function useNow(matters: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!matters) return;
    setNow(Date.now());
    const ticking = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(ticking);
  }, [matters]);
  return now;
}
