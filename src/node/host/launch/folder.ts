import { constants } from 'node:fs';
import { cp, lstat, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CancellationToken } from '../../../base/cancellation.ts';
import { notResumable } from '../../../remote/launch/failures.ts';
import { trackerFile } from '../../../remote/launch/resume.ts';
import { cancelled } from '../../../remote/sync/failures.ts';
import { asDiskFull } from '../sync/contentStore.ts';

/** The step that training in this folder would go on from; null: none. */
export async function latestStep(jobFolder: string): Promise<number | null> {
  const text = await readFile(path.join(jobFolder, trackerFile), 'utf8').catch(() => '');
  return /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : null;
}

/** Under the same name, but another file: the old one may be shared with the store of contents. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const beside = `${file}.new`;
  await rm(beside, { force: true });
  const { mode } = await lstat(file);
  await writeFile(beside, text, { flag: 'wx', mode });
  await rename(beside, file);
}

/**
 * Copies a step, and what else is named, into a job's folder of its own. Real copies, shared only where the file system
 * does that by itself: training writes over files of the same step. Whole or not at all, also where the disk is full or it is
 * cancelled, which is looked at before each file; one that a host had made before it was killed is taken as it is, since
 * nothing has been started in it.
 */
export async function copyCheckpoint(
  from: string,
  to: string,
  names: readonly string[],
  step: number,
  cancellation: CancellationToken,
): Promise<void> {
  const isFolder = await lstat(to).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder && (await latestStep(to)) === step) return;
  const partial = `${to}.partial`;
  await rm(partial, { recursive: true, force: true });
  try {
    await mkdir(partial, { recursive: true });
    for (const name of names) await copyNamed(name, from, partial, cancellation);
    await writeFile(path.join(partial, trackerFile), String(step));
    await rename(partial, to);
  } catch (error) {
    // It belongs to no run: nobody else would ever remove it.
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    throw asDiskFull(error);
  }
}

async function copyNamed(
  name: string,
  from: string,
  partial: string,
  cancellation: CancellationToken,
): Promise<void> {
  const source = path.join(from, name);
  const found = await lstat(source).catch(() => undefined);
  if (found === undefined && !name.startsWith('global_step_')) return;
  if (found === undefined)
    throw notResumable(`there is no ${name} in ${from} any more`, 'Choose another step.');
  await cp(source, path.join(partial, name), {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    filter: () => {
      if (cancellation.isCancelled) throw cancelled();
      return true;
    },
  });
}

/**
 * Upstream's launcher finds its tables and default configs by paths from the working folder, as they are in a clone of
 * AgentJet. Where the code that was sent is none, the launcher's own package stands in.
 */
export async function linkDefaults(folder: string, ajet: string): Promise<void> {
  await symlink(ajet, path.join(folder, 'ajet'), 'dir').catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EEXIST') throw error;
  });
}
