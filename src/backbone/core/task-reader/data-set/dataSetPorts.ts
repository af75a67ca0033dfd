import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { PartReader } from '../../../../base/core/ports.ts';

/** What data sets are read from, handed in. */
export interface DataSetPorts {
  readonly parts: PartReader;
  readonly hub: DataSetHub;
}

/** The files of a data set. */
export interface DataSetListing {
  /** Of all files, below the folder of the data set, parts joined by `/`. */
  readonly paths: readonly string[];
  readonly readme: string | undefined;
}

/** The Hugging Face Hub, and what there is of it on this machine. */
export interface DataSetHub {
  /** Whether a text could be the id of a data set. */
  isId(text: string): boolean;
  /**
   * Brings the files that `choose` picks, as far as they are not there yet. Throws what `choose` throws of the whole
   * listing, and `task-reader/hub-…`.
   */
  open<T extends { readonly files: readonly string[] }>(
    id: string,
    choose: (listing: DataSetListing) => T,
    told: HubListener,
  ): Promise<{ readonly folder: string; readonly chosen: T }>;
}

export interface HubListener {
  readonly cancellation: CancellationToken;
  /** A line for who waits. */
  progress(message: string): void;
}
