import { readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { isUpstreams } from './jobFolder.ts';

/** Takes the checkpoints and logs of a job away, and its folder where nothing else is in it. */
export async function removeCheckpoints(jobFolder: string): Promise<void> {
  const names = await readdir(jobFolder).catch(() => []);
  for (const name of names.filter(isUpstreams)) {
    await rm(path.join(jobFolder, name), { recursive: true, force: true, maxRetries: 3 });
  }
  await rmdir(jobFolder).catch(() => undefined); // something else is in it
}
