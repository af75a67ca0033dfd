import type { Clock } from '../base/ports.ts';

/** Milliseconds of work after which everything else gets its turn. */
const sliceMilliseconds = 1;

/**
 * Collects what steps give, letting the event loop have its turn in between. Undefined once `isCurrent` says that
 * nobody wants the result any more.
 */
export async function collectInSlices<T>(
  steps: Iterable<readonly T[]>,
  clock: Clock,
  isCurrent: () => boolean,
): Promise<T[] | undefined> {
  const collected: T[] = [];
  let began = clock.monotonic();
  for (const step of steps) {
    collected.push(...step);
    if (clock.monotonic() - began < sliceMilliseconds) continue;
    await new Promise<void>((resolve) => clock.after(0, resolve));
    if (!isCurrent()) return undefined;
    began = clock.monotonic();
  }
  return collected;
}
