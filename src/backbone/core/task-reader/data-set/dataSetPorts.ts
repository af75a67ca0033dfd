import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { PartReader } from '../../../../base/core/ports.ts';

export interface DataSetPorts {
  readonly parts: PartReader;
  readonly hub: DataSetHub;
}

export interface DataSetListing {
  /** Paths of all files relative to the data set, parts joined by `/`. */
  readonly paths: readonly string[];
  readonly readme: string | undefined;
}

/** The Hugging Face Hub and its local cache. */
export interface DataSetHub {
  isId(text: string): boolean;
  /**
   * Brings the files that `choose` picks, as far as they are not there yet. Throws what `choose` throws of the whole
   * listing, and `task-reader/hub-…`.
   */
  open<T extends { readonly files: readonly string[] }>(
    id: string,
    choose: (listing: DataSetListing) => T,
    listener: HubListener,
  ): Promise<{ readonly folder: string; readonly chosen: T }>;
}

export interface HubListener {
  readonly cancellation: CancellationToken;
  /** Reports progress in one line. */
  progress(message: string): void;
}
