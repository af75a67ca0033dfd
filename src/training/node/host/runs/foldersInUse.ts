import { finalStates, type RunOrder, type RunRecord } from '../../../core/protocol/runs.ts';
import type { JobUse } from '../../../core/launch/training.ts';
import { folderInUse } from '../../../core/runs/failures.ts';

/** Which runs are at work in which folders, or will be: two trainings in one write over each other's checkpoints. */
export class FoldersInUse {
  /** By run. What its record says counts more, since upstream may rename a folder. */
  readonly #claims = new Map<string, string>();
  readonly #recordOf: (run: string) => RunRecord | undefined;

  /** @param recordOf undefined of a run that is being made */
  constructor(recordOf: (run: string) => RunRecord | undefined) {
    this.#recordOf = recordOf;
  }

  /** From now on, until the run has ended. Throws `host/folder-in-use`. @param folder absolute */
  claim(run: string, folder: string, use: JobUse): void {
    const other = this.#userOf(folder, run);
    if (other !== undefined && use === 'alone') throw folderInUse(other);
    this.#claims.set(run, folder);
  }

  /** Two that are ordered at once do not both get the folder that they go on in. Throws `host/folder-in-use`. */
  resume(run: string, from: RunOrder['from']): void {
    const other = this.userFor(from, null);
    if (other !== undefined) throw folderInUse(other);
    const folder = this.resumedBy(from);
    if (folder !== undefined) this.claim(run, folder, 'alone');
  }

  release(run: string): void {
    this.#claims.delete(run);
  }

  /** The folder of an earlier run that an order goes on in; undefined: it has its own, or where that one wrote is not known. */
  resumedBy(from: RunRecord['from'] | undefined): string | undefined {
    return from?.as === 'resume' ? this.#folderOf(from.run) : undefined;
  }

  /** Who is at work where an order goes on, or else in this folder. @param folder absolute; null: none is known */
  userFor(from: RunOrder['from'], folder: string | null): string | undefined {
    const place = this.resumedBy(from) ?? folder;
    if (place !== null) return this.#userOf(place);
    return from?.as === 'resume' && !this.#isOver(from.run) ? from.run : undefined;
  }

  #folderOf(run: string): string | undefined {
    return this.#recordOf(run)?.jobFolder ?? this.#claims.get(run);
  }

  /** A run that has the folder and has not ended. @param except this one does not count */
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
