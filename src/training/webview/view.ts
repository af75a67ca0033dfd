import { isRecord } from '../../base/core/isRecord.ts';
import type { RunRef } from '../core/page/trainingRunRpc.ts';
import type { Memory } from '../../traces/webview/state/memory.ts';
import type { Window } from './data/chartPoints.ts';

/** How the page looks at what it knows; outlives a reload. */
export interface View {
  /** Steps in view; null: all, also those to come. */
  readonly window: Window | null;
  readonly log: boolean;
  /** Weight of what was before: one of {@link smoothings}. */
  readonly smoothing: number;
  /** Metrics that were added as charts. */
  readonly added: readonly string[];
  /** The runs beside the page's own. */
  readonly compared: readonly RunRef[];
  /** Whether the values are shown as a table, too. */
  readonly table: boolean;
  /** The stage whose curves are shown, by its name; null: the newest of each run. */
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
    compared: placesIn(saved['compared']),
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

function placesIn(value: unknown): readonly RunRef[] {
  return recordsIn(value).flatMap(({ host, run }) =>
    typeof host === 'string' && typeof run === 'string' ? [{ host, run }] : [],
  );
}

function recordsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
