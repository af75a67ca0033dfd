/** The lists of a run: their orders, and rows other than episodes. */
import * as z from 'zod/mini';
import type { ErrorReport } from '../../../base/core/errors.ts';
import type { EpisodeRecord, GroupRecord, groupFindingRecord } from '../records.ts';
import type { EpisodeNote } from '../notes.ts';
import { filter } from './traceFilter.ts';

/** The order of a list. Rows without a value come last in both directions. */
export interface ListSort<By extends string = string> {
  readonly by: By;
  readonly descending: boolean;
}

/** Sort keys of episodes. Without one, episodes are in the order of their numbers. */
export const episodeSorts = [
  'task',
  'repeat',
  'reward',
  'advantage',
  'success',
  'trains',
  'calls',
  'timelines',
  'tokens',
  'trainable',
  'time',
] as const;
export type EpisodeSort = (typeof episodeSorts)[number];

/** Sort keys of groups. Without one, groups are in the order of the tasks. */
export const groupSorts = [
  'task',
  'mean',
  'solved',
  'spread',
  'best',
  'worst',
  'trains',
  'calls',
  'tokens',
  'trainable',
  'time',
] as const;
export type GroupSort = (typeof groupSorts)[number];

const position = z.int().check(z.gte(0));

export const sortBy = <By extends string>(columns: readonly [By, ...By[]]) =>
  z.object({ by: z.enum(columns), descending: z.boolean() });

export const listWindow = {
  from: position,
  limit: position,
  filter: z.optional(filter),
  /** The episode or group whose position in the list is requested, too. `newest`: the one with the highest number. */
  anchor: z.optional(z.union([position, z.literal('newest')])),
};

export interface EpisodeRow extends Omit<EpisodeRecord, 'ended' | 'isSuccess' | 'error'> {
  /** `lost`: the process died while it ran. */
  readonly state: 'running' | 'ended' | 'lost';
  readonly isSuccess: boolean;
  /** In lists only the beginning of the message. An episode's own view has it in full. */
  readonly error: ErrorReport | null;
  /** The distance to the other episodes of its task, in deviations; null while it is unknown, and without a sample. */
  readonly advantage: number | null;
  /** True if the episode would be trained; null while it is unknown. */
  readonly trains: boolean | null;
  /** The reasons why it would not be trained, then other findings. */
  readonly findings: readonly EpisodeFinding[];
  /** The beginnings of the requested metadata, by name. Absent: none was requested, or the episode has none. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** The note and the tags of users. Absent: none. */
  readonly noted?: EpisodeNote;
}

export interface EpisodeFinding {
  /** A stable code. Links use it. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** The hint; empty: none. */
  readonly hint: string;
}

export interface EpisodesView {
  readonly total: number;
  readonly rows: readonly EpisodeRow[];
  /** Position of the requested episode; null: it is not in the list. Absent: none was requested. */
  readonly anchor?: number | null;
  /** Its number, if the newest was requested; null: the list is empty. */
  readonly newest?: number | null;
}

/** The position of an episode in a list, and the episodes next to it; null: it is the first or the last. */
export interface NeighborsView {
  readonly position: number;
  readonly total: number;
  readonly previous: number | null;
  readonly next: number | null;
}

export interface EpisodeLabel {
  readonly taskId: string;
  readonly repeat: number;
}

export interface Extreme {
  readonly episode: number;
  readonly reward: number;
}

/** The repeats of one task, which training compares. */
export interface GroupRow extends Omit<
  GroupRecord,
  'failed' | 'best' | 'bestReward' | 'worst' | 'worstReward' | 'trains' | 'whole'
> {
  readonly failed: number;
  /** The first, if several are equal. */
  readonly best: Extreme | null;
  readonly worst: Extreme | null;
  /** Number of episodes that would be trained; null while it is unknown. */
  readonly trains: number | null;
  /** Errors first. */
  readonly findings: readonly Omit<z.infer<typeof groupFindingRecord>, 'group'>[];
}

export interface GroupsView extends Omit<EpisodesView, 'rows'> {
  readonly rows: readonly GroupRow[];
}

export interface GroupView {
  readonly row: GroupRow;
  /** The first of them, at most `largestWindow.episodes`. */
  readonly episodes: readonly EpisodeRow[];
  /** Number of groups that the run has so far. */
  readonly groups: number;
}

/** The number of values in `from` … `to`. Only the last bar includes `to`. A bar of a single value has equal ends. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export interface Histogram {
  /** The filter field for these values. */
  readonly field: 'reward' | 'mean' | 'solved' | 'tokens' | 'time';
  readonly of: 'episodes' | 'groups';
  readonly bars: readonly Bar[];
  /** Number of entries without a finite value. */
  readonly missing: number;
}

export interface NamesView {
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  readonly tasks: readonly string[];
  /** Lines of code that made calls, e.g. `agent.ts:12`. */
  readonly sources: readonly string[];
  /** Names of metadata, e.g. `task.difficulty` and `output.final_answer`. */
  readonly metadata: readonly string[];
  /** Tags of users. */
  readonly tags: readonly string[];
}
