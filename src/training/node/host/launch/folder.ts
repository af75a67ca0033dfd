import { constants } from 'node:fs';
import { cp, lstat, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import { hasCode } from '../../../../base/core/errors.ts';
import type { RunStage } from '../../../core/protocol/runs.ts';
import { launchErrors } from '../../../core/launch/failures.ts';
import {
  stageFile,
  trackerFile,
  type JobSeed,
  type SourceStage,
  type StagedSource,
} from '../../../core/launch/resumeStages.ts';
import { hasWeights } from '../../../core/sync/checkpoints.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { readJson } from '../../../../base/node/atomicFile.ts';
import { readRegular } from '../../../../base/node/regularFile.ts';
import { asDiskFull } from '../sync/contentStore.ts';

export async function latestStep(jobFolder: string): Promise<number | null> {
  const text = await readRegular(path.join(jobFolder, trackerFile), { maxBytes: 64 }).catch(() => '');
  return /^\s*\d{1,15}\s*$/.test(String(text)) ? Number(text) : null;
}

/** Replaces a file by a new one, because the old file may share its blocks with the content store. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const beside = `${file}.new`;
  await rm(beside, { force: true });
  const { mode } = await lstat(file);
  await writeFile(beside, text, { flag: 'wx', mode });
  await rename(beside, file);
}

/**
 * Creates a job folder with copies from another one. These are real copies, because training overwrites files of the
 * same step.
 * The folder is complete or absent, also if the disk is full or the run is canceled. A folder from a host that was
 * killed is used as it is, because no run has started in it.
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
    // No run owns it, so nothing else would remove it.
    await rm(partial, { recursive: true, force: true }).catch(() => undefined);
    throw asDiskFull(error);
  }
}

async function isSeeded(folder: string, texts: JobSeed['texts']): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true) return false;
  for (const { path: inside, text } of texts) {
    if (String(await readRegular(path.join(folder, inside)).catch(() => '')) !== text) return false;
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
    throw launchErrors.notResumable(`${copy.from} no longer exists in ${from}`, 'Choose another step.');
  await cp(source, path.join(partial, copy.to), {
    recursive: true,
    mode: constants.COPYFILE_FICLONE,
    filter: () => {
      if (cancellation.isCancelled) throw syncErrors.cancelled();
      return true;
    },
  });
}

/** Returns the state of each stage in a job folder. Undefined: the training has no stages. */
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

/** Returns the current stage in a job folder, counted from 0. Null: unknown. */
export async function currentStage(jobFolder: string): Promise<number | null> {
  const noted = stageMeta.safeParse(await readJson(path.join(jobFolder, stageFile)));
  return noted.data?.latest_stage ?? null;
}

const stageMeta = z.object({ latest_stage: z.int().check(z.nonnegative()) });

/** Upstream uses paths relative to its package. The code that was sent can be a clone of AgentJet, which has it. */
export async function linkDefaults(folder: string, ajet: string): Promise<void> {
  await symlink(ajet, path.join(folder, 'ajet'), 'dir').catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
}
