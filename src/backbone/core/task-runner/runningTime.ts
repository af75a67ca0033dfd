import type { Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';

const tick = 100;
/** A longer gap means that the process was suspended, at a breakpoint or because the machine slept. */
const longestCounted = 2 * tick;

/** Does not count time in which this process was suspended, or `isHeld` says that a debugger holds another one. */
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
