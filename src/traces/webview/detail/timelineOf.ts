import type { MergeSetting } from '../../core/protocol/mergingRpc.ts';
import { formatSetting, type TimelineRoute } from '../state/route.ts';

/** The identity of a timeline in requests. */
export interface TimelineOf {
  readonly episode: number;
  readonly timeline: number;
  /** Absent: the run made it. */
  readonly setting?: MergeSetting | undefined;
}

export function timelineOf({ episode, timeline, setting }: TimelineRoute): TimelineOf {
  return { episode, timeline, ...(setting !== null && { setting }) };
}

/** Returns a text that is equal for equal timelines. */
export function keyOf({ episode, timeline, setting }: TimelineOf): string {
  return [episode, timeline, ...(setting === undefined ? [] : [formatSetting(setting)])].join(' ');
}
