import type { MergeSetting } from '../../core/protocol/mergingRpc.ts';
import type { ListSort } from '../../core/protocol/traceLists.ts';
import { groupOf } from '../../../tracking/core/groups.ts';

export interface RunRoute {
  readonly kind: 'run';
  readonly list: 'episodes' | 'groups';
  readonly filter: string;
  /** Null: the order of their numbers. */
  readonly sort: ListSort | null;
}

export interface GroupRoute {
  readonly kind: 'group';
  readonly group: number;
}

export interface EpisodeRoute {
  readonly kind: 'episode';
  readonly episode: number;
  /** True if it shows how its calls were merged, instead of its outcome. */
  readonly merging: boolean;
}

export interface CallRoute {
  readonly kind: 'call';
  readonly episode: number;
  readonly call: number;
}

export interface TimelineRoute {
  readonly kind: 'timeline';
  readonly episode: number;
  readonly timeline: number;
  /** The token to start at; null: the last position, or the first token. */
  readonly token: number | null;
  /** The message of the conversation to show; null: tokens are shown. */
  readonly message: number | 'newest' | null;
  /** The setting that would make the timeline; null: the run's own. */
  readonly setting: MergeSetting | null;
}

/** Two compared episodes. At least one of them is in the viewer's own trace. */
export interface CompareRoute {
  readonly kind: 'compare';
  readonly episode: number;
  /** The right one; null: the episode of its task with the largest difference in reward. */
  readonly other: number | null;
  /** The timeline of each side; null: the one with the most trained tokens. */
  readonly timeline: number | null;
  readonly otherTimeline: number | null;
  /** The trace of each side; null: the viewer's own. */
  readonly trace: string | null;
  readonly otherTrace: string | null;
}

/** The table of all runs. */
export interface RunsRoute {
  readonly kind: 'runs';
}

/** A location in the viewer. A new kind needs a case in each function of this file; the compiler reports them. */
export type Route =
  | RunsRoute
  | RunRoute
  | GroupRoute
  | EpisodeRoute
  | CallRoute
  | TimelineRoute
  | CompareRoute;

export const runsRoute: RunsRoute = { kind: 'runs' };
export const runRoute: RunRoute = { kind: 'run', list: 'episodes', filter: '', sort: null };

export const groupRoute = (group: number): GroupRoute => ({ kind: 'group', group });
export const episodeRoute = (episode: number, merging = false): EpisodeRoute => ({
  kind: 'episode',
  episode,
  merging,
});
export const callRoute = (episode: number, call: number): CallRoute => ({ kind: 'call', episode, call });
export const timelineRoute = (
  episode: number,
  timeline: number,
  token: number | null = null,
  others: Partial<Pick<TimelineRoute, 'message' | 'setting'>> = {},
): TimelineRoute => ({
  kind: 'timeline',
  episode,
  timeline,
  token,
  message: null,
  setting: null,
  ...others,
});

export const compareRoute = (
  episode: number,
  other: number | null,
  sides: Partial<Omit<CompareRoute, 'kind' | 'episode' | 'other'>> = {},
): CompareRoute => ({
  kind: 'compare',
  episode,
  other,
  timeline: null,
  otherTimeline: null,
  trace: null,
  otherTrace: null,
  ...sides,
});

/** Returns parameters of an address, e.g. `episode=3&timeline=0`; empty: the run in its initial state. */
export function formatRoute(route: Route): string {
  return Object.entries(parametersOf(route))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

function parametersOf(route: Route): Readonly<Record<string, string | number>> {
  switch (route.kind) {
    case 'run':
      return {
        ...(route.list === 'groups' && { list: 'groups' }),
        ...(route.filter !== '' && { filter: route.filter }),
        ...(route.sort !== null && { sort: formatSort(route.sort) }),
      };
    case 'runs':
      return { runs: '' };
    case 'group':
      return { group: route.group };
    case 'episode':
      return { episode: route.episode, ...(route.merging && { merging: '' }) };
    case 'call':
      return { episode: route.episode, call: route.call };
    case 'timeline':
      return {
        episode: route.episode,
        timeline: route.timeline,
        // The address has another parameter named `token`: the server's.
        ...(route.token !== null && { at: route.token }),
        ...(route.message !== null && { message: route.message === 'newest' ? '' : route.message }),
        ...(route.setting !== null && { by: formatSetting(route.setting) }),
      };
    case 'compare':
      return {
        episode: route.episode,
        compare: route.other ?? '',
        ...(route.timeline !== null && { timeline: route.timeline }),
        ...(route.otherTimeline !== null && { otherTimeline: route.otherTimeline }),
        ...(route.trace !== null && { run: route.trace }),
        ...(route.otherTrace !== null && { otherRun: route.otherTrace }),
      };
  }
}

/** Parses parameters of an address. Invalid ones are ignored, and an invalid link leads to the run. */
export function parseRoute(parameters: URLSearchParams): Route {
  const [group, episode, call, timeline] = ['group', 'episode', 'call', 'timeline'].map((name) =>
    position(parameters.get(name)),
  );
  if (parameters.has('runs')) return runsRoute;
  if (episode === undefined) return group === undefined ? runOf(parameters) : groupRoute(group);
  if (parameters.has('compare')) return compareOf(parameters, episode, timeline ?? null);
  if (call !== undefined) return callRoute(episode, call);
  if (timeline === undefined) return episodeRoute(episode, parameters.has('merging'));
  return parseTimeline(parameters, episode, timeline);
}

function parseTimeline(parameters: URLSearchParams, episode: number, timeline: number): TimelineRoute {
  const message = parameters.has('message') ? (position(parameters.get('message')) ?? 'newest') : null;
  const setting = parseSetting(parameters.get('by') ?? '');
  return timelineRoute(episode, timeline, position(parameters.get('at')) ?? null, { message, setting });
}

/** e.g. `text-true-false`: the level, whether tools are ignored, and whether drift is fixed. */
export function formatSetting({ compareLevel, ignoreTools, fixesDrift }: MergeSetting): string {
  return [compareLevel, ignoreTools, fixesDrift].join('-');
}

export function parseSetting(text: string): MergeSetting | null {
  const [, level, ignores, fixes] = /^(text|token)-(true|false)-(true|false)$/.exec(text) ?? [];
  if (level !== 'text' && level !== 'token') return null;
  return { compareLevel: level, ignoreTools: ignores === 'true', fixesDrift: fixes === 'true' };
}

function compareOf(parameters: URLSearchParams, episode: number, timeline: number | null): CompareRoute {
  const [other = null, otherTimeline = null] = ['compare', 'otherTimeline'].map((name) =>
    position(parameters.get(name)),
  );
  const otherTrace = traceNamed(parameters.get('otherRun'));
  // At least one side is in the viewer's own trace.
  const trace = otherTrace === null && other !== null ? traceNamed(parameters.get('run')) : null;
  return compareRoute(episode, other, { timeline, otherTimeline, trace, otherTrace });
}

function traceNamed(text: string | null): string | null {
  return text === null || text === '' || text.length > longestTrace ? null : text;
}

/** In characters. */
const longestTrace = 4_096;

/** Returns the episode in the viewer's own trace. If both are, it is the left one. */
export function ownEpisode({ episode, other, trace }: CompareRoute): number {
  return trace === null ? episode : (other ?? episode);
}

function runOf(parameters: URLSearchParams): RunRoute {
  const sort = parameters.get('sort');
  return {
    kind: 'run',
    list: parameters.get('list') === 'groups' ? 'groups' : 'episodes',
    filter: (parameters.get('filter') ?? '').slice(0, longestFilter),
    sort: sort === null ? null : parseSort(sort),
  };
}

/** In characters. */
export const longestFilter = 1_000;

function position(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Returns the column, with a minus before it for descending order. */
function formatSort({ by, descending }: ListSort): string {
  return `${descending ? '-' : ''}${by}`;
}

function parseSort(text: string): ListSort | null {
  const [, minus, by] = /^(-?)([a-zA-Z]+)$/.exec(text) ?? [];
  return by === undefined ? null : { by, descending: minus === '-' };
}

export function isPart(route: Route): route is CallRoute | TimelineRoute {
  return route.kind === 'call' || route.kind === 'timeline';
}

export interface RouteContext {
  readonly run: RunRoute;
  /** Episodes per task. */
  readonly repeat: number;
  readonly tasks: number;
}

/** Returns the routes from the run down to a route. */
export function pathOf(route: Route, above: RouteContext): readonly [RunRoute, ...Route[]] {
  const { run, repeat, tasks } = above;
  switch (route.kind) {
    case 'run':
      return [route];
    case 'runs':
    case 'group':
      return [run, route];
    case 'episode': {
      // An address may name an episode without a task.
      const group = groupOf(route.episode, repeat);
      return group < tasks ? [run, groupRoute(group), route] : [run, route];
    }
    case 'call':
    case 'timeline':
      return [...pathOf(episodeRoute(route.episode), above), route];
    case 'compare':
      return [...pathOf(episodeRoute(ownEpisode(route)), above), route];
  }
}

export function parentOf(route: Route, above: RouteContext): Route {
  const path = pathOf(route, above);
  return path.at(-2) ?? path[0];
}

/** Returns true for a move to a sibling, or to another view of the same part. */
export function isSibling(from: Route, to: Route): boolean {
  if (!('episode' in from && 'episode' in to)) return from.kind === to.kind;
  if (from.kind === 'compare' && to.kind === 'compare') return true;
  if (from.kind === 'episode' && to.kind === 'episode') return from.episode === to.episode;
  return isPart(from) && isPart(to) && from.episode === to.episode;
}

export interface TimelineOf {
  readonly episode: number;
  readonly timeline: number;
  /** Absent: the run made it. */
  readonly setting?: MergeSetting | undefined;
}

export function timelineOf({ episode, timeline, setting }: TimelineRoute): TimelineOf {
  return { episode, timeline, ...(setting !== null && { setting }) };
}

export function keyOf({ episode, timeline, setting }: TimelineOf): string {
  return [episode, timeline, ...(setting === undefined ? [] : [formatSetting(setting)])].join(' ');
}
