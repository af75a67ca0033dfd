import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';
import type { Task } from '../../../sdk/core/index.ts';
import type { EpisodeSlot, EpisodeNumbers } from '../task-runner/episode.ts';

/**
 * The episodes of a run: `repeat` of each task, numbered as upstream numbers them. To validate, upstream runs its list of
 * tasks again for every pass, each time with a single episode per task: batch index and tag follow that.
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
 * Runs every slot, at most `parallel` at a time, in order of their numbers. After cancellation no further one
 * starts; those that run are told by the same token and end by themselves. Results are in order of numbers.
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
