import { useState } from 'preact/hooks';
import { useViewer } from './viewer.ts';

/**
 * Works like `useState` with a value that survives reloads and navigation.
 *
 * @param read makes the first value from the saved one; undefined: none was saved
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
