import { constants } from 'node:fs';
import { cp, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { RunStage } from '../../../core/protocol/runs.ts';
import { notResumable } from '../../../core/launch/failures.ts';
import {
  stageFile,
  trackerFile,
  type JobSeed,
  type SourceStage,
  type StagedSource,
} from '../../../core/launch/resumeStages.ts';
import { hasWeights } from '../../../core/sync/checkpoints.ts';
import { cancelled } from '../../../core/sync/failures.ts';
import { readJson } from '../../../../base/node/atomicFile.ts';
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
 * Makes a job's folder with copies of what another one has. Real copies, shared only where the file system does that by itself:
 * training writes over files of the same step. Whole or not at all, also where the disk is full or it is cancelled, which is
 * looked at before each file; one that a host had made before it was killed is taken as it is, since nothing has been started
 * in it.
 */
export async function seedJob(
  from: string,
  to: string,
  { copies, texts }: JobSeed,
  cancellation: CancellationToken,
): Promise<void> {
  if (await isSeeded(to, texts)) return;
  const partial = `${to}.partial`;
  await rm(partial, { recursive: true, force: true });
  try {
    await mkdir(partial, { recursive: true });
    for (const copy of copies) await copyInto(partial, from, copy, cancellation);
    for (const { path: inside, text } of texts) await writeFile(path.join(partial, inside), text);
    await rename(partial, to);
  } catch (error) {
    // It belongs to no run: nobody else would ever remove it.
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    throw asDiskFull(error);
  }
}

async function isSeeded(folder: string, texts: JobSeed['texts']): Promise<boolean> {
  const isFolder = await lstat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isFolder) return false;
  for (const { path: inside, text } of texts) {
    if ((await readFile(path.join(folder, inside), 'utf8').catch(() => '')) !== text) return false;
  }
  return true;
}

async function copyInto(
  partial: string,
  from: string,
  copy: JobSeed['copies'][number],
  cancellation: CancellationToken,
): Promise<void> {
  const source = path.join(from, copy.from);
  const found = await lstat(source).catch(() => undefined);
  if (found === undefined && copy.optional) return;
  if (found === undefined)
    throw notResumable(`there is no ${copy.from} in ${from} any more`, 'Choose another step.');
  await cp(source, path.join(partial, copy.to), {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    filter: () => {
      if (cancellation.isCancelled) throw cancelled();
      return true;
    },
  });
}

/** What the folders of a training in stages tell, in their order; undefined: it has none. */
export async function stagedSource(
  jobFolder: string,
  stages: readonly RunStage[] | undefined,
): Promise<StagedSource | undefined> {
  if (stages === undefined || stages.length === 0) return undefined;
  const found: SourceStage[] = [];
  for (const { name, folder } of stages) {
    const place = path.join(jobFolder, folder);
    const latest = await latestStep(place);
    const weights = path.join(place, `global_step_${latest ?? 0}`, 'actor/huggingface');
    const files = latest === null ? [] : await readdir(weights).catch(() => []);
    found.push({ name, folder, latest, hasWeights: hasWeights(files) });
  }
  return { current: await currentStage(jobFolder), stages: found };
}

/** Which stage goes on in a job's folder, counted from 0; null: that is not noted. */
export async function currentStage(jobFolder: string): Promise<number | null> {
  const noted = stageMeta.safeParse(await readJson(path.join(jobFolder, stageFile)));
  return noted.data?.latest_stage ?? null;
}

const stageMeta = z.object({ latest_stage: z.int().check(z.nonnegative()) });

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
