import type { EpisodeRow, RunView } from '../../protocol/traceRpc.ts';

export type RunStatus = 'running' | 'completed' | 'cancelled' | 'failed' | 'killed';

/** A run that has no end and whose process is gone was killed. */
export function runStatus({ end, live }: Pick<RunView, 'end' | 'live'>): RunStatus {
  if (end !== null) return end.status;
  return live ? 'running' : 'killed';
}

export type EpisodeStatus = 'running' | 'lost' | 'failed' | 'success' | 'ended';

export function episodeStatus(row: Pick<EpisodeRow, 'state' | 'error' | 'isSuccess'>): EpisodeStatus {
  if (row.state !== 'ended') return row.state;
  if (row.error !== null) return 'failed';
  return row.isSuccess ? 'success' : 'ended';
}

/** Words for `success`, whatever the state. */
export const successWords: Readonly<Record<EpisodeStatus, string>> = {
  running: 'running',
  lost: 'lost',
  failed: 'failed',
  success: 'yes',
  ended: 'no',
};

/** Words for whether an episode would train. */
export function trainsWord(trains: boolean | null): string {
  if (trains === null) return 'open';
  return trains ? 'yes' : 'no';
}
