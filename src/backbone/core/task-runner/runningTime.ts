import type { Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';

const tick = 100;
/** A gap longer than this means that the process stood still, at a breakpoint or because the machine slept. */
const longestCounted = 2 * tick;

/**
 * Calls `run` once `seconds` of running time have passed. Time in which the process stood still does not count:
 * however long a debugger holds it, no limit is reached by that.
 *
 * @param isHeld whether a debugger holds another process that the time is for
 */
export function afterRunningTime(
  clock: Clock,
  seconds: number,
  run: () => void,
  isHeld: () => boolean = () => false,
): Disposable {
  let left = seconds * 1000;
  let last = clock.monotonic();
  const ticking = clock.every(tick, () => {
    const now = clock.monotonic();
    if (!isHeld()) left -= Math.min(now - last, longestCounted);
    last = now;
    if (left > 0) return;
    ticking.dispose();
    run();
  });
  return ticking;
}
