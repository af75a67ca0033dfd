import type { BigIntStats } from 'node:fs';
import { posix } from 'node:path';
import type { FileEntry } from '../../../core/protocol/hostRpc.ts';
import type { Checkpoint, RunRecord } from '../../../core/protocol/runs.ts';
import type { ByteSource, HostFiles, RunFiles } from '../../../core/contracts.ts';
import { trackerFile } from '../../../core/launch/resumeStages.ts';
import { checkpointOf, stepOf } from '../../../core/sync/checkpoints.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { isRolloutLog, mayHoldRolloutLog } from '../../../core/sync/rolloutLogs.ts';
import { piecesOf, sumOf } from '../../filePieces.ts';
import { isUpstreamEntry, type JobFolderAccess } from '../runs/jobFolder.ts';
import { JailedFolder, type PathFilter } from './jailedFolder.ts';

/** The largest number of files in one answer, and of checksums in the cache. */
const mostFiles = 500_000;
const mostSums = 10_000;

/** Serves the visible files in a folder of each run. */
class JailedFiles implements RunFiles {
  readonly #openFolder: (run: string) => Promise<JailedFolder>;
  /** Checksums by identity and modification time of the file. */
  readonly #sums = new Map<string, Promise<string>>();

  /** @param openFolder rejects with `host/no-run`, or with the error for a run without the folder */
  constructor(openFolder: (run: string) => Promise<JailedFolder>) {
    this.#openFolder = openFolder;
  }

  async list(run: string, path: string): Promise<readonly FileEntry[]> {
    const inside = await this.#openFolder(run);
    return (await filesBelow(inside, path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async open(run: string, path: string, offset: number, length: number): Promise<ByteSource> {
    const inside = await this.#openFolder(run);
    const handle = await inside.open(path);
    const { size } = await handle.stat().finally(() => handle.close());
    const from = Math.min(offset, size);
    return piecesOf(() => inside.open(path), from, Math.min(from + length, size));
  }

  /** Concurrent callers share the reading, because clients repeat the request after each lost connection. */
  async sum(run: string, path: string): Promise<{ readonly sha256: string; readonly bytes: number }> {
    const handle = await (await this.#openFolder(run)).open(path);
    try {
      const stats = await handle.stat({ bigint: true });
      const bytes = Number(stats.size);
      const key = keyOf(stats);
      let sum = this.#sums.get(key);
      if (sum === undefined) this.#keep(key, (sum = sumOf(handle, bytes, () => syncErrors.noFile(path))));
      const sha256 = await sum;
      // The checksum of a file that changed meanwhile is meaningless.
      if (keyOf(await handle.stat({ bigint: true })) !== key) this.#sums.delete(key);
      return { sha256, bytes };
    } finally {
      await handle.close();
    }
  }

  #keep(key: string, sum: Promise<string>): void {
    this.#sums.set(key, sum);
    sum.catch(() => this.#sums.delete(key));
    const [oldest] = this.#sums.keys();
    if (this.#sums.size > mostSums && oldest !== undefined) this.#sums.delete(oldest);
  }
}

function keyOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}.${ino}.${size}.${mtimeNs}.${ctimeNs}`;
}

/** Lists all files below a folder, or the single file at the path. */
async function filesBelow(inside: JailedFolder, path: string): Promise<FileEntry[]> {
  const own = path === '' ? undefined : await inside.size(path);
  if (own !== undefined) {
    await (await inside.open(path)).close();
    return [{ path, ...own }];
  }
  const files: FileEntry[] = [];
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await inside.list(folder)) {
      if (entry.isFolder) {
        folders.push(entry.path);
        continue;
      }
      const size = await inside.size(entry.path);
      if (size !== undefined) files.push({ path: entry.path, ...size });
      if (files.length + folders.length > mostFiles) throw syncErrors.tooManyFiles(mostFiles);
    }
  }
  return files;
}

/**
 * Serves only the rollout logs in the working folder of the launcher, because the config copies there may hold keys.
 * `folderOf` returns that folder, absolute, or throws `host/no-run`.
 */
export function openRolloutLogs(folderOf: (run: string) => string): RunFiles {
  return new JailedFiles(async (run) => {
    const inside = await JailedFolder.of(folderOf(run), () => (path, kind) => {
      return kind === 'file' ? isRolloutLog(path) : mayHoldRolloutLog(path);
    });
    if (inside === undefined) throw syncErrors.noJobFolder(run);
    return inside;
  });
}

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
  if (inside === undefined) throw syncErrors.noJobFolder(run);
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
