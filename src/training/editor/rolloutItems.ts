import path from 'node:path';
import { sizeText } from '../../base/core/format.ts';
import type { FileEntry } from '../core/protocol/hostRpc.ts';

/** A rollout log in the list to choose from. */
export interface RolloutItem {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly picked: boolean;
  readonly file: FileEntry;
}

/** The name of a log that was not rotated. */
export const currentLog = 'rollout.json.log';

/**
 * Returns one item per log, newest first. Parallel processes, such as Trinity-RFT's runners, each log to a separate folder
 * with the name of the machine, or of machine and process. Current logs are preselected, rotated logs are not.
 */
export function rolloutItems(logs: readonly FileEntry[], language: string): readonly RolloutItem[] {
  const newestFirst = logs.toSorted((a, b) => b.modifiedAt - a.modifiedAt);
  return newestFirst.map((file) => {
    const [name, folder] = [path.posix.basename(file.path), path.posix.dirname(file.path)];
    // The parent folder is the module, which is the same for all logs.
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
