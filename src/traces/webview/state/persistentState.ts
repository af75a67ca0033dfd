import { useState } from 'preact/hooks';
import { useViewer } from './viewer.ts';

/**
 * As `useState`, with a value that outlives a reload of the page and visits to other places.
 *
 * @param read makes the first value of what was saved under the key; undefined: nothing was
 */
export function usePersistentState<T>(
  key: string,
  read: (saved: unknown) => T,
): readonly [value: T, keep: (value: T) => void] {
  const { memory } = useViewer();
  const [value, setValue] = useState(() => read(memory.read(key)));
  const keep = (next: T) => {
    memory.write(key, next);
    setValue(next);
  };
  return [value, keep];
}
