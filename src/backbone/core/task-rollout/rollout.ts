import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';
import type { Task } from '../../../sdk/core/index.ts';
import type { EpisodeSlot, EpisodeNumbers } from '../task-runner/episode.ts';

/**
 * Returns the episodes of a run: `repeat` for each task, numbered as in upstream. For validation, upstream runs the list
 * of tasks once per pass with one episode per task. The batch index and the tag follow that.
 */
export function episodeSlots(
  tasks: readonly Task[],
  repeat: number,
  mode: 'sample' | 'validate' = 'sample',
): EpisodeSlot[] {
  return tasks.flatMap((task, taskIndex) =>
    Array.from({ length: repeat }, (_, r) => ({
      episode: taskIndex * repeat + r,
      task,
      taskIndex,
      repeat: r,
      ...(mode === 'validate' && { numbering: passOf(r * tasks.length + taskIndex, task) }),
    })),
  );
}

function passOf(index: number, { task_id }: Task): EpisodeNumbers {
  return { taskBatchIndex: index, taskTag: `T${task_id}#R0` };
}

/**
 * Runs every slot in order, at most `parallel` at a time. After cancellation no further slot starts; the running ones
 * observe the same token and end by themselves. Results are sorted by episode number.
 */
export async function rollOut<Slot>(
  slots: readonly Slot[],
  parallel: number,
  cancellation: CancellationToken,
  run: (slot: Slot) => Promise<EpisodeResult>,
): Promise<EpisodeResult[]> {
  const results: EpisodeResult[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (!cancellation.isCancelled) {
      const slot = slots[next++];
      if (slot === undefined) return;
      results.push(await run(slot));
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, slots.length) }, lane));
  return results.sort((a, b) => a.episode - b.episode);
}
