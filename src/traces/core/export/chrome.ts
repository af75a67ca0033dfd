import type { RunView } from '../protocol/runRpc.ts';
import type { ExportedEpisode } from './episode.ts';
import { placedSlices, slicesOf } from './slices.ts';

/**
 * The Trace Event Format of Chrome and Perfetto: a process per episode, a thread per lane.
 * https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 */
export function chromeBegin(): string {
  return '{"displayTimeUnit":"ms","traceEvents":[\n';
}

export function chromeEnd({ experiment, model, workflow, tasks, repeat, damage }: RunView): string {
  const other = { experiment, model, workflow, tasks: String(tasks), repeat: String(repeat) };
  return `\n],"otherData":${JSON.stringify({ ...other, ...(damage && { damage: JSON.stringify(damage) }) })}}\n`;
}

export function chromeEvents(episode: ExportedEpisode, { startedAt }: RunView): string {
  const { row } = episode;
  const pid = row.episode + 1;
  const { slices, lanes } = placedSlices(slicesOf(episode), startedAt);
  const title = `episode ${row.episode}: ${row.taskId} #${row.repeat}, reward ${row.reward ?? 'none'}`;
  const names = [
    { ph: 'M', name: 'process_name', pid, tid: 0, args: { name: title } },
    { ph: 'M', name: 'process_sort_index', pid, tid: 0, args: { sort_index: row.episode } },
    ...lanes.map((name, tid) => ({ ph: 'M', name: 'thread_name', pid, tid, args: { name } })),
  ];
  const events = slices.map(({ name, category: cat, thread: tid, start: ts, length: dur, args }) => {
    return { ph: 'X', name, cat, pid, tid, ts, dur, args };
  });
  return [...names, ...events].map((event) => JSON.stringify(event)).join(',\n');
}
