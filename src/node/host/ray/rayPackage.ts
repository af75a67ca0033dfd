import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CodedError } from '../../../base/errors.ts';
import { zip, type ZipFile } from './zip.ts';

/** What Ray's head takes in one request. */
export const packageLimit = 100 * 1024 * 1024;
const fileLimit = 65_000;

/** The code of a run as Ray takes it: named by what is in it, so that it is sent once. */
export interface RayPackage {
  /** For `working_dir`. */
  readonly uri: string;
  readonly bytes: Buffer;
}

/** Packs a run's folder. Links become what they lead to, which has to be inside. Rejects with `host/ray-package`. */
export async function packFolder(folder: string): Promise<RayPackage> {
  const root = await realpath(folder);
  const files: ZipFile[] = [];
  let size = 0;
  const visit = async (inside: string, above: readonly string[]): Promise<void> => {
    const place = await realpath(path.join(root, inside));
    const isOutside = path.relative(root, place).split(path.sep)[0] === '..';
    if (isOutside || above.includes(place)) return;
    const found = await stat(place);
    if (found.isDirectory()) {
      const names = (await readdir(place)).sort();
      for (const name of names) await visit(path.posix.join(inside, name), [...above, place]);
    } else if (found.isFile()) {
      size += found.size;
      if (size > packageLimit || files.length >= fileLimit) throw tooLarge();
      files.push({ path: inside, bytes: await readFile(place), executable: (found.mode & 0o100) !== 0 });
    }
  };
  await visit('', []);
  const bytes = zip(files);
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return { uri: `gcs://_ray_pkg_${digest}.zip`, bytes };
}

function tooLarge(): CodedError {
  return new CodedError({
    code: 'host/ray-package',
    message: `The code of the run is more than Ray takes: ${packageLimit / 1024 / 1024} MiB, ${fileLimit} files.`,
    hint: 'Leave data and models out with `.agentjetignore`; put them where every node of the cluster sees them.',
  });
}
