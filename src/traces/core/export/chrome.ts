/**
 * Chrome's trace events, which Perfetto opens: an episode is a process, an agent a thread of it; calls of one agent that
 * overlap are on further threads. Times are microseconds since the run began.
 */
import type { RunView } from '../protocol/runRpc.ts';
import type { ExportedEpisode } from './episode.ts';
import { placed, slicesOf } from './slices.ts';

export const chromeBegin = '{"displayTimeUnit":"ms","traceEvents":[\n';

/** @param run what the file tells beside its events */
export function chromeEnd({ experiment, model, workflow, tasks, repeat, damage }: RunView): string {
  const other = { experiment, model, workflow, tasks: String(tasks), repeat: String(repeat) };
  return `\n],"otherData":${JSON.stringify({ ...other, ...(damage && { damage: JSON.stringify(damage) }) })}}\n`;
}

/** Events of one episode, without the comma behind the last. */
export function chromeEvents(episode: ExportedEpisode, runStart: number): string {
  const { row } = episode;
  const pid = row.episode + 1;
  const { slices, lanes } = placed(slicesOf(episode), runStart);
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
