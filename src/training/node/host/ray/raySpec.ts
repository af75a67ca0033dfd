import path from 'node:path';
import * as z from 'zod/mini';
import { writeFileAtomic } from '../../../../base/node/atomicFile.ts';
import { readRegular } from '../../../../base/node/regularFile.ts';

/** A job for Ray, in a file that only its owner can read, because it holds the variables of the run. */
const raySpec = z.object({
  /** The address of the dashboard of the head. */
  head: z.string(),
  /** The id of the run and of the job, by which a later supervisor finds it. */
  id: z.string(),
  name: z.string(),
  entrypoint: z.string(),
  env: z.record(z.string(), z.string()),
  /** The folder of the code, which is packed. */
  folder: z.string(),
  /** True if Ray has the job. `asked`: the answer was lost. A job that Ray has forgotten is not submitted again. */
  handed: z.enum(['no', 'asked', 'yes']),
});
export type RaySpec = z.infer<typeof raySpec>;

export function raySpecFile(runFolder: string): string {
  return path.join(runFolder, 'ray-job.json');
}

export async function writeRaySpec(runFolder: string, spec: RaySpec): Promise<string> {
  const file = raySpecFile(runFolder);
  await writeFileAtomic(file, JSON.stringify(spec));
  return file;
}

export async function readRaySpec(file: string): Promise<RaySpec> {
  return raySpec.parse(JSON.parse(String(await readRegular(file))));
}
