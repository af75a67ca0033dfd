import { readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';

/** What upstream puts into a job's folder; whatever else is there is somebody else's. */
const upstreams =
  /^(?:global_step_\d+|latest_\w+_iteration\.txt|\w+_meta\.json|\w+_server_url\.txt|config\.json|buffer|log|monitor)$/;

/** Takes the checkpoints and logs of a job away, and its folder where nothing else is in it. */
export async function removeCheckpoints(jobFolder: string): Promise<void> {
  const names = await readdir(jobFolder).catch(() => []);
  for (const name of names.filter((one) => upstreams.test(one))) {
    await rm(path.join(jobFolder, name), { recursive: true, force: true, maxRetries: 3 });
  }
  await rmdir(jobFolder).catch(() => undefined); // something else is in it
}
