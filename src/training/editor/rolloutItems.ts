import path from 'node:path';
import { sizeText } from '../../base/core/format.ts';
import type { FileEntry } from '../core/protocol/hostRpc.ts';

/** A log of rollouts, to choose. */
export interface RolloutItem {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly picked: boolean;
  readonly file: FileEntry;
}

/** What logs are called that have not been set aside. */
export const currentLog = 'rollout.json.log';

/**
 * The newest first. Processes that log at once, as Trinity-RFT's runners do, each have a folder of their own, by the machine or
 * with the process after it: all that they write now is wanted, and what was set aside for its size only if the user says so.
 */
export function rolloutItems(logs: readonly FileEntry[], language: string): readonly RolloutItem[] {
  const newestFirst = logs.toSorted((a, b) => b.modifiedAt - a.modifiedAt);
  return newestFirst.map((file) => {
    const [name, folder] = [path.posix.basename(file.path), path.posix.dirname(file.path)];
    // Above it is the module, which all have.
    const machine = path.posix.basename(path.posix.dirname(folder));
    return {
      label: `${machine}/${name}`,
      description: `${sizeText(file.bytes)}, ${new Date(file.modifiedAt).toLocaleString(language)}`,
      detail: folder,
      picked: name === currentLog,
      file,
    };
  });
}
