/**
 * Runs `work` for all items, `parallel` at a time. After a failure no further item starts. Rejects with the first failure
 * when all started work has ended.
 */
export async function forEachParallel<T>(
  items: Iterable<T>,
  parallel: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items].values();
  let isOver = false;
  const run = async (): Promise<void> => {
    for (const item of left) {
      if (isOver) return;
      await work(item);
    }
  };
  const running = Array.from({ length: parallel }, () => run().finally(() => (isOver = true)));
  for (const result of await Promise.allSettled(running))
    if (result.status === 'rejected') throw result.reason;
}
