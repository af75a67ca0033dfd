import type { RunFiles } from '../../../core/contracts.ts';
import { noJobFolder } from '../../../core/sync/failures.ts';
import { isRolloutLog, mayHoldRolloutLog } from '../../../core/sync/rolloutLogs.ts';
import { FilesInside } from './filesInside.ts';
import { Inside } from './inside.ts';

/**
 * The logs of rollouts that AgentJet's launcher leaves in its working folder, whatever backbone trains. Nothing else there is
 * seen: the copies of configs beside them may hold keys.
 *
 * @param folderOf the launcher's, absolute; throws `host/no-run`
 */
export function openRolloutLogs(folderOf: (run: string) => string): RunFiles {
  return new FilesInside(async (run) => {
    const inside = await Inside.of(folderOf(run), () => (path, kind) => {
      return kind === 'file' ? isRolloutLog(path) : mayHoldRolloutLog(path);
    });
    if (inside === undefined) throw noJobFolder(run);
    return inside;
  });
}
