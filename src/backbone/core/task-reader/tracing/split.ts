import { PythonRandom } from '../pythonRandom.ts';

/**
 * Upstream's split: shuffled by Python's generator seeded with 42, then the first 70 per cent for training, at least one
 * and, of more than one, not all.
 */
export function splitTasks<T>(tasks: readonly T[]): {
  readonly training: readonly T[];
  readonly validation: readonly T[];
} {
  const shuffled = [...tasks];
  new PythonRandom(42).shuffle(shuffled);
  const share = Math.trunc(shuffled.length * 0.7);
  const size = shuffled.length < 2 ? shuffled.length : Math.min(Math.max(share, 1), shuffled.length - 1);
  return { training: shuffled.slice(0, size), validation: shuffled.slice(size) };
}
