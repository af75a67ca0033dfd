import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { RunPageRequest, RunRef } from '../core/page/trainingRunRpc.ts';
import type { PlotTheme } from './chart/theme.ts';
import type { Cursor, Point } from './cursor.ts';
import type { RunData } from './data/runData.ts';
import { isRecord } from '../../base/core/isRecord.ts';
import type { Memory } from '../../traces/webview/state/memory.ts';
import type { Window } from './data/chartPoints.ts';

/** The view settings of the page, which are restored after a reload. */
export interface View {
  /** The visible steps; null for all, including future ones. */
  readonly window: Window | null;
  readonly log: boolean;
  /** The weight of earlier values: one of {@link smoothings}. */
  readonly smoothing: number;
  readonly added: readonly string[];
  readonly compared: readonly RunRef[];
  readonly table: boolean;
  /** The name of the stage whose curves are shown; null for the newest stage of each run. */
  readonly stage: string | null;
}

export const smoothings = [0, 0.6, 0.9, 0.98] as const;
const memoryKey = 'view';

export function keptView(memory: Memory): View {
  const kept = memory.read(memoryKey);
  const saved = isRecord(kept) ? kept : {};
  return {
    window: windowIn(saved['window']),
    log: saved['log'] === true,
    smoothing: smoothings.find((one) => one === saved['smoothing']) ?? 0,
    added: textsIn(saved['added']),
    compared: refsIn(saved['compared']),
    table: saved['table'] === true,
    stage: typeof saved['stage'] === 'string' ? saved['stage'] : null,
  };
}

export function keepView(memory: Memory, view: View): void {
  memory.write(memoryKey, view);
}

function windowIn(value: unknown): Window | null {
  if (!isRecord(value)) return null;
  const { min, max } = value;
  if (typeof min !== 'number' || typeof max !== 'number') return null;
  return Number.isFinite(min) && Number.isFinite(max) && min < max ? { min, max } : null;
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

function refsIn(value: unknown): readonly RunRef[] {
  const records = Array.isArray(value) ? value.filter(isRecord) : [];
  return records.flatMap(({ host, run }) =>
    typeof host === 'string' && typeof run === 'string' ? [{ host, run }] : [],
  );
}

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
