import { isRecord } from '../../base/core/isRecord.ts';
import type { RunRef } from '../core/page/trainingRunRpc.ts';
import type { Memory } from '../../traces/webview/state/memory.ts';
import type { Window } from './data/chartPoints.ts';

/** The view settings of the page, which are restored after a reload. */
export interface View {
  /** The visible steps; null for all, including future ones. */
  readonly window: Window | null;
  readonly log: boolean;
  /** The weight of earlier values: one of {@link smoothings}. */
  readonly smoothing: number;
  /** Metrics for which the user added charts. */
  readonly added: readonly string[];
  /** The runs that are compared with the page's own. */
  readonly compared: readonly RunRef[];
  /** True if the values are also shown as a table. */
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
  return recordsIn(value).flatMap(({ host, run }) =>
    typeof host === 'string' && typeof run === 'string' ? [{ host, run }] : [],
  );
}

function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
