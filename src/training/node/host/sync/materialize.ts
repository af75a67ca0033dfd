import { chmod, mkdir, readdir, realpath, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { SnapshotManifest } from '../../../core/protocol/hostRpc.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { forEachParallel } from '../../parallel.ts';
import { asDiskFull } from './contentStore.ts';

const atATime = 8;

export type CopyContent = (sha256: string, bytes: number, to: string) => Promise<void>;

/**
 * Copies the files of a manifest into an empty folder, and empties it again after a failure.
 * Copies share their blocks if the file system supports that; a run may change its copies. The manifest was checked
 * before. This function checks that no parent folder is a link, and creates links last.
 *
 * @param copy copies a content to a new file, and checks it
 */
export async function materialize(
  manifest: SnapshotManifest,
  folder: string,
  copy: CopyContent,
  cancellation: CancellationToken,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw syncErrors.notEmpty(folder);
  const root = await realpath(folder);
  try {
    await makeFolders(root, manifest, cancellation);
    await copyFiles(root, manifest, copy, cancellation);
    for (const entry of manifest) {
      if ('link' in entry) await symlink(entry.link, path.join(root, entry.path));
    }
  } catch (error) {
    for (const name of await readdir(root)) await rm(path.join(root, name), { recursive: true, force: true });
    throw asDiskFull(error);
  }
}

async function copyFiles(
  root: string,
  manifest: SnapshotManifest,
  copy: CopyContent,
  cancellation: CancellationToken,
): Promise<void> {
  const files = manifest.filter((entry) => 'sha256' in entry);
  await forEachParallel(files, atATime, async ({ path: inside, sha256, bytes, executable }) => {
    if (cancellation.isCancelled) throw syncErrors.cancelled();
    const file = path.join(root, inside);
    await copy(sha256, bytes, file);
    if (executable === true) await chmod(file, 0o755);
  });
}

async function makeFolders(
  root: string,
  manifest: SnapshotManifest,
  cancellation: CancellationToken,
): Promise<void> {
  const made = new Set(['.']);
  for (const { path: inside } of manifest) {
    const folder = path.posix.dirname(inside);
    if (made.has(folder)) continue;
    if (cancellation.isCancelled) throw syncErrors.cancelled();
    const above: string[] = [];
    for (let at = folder; !made.has(at); at = path.posix.dirname(at)) above.push(at);
    for (const one of above.reverse()) {
      made.add(one);
      const place = path.join(root, one);
      await mkdir(place);
      if ((await realpath(place)) !== place) throw syncErrors.refusedPath(one, 'it leads out of the folder');
    }
  }
}
