import type { MergeSetting } from '../../core/protocol/mergingRpc.ts';
import type { ListSort } from '../../core/protocol/traceLists.ts';
import { groupOf } from '../../../tracking/core/groups.ts';

/** The run, with what its table shows. */
export interface RunRoute {
  readonly kind: 'run';
  readonly list: 'episodes' | 'groups';
  /** As it is written in the search field; empty: everything. */
  readonly filter: string;
  /** Null: in the order of their numbers. */
  readonly sort: ListSort | null;
}

/** The repeats of one task. */
export interface GroupRoute {
  readonly kind: 'group';
  /** Position of the task in the run. */
  readonly group: number;
}

export interface EpisodeRoute {
  readonly kind: 'episode';
  readonly episode: number;
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
  /** To begin at; null: where one was, or its first. */
  readonly token: number | null;
  /** It is read as a conversation, at this message or at the newest; null: its tokens are shown. */
  readonly message: number | 'newest' | null;
  /** What would have made it; null: the run's own setting, which did. */
  readonly setting: MergeSetting | null;
}

/** Two episodes beside each other, at least one of them of the viewer's own trace. */
export interface CompareRoute {
  readonly kind: 'compare';
  /** The left one. */
  readonly episode: number;
  /** The right one; null: the one of its task whose reward differs most. */
  readonly other: number | null;
  /** Of each; null: the one with the most trained tokens. */
  readonly timeline: number | null;
  readonly otherTimeline: number | null;
  /** Of the left one and of the right one; null: the viewer's own. */
  readonly trace: string | null;
  readonly otherTrace: string | null;
}

/** What of a run is looked at. Another kind needs its case in each function of this file; the compiler tells which. */
export type Route = RunRoute | GroupRoute | EpisodeRoute | CallRoute | TimelineRoute | CompareRoute;

export const runRoute: RunRoute = { kind: 'run', list: 'episodes', filter: '', sort: null };

export const groupRoute = (group: number): GroupRoute => ({ kind: 'group', group });
export const episodeRoute = (episode: number): EpisodeRoute => ({ kind: 'episode', episode });
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

/** As parameters of an address, e.g. `episode=3&timeline=0`; the run as it is at first is the empty text. */
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
    case 'group':
      return { group: route.group };
    case 'episode':
      return { episode: route.episode };
    case 'call':
      return { episode: route.episode, call: route.call };
    case 'timeline':
      return {
        episode: route.episode,
        timeline: route.timeline,
        // The address has another `token`: the server's.
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

/** What makes no sense is left out: a link that leads nowhere leads to the run. */
export function parseRoute(parameters: URLSearchParams): Route {
  const [group, episode, call, timeline] = ['group', 'episode', 'call', 'timeline'].map((name) =>
    position(parameters.get(name)),
  );
  if (episode === undefined) return group === undefined ? runOf(parameters) : groupRoute(group);
  if (parameters.has('compare')) return compareOf(parameters, episode, timeline ?? null);
  if (call !== undefined) return callRoute(episode, call);
  return timeline === undefined ? episodeRoute(episode) : timelineOf(parameters, episode, timeline);
}

function timelineOf(parameters: URLSearchParams, episode: number, timeline: number): TimelineRoute {
  const message = parameters.has('message') ? (position(parameters.get('message')) ?? 'newest') : null;
  const setting = parseSetting(parameters.get('by') ?? '');
  return timelineRoute(episode, timeline, position(parameters.get('at')) ?? null, { message, setting });
}

/** E.g. `text-true-false`: the level, whether tools are ignored, and whether drift is fixed. */
export function formatSetting({ compareLevel, ignoreTools, fixesDrift }: MergeSetting): string {
  return [compareLevel, ignoreTools, fixesDrift].join('-');
}

/** Null: it is none. */
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
  // One side is the viewer's own, whatever a link says.
  const trace = otherTrace === null && other !== null ? traceNamed(parameters.get('run')) : null;
  return compareRoute(episode, other, { timeline, otherTimeline, trace, otherTrace });
}

function traceNamed(text: string | null): string | null {
  return text === null || text === '' || text.length > longestTrace ? null : text;
}

/** Characters. */
const longestTrace = 4_096;

/** The side of the viewer's own trace; of two it is the left one. */
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

/** Characters. */
export const longestFilter = 1_000;

function position(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The column, with a minus before it where the greatest comes first. */
function formatSort({ by, descending }: ListSort): string {
  return `${descending ? '-' : ''}${by}`;
}

function parseSort(text: string): ListSort | null {
  const [, minus, by] = /^(-?)([a-zA-Z]+)$/.exec(text) ?? [];
  return by === undefined ? null : { by, descending: minus === '-' };
}

/** Whether a part of an episode is looked at, not the whole. */
export function isPart(route: Route): route is CallRoute | TimelineRoute {
  return route.kind === 'call' || route.kind === 'timeline';
}

/** What the way up from a route depends on. */
export interface RouteContext {
  /** As it was when it was last looked at. */
  readonly run: RunRoute;
  /** Episodes per task. */
  readonly repeat: number;
  readonly tasks: number;
}

/** Where a route lies, from the run down to the place itself. */
export function pathOf(route: Route, above: RouteContext): readonly [RunRoute, ...Route[]] {
  const { run, repeat, tasks } = above;
  switch (route.kind) {
    case 'run':
      return [route];
    case 'group':
      return [run, route];
    case 'episode': {
      // An address may name an episode that no task has.
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

/** One step up; the run is above itself. */
export function parentOf(route: Route, above: RouteContext): Route {
  const path = pathOf(route, above);
  return path.at(-2) ?? path[0];
}

/** Whether one goes from sibling to sibling, or only looks at the same in another way. */
export function isSibling(from: Route, to: Route): boolean {
  if (!('episode' in from && 'episode' in to)) return from.kind === to.kind;
  if (from.kind === 'compare' && to.kind === 'compare') return true;
  return isPart(from) && isPart(to) && from.episode === to.episode;
}
