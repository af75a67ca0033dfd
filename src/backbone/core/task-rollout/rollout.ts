import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';
import type { Task } from '../../../sdk/core/index.ts';
import type { EpisodeSlot, EpisodeNumbers } from '../task-runner/episode.ts';

/** Returns `repeat` episodes for each task. Their numbers in validation are those of upstream's passes. */
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

/** Runs the slots in order. After cancellation none starts; the running ones end by themselves. Sorts by episode. */
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
