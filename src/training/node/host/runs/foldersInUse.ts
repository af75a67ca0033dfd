import { finalStates, type RunOrder, type RunRecord } from '../../../core/protocol/runs.ts';
import type { JobUse } from '../../../core/launch/training.ts';
import { folderInUse } from '../../../core/runs/failures.ts';

/** Tracks the folders of active runs. Two runs in one folder would overwrite each other's checkpoints. */
export class FoldersInUse {
  /** Folders by run. The record of the run has priority, because upstream may rename a folder. */
  readonly #claims = new Map<string, string>();
  readonly #recordOf: (run: string) => RunRecord | undefined;

  /** @param recordOf returns undefined for a run that is being created */
  constructor(recordOf: (run: string) => RunRecord | undefined) {
    this.#recordOf = recordOf;
  }

  /** Claims an absolute folder until the run has ended. Throws `host/folder-in-use`. */
  claim(run: string, folder: string, use: JobUse): void {
    const other = this.#userOf(folder, run);
    if (other !== undefined && use === 'alone') throw folderInUse(other);
    this.#claims.set(run, folder);
  }

  /**
   * Claims the folder in which an order resumes, so that two orders do not get the same. Throws `host/folder-in-use`.
   */
  resume(run: string, from: RunOrder['from']): void {
    const other = this.userFor(from, null);
    if (other !== undefined) throw folderInUse(other);
    const folder = this.resumedBy(from);
    if (folder !== undefined) this.claim(run, folder, 'alone');
  }

  release(run: string): void {
    this.#claims.delete(run);
  }

  /** Returns the folder in which an order resumes. Undefined: it has its own folder, or the folder is unknown. */
  resumedBy(from: RunRecord['from'] | undefined): string | undefined {
    return from?.as === 'resume' ? this.#folderOf(from.run) : undefined;
  }

  /** Returns the run that uses the folder in which an order resumes, or else `folder` (absolute, or null). */
  userFor(from: RunOrder['from'], folder: string | null): string | undefined {
    const place = this.resumedBy(from) ?? folder;
    if (place !== null) return this.#userOf(place);
    return from?.as === 'resume' && !this.#isOver(from.run) ? from.run : undefined;
  }

  #folderOf(run: string): string | undefined {
    return this.#recordOf(run)?.jobFolder ?? this.#claims.get(run);
  }

  /** Returns an active run in a folder, except one. */
  #userOf(folder: string, except?: string): string | undefined {
    return [...this.#claims.keys()].find((run) => {
      return run !== except && !this.#isOver(run) && this.#folderOf(run) === folder;
    });
  }

  #isOver(run: string): boolean {
    const record = this.#recordOf(run);
    return record !== undefined && finalStates.includes(record.state);
  }
}
