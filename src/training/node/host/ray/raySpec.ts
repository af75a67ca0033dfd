import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../../../../base/node/atomicFile.ts';

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
  /** Whether Ray has it. Where it was asked to take it, it may; one that it has had and forgotten is not handed over again. */
  handed: z.enum(['no', 'asked', 'yes']),
});
export type RaySpec = z.infer<typeof raySpec>;

export function raySpecFile(runFolder: string): string {
  return path.join(runFolder, 'ray-job.json');
}

/** Its path. */
export async function writeRaySpec(runFolder: string, spec: RaySpec): Promise<string> {
  const file = raySpecFile(runFolder);
  await writeFileAtomic(file, JSON.stringify(spec));
  return file;
}

export async function readRaySpec(file: string): Promise<RaySpec> {
  return raySpec.parse(JSON.parse(await readFile(file, 'utf8')));
}
