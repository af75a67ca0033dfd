import type { ReplayedRun } from '../../tracking/core/records/replayed.ts';
import { openTraceReader } from './store/openReader.ts';

export function isTraceFile(file: string): boolean {
  return file.endsWith('.ajtrace');
}

/** @throws CodedError `trace/…` */
export function readReplayed(file: string, only: number | undefined): ReplayedRun {
  const reader = openTraceReader(file);
  try {
    return reader.read((views) => views.replayed(only));
  } finally {
    reader.close();
  }
}
