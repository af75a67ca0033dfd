import { performance } from 'node:perf_hooks';
import { toDisposable } from '../core/disposable.ts';
import type { Clock } from '../core/ports.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    return toDisposable(() => clearTimeout(timer));
  },
  every: (milliseconds, run) => {
    const timer = setInterval(run, milliseconds);
    timer.unref();
    return toDisposable(() => clearInterval(timer));
  },
};
