import type { MergeSetting } from '../../core/protocol/mergingRpc.ts';
import type { ListSort } from '../../core/protocol/traceLists.ts';
import { groupOf } from '../../../tracking/core/groups.ts';

/** The run, with what its table shows. */
export interface RunPlace {
  readonly kind: 'run';
  readonly list: 'episodes' | 'groups';
  /** As it is written in the search field; empty: everything. */
  readonly filter: string;
  /** Null: in the order of their numbers. */
  readonly sort: ListSort | null;
}

/** The repeats of one task. */
export interface GroupPlace {
  readonly kind: 'group';
  /** Position of the task in the run. */
  readonly group: number;
}

export interface EpisodePlace {
  readonly kind: 'episode';
  readonly episode: number;
}

export interface CallPlace {
  readonly kind: 'call';
  readonly episode: number;
  readonly call: number;
}

export interface TimelinePlace {
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
export interface ComparePlace {
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
export type Place = RunPlace | GroupPlace | EpisodePlace | CallPlace | TimelinePlace | ComparePlace;

export const runPlace: RunPlace = { kind: 'run', list: 'episodes', filter: '', sort: null };

export const groupPlace = (group: number): GroupPlace => ({ kind: 'group', group });
export const episodePlace = (episode: number): EpisodePlace => ({ kind: 'episode', episode });
export const callPlace = (episode: number, call: number): CallPlace => ({ kind: 'call', episode, call });
export const timelinePlace = (
  episode: number,
  timeline: number,
  token: number | null = null,
  others: Partial<Pick<TimelinePlace, 'message' | 'setting'>> = {},
): TimelinePlace => ({
  kind: 'timeline',
  episode,
  timeline,
  token,
  message: null,
  setting: null,
  ...others,
});

export const comparePlace = (
  episode: number,
  other: number | null,
  sides: Partial<Omit<ComparePlace, 'kind' | 'episode' | 'other'>> = {},
): ComparePlace => ({
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
export function formatPlace(place: Place): string {
  return Object.entries(parametersOf(place))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

function parametersOf(place: Place): Readonly<Record<string, string | number>> {
  switch (place.kind) {
    case 'run':
      return {
        ...(place.list === 'groups' && { list: 'groups' }),
        ...(place.filter !== '' && { filter: place.filter }),
        ...(place.sort !== null && { sort: formatSort(place.sort) }),
      };
    case 'group':
      return { group: place.group };
    case 'episode':
      return { episode: place.episode };
    case 'call':
      return { episode: place.episode, call: place.call };
    case 'timeline':
      return {
        episode: place.episode,
        timeline: place.timeline,
        // The address has another `token`: the server's.
        ...(place.token !== null && { at: place.token }),
        ...(place.message !== null && { message: place.message === 'newest' ? '' : place.message }),
        ...(place.setting !== null && { by: formatSetting(place.setting) }),
      };
    case 'compare':
      return {
        episode: place.episode,
        compare: place.other ?? '',
        ...(place.timeline !== null && { timeline: place.timeline }),
        ...(place.otherTimeline !== null && { otherTimeline: place.otherTimeline }),
        ...(place.trace !== null && { run: place.trace }),
        ...(place.otherTrace !== null && { otherRun: place.otherTrace }),
      };
  }
}

/** What makes no sense is left out: a link that leads nowhere leads to the run. */
export function parsePlace(parameters: URLSearchParams): Place {
  const [group, episode, call, timeline] = ['group', 'episode', 'call', 'timeline'].map((name) =>
    position(parameters.get(name)),
  );
  if (episode === undefined) return group === undefined ? runOf(parameters) : groupPlace(group);
  if (parameters.has('compare')) return compareOf(parameters, episode, timeline ?? null);
  if (call !== undefined) return callPlace(episode, call);
  return timeline === undefined ? episodePlace(episode) : timelineOf(parameters, episode, timeline);
}

function timelineOf(parameters: URLSearchParams, episode: number, timeline: number): TimelinePlace {
  const message = parameters.has('message') ? (position(parameters.get('message')) ?? 'newest') : null;
  const setting = parseSetting(parameters.get('by') ?? '');
  return timelinePlace(episode, timeline, position(parameters.get('at')) ?? null, { message, setting });
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

function compareOf(parameters: URLSearchParams, episode: number, timeline: number | null): ComparePlace {
  const [other = null, otherTimeline = null] = ['compare', 'otherTimeline'].map((name) =>
    position(parameters.get(name)),
  );
  const otherTrace = traceNamed(parameters.get('otherRun'));
  // One side is the viewer's own, whatever a link says.
  const trace = otherTrace === null && other !== null ? traceNamed(parameters.get('run')) : null;
  return comparePlace(episode, other, { timeline, otherTimeline, trace, otherTrace });
}

function traceNamed(text: string | null): string | null {
  return text === null || text === '' || text.length > longestTrace ? null : text;
}

/** Characters. */
const longestTrace = 4_096;

/** The side of the viewer's own trace; of two it is the left one. */
export function ownEpisode({ episode, other, trace }: ComparePlace): number {
  return trace === null ? episode : (other ?? episode);
}

function runOf(parameters: URLSearchParams): RunPlace {
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
export function isPart(place: Place): place is CallPlace | TimelinePlace {
  return place.kind === 'call' || place.kind === 'timeline';
}

/** What the way up from a place depends on. */
export interface Above {
  /** As it was when it was last looked at. */
  readonly run: RunPlace;
  /** Episodes per task. */
  readonly repeat: number;
  readonly tasks: number;
}

/** Where a place lies, from the run down to the place itself. */
export function pathOf(place: Place, above: Above): readonly [RunPlace, ...Place[]] {
  const { run, repeat, tasks } = above;
  switch (place.kind) {
    case 'run':
      return [place];
    case 'group':
      return [run, place];
    case 'episode': {
      // An address may name an episode that no task has.
      const group = groupOf(place.episode, repeat);
      return group < tasks ? [run, groupPlace(group), place] : [run, place];
    }
    case 'call':
    case 'timeline':
      return [...pathOf(episodePlace(place.episode), above), place];
    case 'compare':
      return [...pathOf(episodePlace(ownEpisode(place)), above), place];
  }
}

/** One step up; the run is above itself. */
export function parentOf(place: Place, above: Above): Place {
  const path = pathOf(place, above);
  return path.at(-2) ?? path[0];
}

/** Whether one goes from sibling to sibling, or only looks at the same in another way. */
export function isSideways(from: Place, to: Place): boolean {
  if (!('episode' in from && 'episode' in to)) return from.kind === to.kind;
  if (from.kind === 'compare' && to.kind === 'compare') return true;
  return isPart(from) && isPart(to) && from.episode === to.episode;
}
