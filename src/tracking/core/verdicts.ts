import type { EpisodeResult } from './records/episodeResult.ts';
import type { Finding } from './finding.ts';
import type { Group } from './groups.ts';

export interface EpisodeVerdict {
  readonly episode: number;
  readonly taskId: string;
  readonly repeat: number;
  /** Whether no finding is an error. */
  readonly trains: boolean;
  /** Those of its group among them. */
  readonly findings: readonly Finding[];
  /** Null while its group is not whole, and where it makes no sample. */
  readonly advantage: number | null;
}

export interface GroupVerdict extends Group {
  readonly findings: readonly Finding[];
}

/** What is said of a group and of its episodes that ended. */
export interface JudgedGroup {
  readonly group: GroupVerdict;
  readonly episodes: readonly EpisodeVerdict[];
  /** Of the same episodes, in the same order. */
  readonly results: readonly EpisodeResult[];
}
