import type { MergeSetting } from '../../core/protocol/mergingRpc.ts';
import { formatSetting, type TimelineRoute } from '../state/route.ts';

/** Which timeline, as requests name it. */
export interface TimelineOf {
  readonly episode: number;
  readonly timeline: number;
  /** Absent: it is one of those that the run made. */
  readonly setting?: MergeSetting | undefined;
}

export function timelineOf({ episode, timeline, setting }: TimelineRoute): TimelineOf {
  return { episode, timeline, ...(setting !== null && { setting }) };
}

/** The same text for the same timeline. */
export function keyOf({ episode, timeline, setting }: TimelineOf): string {
  return [episode, timeline, ...(setting === undefined ? [] : [formatSetting(setting)])].join(' ');
}
