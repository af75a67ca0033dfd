import * as l10n from '@vscode/l10n';
import type { EpisodeRow } from '../../core/protocol/traceLists.ts';

export type EpisodeStatus = 'running' | 'held' | 'lost' | 'failed' | 'success' | 'ended';

/** @param held true while a debugger holds the run */
export function episodeStatus(
  row: Pick<EpisodeRow, 'state' | 'error' | 'isSuccess'>,
  held: boolean,
): EpisodeStatus {
  if (held && row.state === 'running') return 'held';
  if (row.state !== 'ended') return row.state;
  if (row.error !== null) return 'failed';
  return row.isSuccess ? 'success' : 'ended';
}

export function episodeStatusWord(status: EpisodeStatus): string {
  const words: Readonly<Record<EpisodeStatus, string>> = {
    running: l10n.t('running'),
    held: l10n.t('held by the debugger'),
    lost: l10n.t('lost'),
    failed: l10n.t('failed'),
    success: l10n.t('success'),
    ended: l10n.t('ended'),
  };
  return words[status];
}

export function successWord(status: EpisodeStatus): string {
  if (status === 'success') return l10n.t('yes');
  if (status === 'held') return l10n.t('held');
  return status === 'ended' ? l10n.t('no') : episodeStatusWord(status);
}

export function trainsWord(trains: boolean | null): string {
  if (trains === null) return l10n.t('open');
  return trains ? l10n.t('yes') : l10n.t('no');
}
