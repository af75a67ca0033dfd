import type { TraceSummary } from '../../core/protocol/runRpc.ts';

export interface RunFile {
  readonly trace: string;
  /** The size in bytes, without a journal. */
  readonly size: number;
  /** The time of the last write, in milliseconds since the Unix epoch. */
  readonly modified: number;
  /** True if a run created the folder of the trace, and no one copied the trace there. */
  readonly ownFolder: boolean;
  /** The folder of the training that wrote the trace of a step or validation. */
  readonly training: string | undefined;
}

export interface Run {
  readonly file: RunFile;
  readonly summary: TraceSummary;
}
