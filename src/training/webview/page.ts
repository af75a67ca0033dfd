import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { RunPageRequest } from '../core/page/trainingRunRpc.ts';
import type { PlotTheme } from './chart/theme.ts';
import type { Cursor, Point } from './cursor.ts';
import type { RunData } from './data/runData.ts';
import type { View } from './view.ts';

/** What all parts of the page are about. */
export interface Page {
  /** The page's own first; there is one. */
  readonly runs: readonly RunData[];
  readonly own: RunData;
  /** The page's own run was removed from its host: there is nothing to be asked for. */
  readonly isGone: boolean;
  /** Another one whenever what is known has changed. */
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
  if (page === undefined) throw new Error('This part is used outside of a page.');
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

/** This machine's time, told anew each second for as long as it matters. */
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
