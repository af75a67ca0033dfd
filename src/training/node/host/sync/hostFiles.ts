import { posix } from 'node:path';
import type { Checkpoint, RunRecord } from '../../../core/protocol/runs.ts';
import type { HostFiles } from '../../../core/contracts.ts';
import { trackerFile } from '../../../core/launch/resumeStages.ts';
import { checkpointOf, stepOf } from '../../../core/sync/checkpoints.ts';
import { noJobFolder } from '../../../core/sync/failures.ts';
import { isUpstreamEntry, type JobFolderAccess } from '../runs/jobFolder.ts';
import { JailedFiles, filesBelow } from './jailedFiles.ts';
import { JailedFolder, type PathFilter } from './jailedFolder.ts';

export interface HostFilesOptions {
  /** Returns the absolute folder with the checkpoints of a run. Throws `host/no-run`. */
  readonly jobOf: (run: string) => Pick<RunRecord, 'jobFolder' | 'stages'>;
  /** Returns the access of a run to a folder, whose path has no links. */
  readonly folderAccess: (run: string, folder: string) => JobFolderAccess;
  /** Returns the newest mean reward of a run up to a step, or null. */
  readonly rewardAt?: (run: string, step: number, stage?: number) => Promise<number | null>;
}

export function openHostFiles(options: HostFilesOptions): HostFiles {
  return new JobFiles(options);
}

class JobFiles extends JailedFiles implements HostFiles {
  readonly #options: HostFilesOptions;

  constructor(options: HostFilesOptions) {
    super((run) => openFolder(run, options));
    this.#options = options;
  }

  async checkpoints(run: string): Promise<readonly Checkpoint[]> {
    const inside = await openFolder(run, this.#options);
    const { stages = [] } = this.#options.jobOf(run);
    if (stages.length === 0) return this.#checkpointsIn(inside, run, '');
    const found: Checkpoint[] = [];
    for (const [at, { name, folder }] of stages.entries()) {
      const own = await this.#checkpointsIn(inside, run, folder, at + 1);
      found.push(...own.map((one) => ({ ...one, stage: name })));
    }
    return found;
  }

  /** @param folder inside the job folder; empty for the job folder itself */
  async #checkpointsIn(
    inside: JailedFolder,
    run: string,
    folder: string,
    stage?: number,
  ): Promise<Checkpoint[]> {
    const latest = await latestOf(inside, joined(folder, trackerFile));
    const found: Checkpoint[] = [];
    for (const { path, isFolder } of await inside.list(folder)) {
      const step = isFolder ? stepOf(posix.basename(path)) : undefined;
      if (step === undefined) continue;
      const files = await filesBelow(inside, path);
      const relative = files.map((file) => ({ ...file, path: file.path.slice(path.length + 1) }));
      const reward = (await this.#options.rewardAt?.(run, step, stage)) ?? null;
      const checkpoint = checkpointOf(step, relative, latest, reward);
      // A name with leading zeros is another folder.
      if (joined(folder, checkpoint.path) === path) found.push({ ...checkpoint, path });
    }
    return found.sort((a, b) => a.step - b.step);
  }
}

async function openFolder(run: string, { jobOf, folderAccess }: HostFilesOptions): Promise<JailedFolder> {
  const { jobFolder, stages = [] } = jobOf(run);
  const folders = stages.map(({ folder }) => folder);
  const shownIn = (real: string): PathFilter | undefined => {
    const { kind } = folderAccess(run, real);
    // A folder that the config names may have files of other users.
    if (kind === 'elsewhere') return (path) => isUpstreamEntry(path, folders);
    return kind === 'own' ? () => true : undefined;
  };
  const inside = jobFolder === null ? undefined : await JailedFolder.of(jobFolder, shownIn);
  if (inside === undefined) throw noJobFolder(run);
  return inside;
}

function joined(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}

async function latestOf(inside: JailedFolder, tracker: string): Promise<number | null> {
  const handle = await inside.open(tracker).catch(() => undefined);
  if (handle === undefined) return null;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    const text = buffer.toString('utf8', 0, bytesRead).trim();
    return /^\d{1,15}$/.test(text) ? Number(text) : null;
  } finally {
    await handle.close();
  }
}
