import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';

/** A job that is to be handed to Ray, in a file that only its owner reads: it holds the run's variables. */
const raySpec = z.object({
  /** Address of the head's dashboard. */
  head: z.string(),
  /** The run's id, and so the job's: whoever looks after it later finds it. */
  id: z.string(),
  name: z.string(),
  entrypoint: z.string(),
  env: z.record(z.string(), z.string()),
  /** The run's code, which is packed. */
  folder: z.string(),
});
export type RaySpec = z.infer<typeof raySpec>;

/** Its path. */
export async function writeRaySpec(folder: string, spec: RaySpec): Promise<string> {
  const file = path.join(folder, 'ray-job.json');
  await writeFile(file, JSON.stringify(spec), { mode: 0o600 });
  return file;
}

export async function readRaySpec(file: string): Promise<RaySpec> {
  return raySpec.parse(JSON.parse(await readFile(file, 'utf8')));
}
