import path from 'node:path';
import type { Disposable } from '../../../base/core/disposable.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { holderOfLock, takeFileLock } from './fileLock.ts';

/** Of two that start at once over a folder that was left, one may see it in between. */
const wait = { tries: 5, pause: 10 };

/**
 * Makes a data folder this process's own until disposed. One that was left by a process which is no more is taken over;
 * throws `host/already-running` where that process still runs.
 */
export function lockDataFolder(dataFolder: string): Disposable {
  return takeFileLock(lockFile(dataFolder), wait, (_, holder) => alreadyRunning(dataFolder, holder));
}

/** The process whose the folder is now; undefined: nobody's. */
export function holderOf(dataFolder: string): number | undefined {
  return holderOfLock(lockFile(dataFolder));
}

const lockFile = (dataFolder: string): string => path.join(dataFolder, 'host.lock');

function alreadyRunning(dataFolder: string, pid: number | undefined): CodedError {
  return new CodedError({
    code: 'host/already-running',
    message: `A host with the data folder ${dataFolder} runs already${pid === undefined ? '' : `, as process ${pid}`}.`,
    hint: 'Stop that one first, or name another folder with `--data`.',
  });
}
