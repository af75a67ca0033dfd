/** The lists of a run: their orders and what stands in them beside episodes. */
import * as z from 'zod/mini';
import type { ErrorReport } from '../../../base/core/errors.ts';
import { filter } from './traceFilter.ts';

/** The order of a list. What has no value comes last either way. */
export interface ListSort<By extends string = string> {
  readonly by: By;
  readonly descending: boolean;
}

/** What episodes can be sorted by; otherwise they are in the order of their numbers. */
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

/** What groups can be sorted by; otherwise they are in the order of the tasks. */
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

/** A window into a list. */
export const listWindow = {
  from: position,
  limit: position,
  /** Absent: everything. */
  filter: z.optional(filter),
  /** The episode or group whose position in the list is wanted, too; `newest`: that with the highest number in it. */
  anchor: z.optional(z.union([position, z.literal('newest')])),
};

export interface EpisodeRow {
  readonly episode: number;
  readonly taskId: string;
  readonly repeat: number;
  /** In lists its beginning only, like the message of `error`; an episode's own view has both whole. */
  readonly query: string;
  /** `lost`: the process died while it ran. */
  readonly state: 'running' | 'ended' | 'lost';
  readonly reward: number | null;
  readonly isSuccess: boolean;
  readonly startedAt: number;
  readonly seconds: number | null;
  readonly calls: number;
  readonly timelines: number;
  readonly tokens: number;
  readonly trainableTokens: number;
  readonly error: ErrorReport | null;
  /** How much better than the others of its task, in deviations; null while that is open, and without a sample. */
  readonly advantage: number | null;
  /** Whether it would train; null while that is open. */
  readonly trains: boolean | null;
  /** Why not, and then what to look at. */
  readonly findings: readonly EpisodeFinding[];
}

export interface EpisodeFinding {
  /** Stable; links lead from it to what is said about it. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** One sentence. */
  readonly message: string;
  /** The hint; empty: none. */
  readonly hint: string;
}

export interface EpisodesView {
  readonly total: number;
  readonly rows: readonly EpisodeRow[];
  /** Position of the episode that was asked for; null: the list does not have it. Absent: none was. */
  readonly anchor?: number | null;
  /** Its number, where the newest was asked for; null: the list is empty. */
  readonly newest?: number | null;
}

/** An end of a group's rewards. */
export interface Extreme {
  readonly episode: number;
  readonly reward: number;
}

/** The repeats of one task, which training compares with each other. */
export interface GroupRow {
  /** Position of the task in the run. */
  readonly group: number;
  readonly taskId: string;
  /** Its beginning. */
  readonly query: string;
  readonly started: number;
  readonly ended: number;
  /** How many of its episodes the filter lets through. */
  readonly matching: number;
  readonly failed: number;
  /** Of the episodes that ended with a reward. */
  readonly meanReward: number | null;
  readonly successRate: number | null;
  /** Sample deviation of what training takes for rewards; null for fewer than two. */
  readonly deviation: number | null;
  /** Of several that are alike the first. */
  readonly best: Extreme | null;
  readonly worst: Extreme | null;
  /** How many would train; null while that is open. */
  readonly trains: number | null;
  /** Sums over its episodes that ended; calls of the others, too. */
  readonly calls: number;
  readonly tokens: number;
  readonly trainableTokens: number;
  readonly seconds: number | null;
  /** Errors first. */
  readonly findings: readonly {
    readonly code: string;
    readonly severity: 'error' | 'warning';
    readonly episodes: number;
  }[];
}

export interface GroupsView {
  readonly total: number;
  readonly rows: readonly GroupRow[];
  readonly anchor?: number | null;
  readonly newest?: number | null;
}

export interface GroupView {
  readonly row: GroupRow;
  /** The first of them, at most `largestWindow.episodes`. */
  readonly episodes: readonly EpisodeRow[];
  /** How many groups the run has so far. */
  readonly groups: number;
}

/** Values of `from` … `to`, of which the last bar's is included and the others' is not; of single values both are the same. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

export interface Histogram {
  /** The field of a filter that tells its values. */
  readonly field: 'reward' | 'mean' | 'solved' | 'tokens' | 'time';
  readonly of: 'episodes' | 'groups';
  readonly bars: readonly Bar[];
  /** How many have no value, or one that is not finite. */
  readonly missing: number;
}

export interface NamesView {
  readonly agents: readonly string[];
  readonly tools: readonly string[];
}
