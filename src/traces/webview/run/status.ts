import * as l10n from '@vscode/l10n';
import type { EpisodeRow } from '../../core/protocol/traceLists.ts';
import type { RunView } from '../../core/protocol/runRpc.ts';

export type RunStatus = 'running' | 'completed' | 'cancelled' | 'failed' | 'killed';

/** Returns the status. A run without an end whose process is gone was killed. */
export function runStatus({ end, live }: Pick<RunView, 'end' | 'live'>): RunStatus {
  if (end !== null) return end.status;
  return live ? 'running' : 'killed';
}

export function runStatusWord(status: RunStatus): string {
  const words: Readonly<Record<RunStatus, string>> = {
    running: l10n.t('running'),
    completed: l10n.t('completed'),
    cancelled: l10n.t('canceled'),
    failed: l10n.t('failed'),
    killed: l10n.t('killed'),
  };
  return words[status];
}

export type EpisodeStatus = 'running' | 'lost' | 'failed' | 'success' | 'ended';

export function episodeStatus(row: Pick<EpisodeRow, 'state' | 'error' | 'isSuccess'>): EpisodeStatus {
  if (row.state !== 'ended') return row.state;
  if (row.error !== null) return 'failed';
  return row.isSuccess ? 'success' : 'ended';
}

export function episodeStatusWord(status: EpisodeStatus): string {
  const words: Readonly<Record<EpisodeStatus, string>> = {
    running: l10n.t('running'),
    lost: l10n.t('lost'),
    failed: l10n.t('failed'),
    success: l10n.t('success'),
    ended: l10n.t('ended'),
  };
  return words[status];
}

export function successWord(status: EpisodeStatus): string {
  if (status === 'success') return l10n.t('yes');
  return status === 'ended' ? l10n.t('no') : episodeStatusWord(status);
}

export function trainsWord(trains: boolean | null): string {
  if (trains === null) return l10n.t('open');
  return trains ? l10n.t('yes') : l10n.t('no');
}
