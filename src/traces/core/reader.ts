import type { TraceViews } from './views.ts';

/** A trace that is open for reading, finished or still being written. */
export interface TraceReader {
  /**
   * Reads from one consistent state of the file. `ask` runs again if the file turns out to be damaged, on the parts
   * that can be read. Throws a CodedError `trace/…` if the file cannot be read, or has no such episode, call or timeline.
   */
  read<T>(ask: (views: TraceViews) => T): T;
  /** Returns a number that changes with every write. It is cheap enough to call several times a second. */
  changeCount(): number;
  /** Closes the file. After the run's end, the last reader that closes it merges its journal. */
  close(): void;
}
