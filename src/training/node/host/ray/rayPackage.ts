import { createHash } from 'node:crypto';
import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { zipSync, type ZippableFile } from 'fflate';
import { CodedError } from '../../../../base/core/errors.ts';

/** Bytes that Ray's head accepts in one request. */
export const packageLimit = 100 * 1024 * 1024;
const fileLimit = 65_000;
/** The earliest date in the zip format, so that equal files make equal bytes. */
const mtime = new Date(1980, 0, 1);
/** Attributes are modes of Unix. */
const os = 3;

/** The code of a run for Ray. Its name depends on its content, so that it is sent once. */
export interface RayPackage {
  /** For `working_dir`. */
  readonly uri: string;
  readonly bytes: Uint8Array;
}

/** Packs a run's folder. Follows links that lead inside of it. Rejects with `host/ray-package`. */
export async function packFolder(folder: string): Promise<RayPackage> {
  const root = await realpath(folder);
  const files: [string, ZippableFile][] = [];
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
      const mode = (found.mode & 0o100) === 0 ? 0o100644 : 0o100755;
      files.push([inside, [await readFile(place), { mtime, os, attrs: mode * 0x10000 }]]);
    }
  };
  await visit('', []);
  const bytes = zipSync(Object.fromEntries(files));
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 32);
  return { uri: `gcs://_ray_pkg_${digest}.zip`, bytes };
}

function tooLarge(): CodedError {
  return new CodedError({
    code: 'host/ray-package',
    message: `The code of the run is too large for Ray, which accepts ${packageLimit / 1024 / 1024} MiB and ${fileLimit} files.`,
    hint: 'Exclude data and models with `.agentjetignore`, and put them where every node of the cluster can read them.',
  });
}
