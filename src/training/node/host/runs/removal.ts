import { readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { RunStage } from '../../../core/protocol/runs.ts';
import { isUpstreams, partsOf } from './jobFolder.ts';

/** Takes the checkpoints and logs of a job and of its stages away, and their folders where nothing else is in them. */
export async function removeCheckpoints(jobFolder: string, stages?: readonly RunStage[]): Promise<void> {
  const folders = partsOf(jobFolder, stages).map(({ folder }) => folder);
  for (const folder of new Set([...folders, jobFolder])) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => isUpstreams(one))) {
      await rm(path.join(folder, name), { recursive: true, force: true, maxRetries: 3 });
    }
    await rmdir(folder).catch(() => undefined); // something else is in it
  }
}
