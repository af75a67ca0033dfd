import type { EpisodeResult } from './records/episodeResult.ts';
import type { Finding } from './finding.ts';
import type { Group } from './groups.ts';

export interface EpisodeVerdict extends Readonly<Pick<EpisodeResult, 'episode' | 'taskId' | 'repeat'>> {
  /** True if no finding is an error. */
  readonly trains: boolean;
  /** The findings of the episode and of its group. */
  readonly findings: readonly Finding[];
  /** Null until its group is complete, or if the episode makes no sample. */
  readonly advantage: number | null;
}

export interface GroupVerdict extends Group {
  readonly findings: readonly Finding[];
}

/** The verdicts about a group and its episodes that have ended. */
export interface JudgedGroup {
  readonly group: GroupVerdict;
  readonly episodes: readonly EpisodeVerdict[];
  /** The verdicts of the same episodes, in the same order. */
  readonly results: readonly EpisodeResult[];
}
