import type { TraceSummary } from '../../core/protocol/runRpc.ts';

/** A trace on disk, as the file system tells of it. */
export interface RunFile {
  /** Absolute path of the `*.ajtrace`. */
  readonly trace: string;
  /** Bytes, without a journal beside it. */
  readonly size: number;
  /** Milliseconds since the Unix epoch. */
  readonly modified: number;
  /** Whether the folder that it lies in is its own: one that a run made, not one that somebody copied it to. */
  readonly ownFolder: boolean;
}

export interface Run {
  readonly file: RunFile;
  readonly summary: TraceSummary;
}

export type RunState = TraceSummary['state'];
