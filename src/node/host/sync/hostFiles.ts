import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { posix } from 'node:path';
import type { FileEntry } from '../../../protocol/host/hostRpc.ts';
import type { Checkpoint, RunRecord } from '../../../protocol/host/runs.ts';
import type { ByteSource, HostFiles } from '../../../remote/contracts.ts';
import { trackerFile } from '../../../remote/launch/resumeStages.ts';
import { checkpointOf, stepOf } from '../../../remote/sync/checkpoints.ts';
import { noFile, noJobFolder, tooManyFiles } from '../../../remote/sync/failures.ts';
import { piecesOf } from '../../filePieces.ts';
import { isUpstreams, type JobPlace } from '../runs/jobFolder.ts';
import { Inside } from './inside.ts';

export interface HostFilesOptions {
  /** Where the run has its checkpoints, its folder absolute. Throws `host/no-run`. */
  readonly jobOf: (run: string) => Pick<RunRecord, 'jobFolder' | 'stages'>;
  /** What a folder, its path without links, is to a run. */
  readonly placeOf: (run: string, folder: string) => JobPlace;
  /** The newest mean reward of a run up to a step; null: it is not known. */
  readonly rewardAt?: (run: string, step: number, stage?: number) => Promise<number | null>;
}

export function openHostFiles(options: HostFilesOptions): HostFiles {
  return new JobFiles(options);
}

/** Files of one answer at most, and sums that are kept. */
const mostFiles = 500_000;
const mostSums = 10_000;

class JobFiles implements HostFiles {
  readonly #options: HostFilesOptions;
  /** By what the file is and when it was changed. */
  readonly #sums = new Map<string, string>();

  constructor(options: HostFilesOptions) {
    this.#options = options;
  }

  async checkpoints(run: string): Promise<readonly Checkpoint[]> {
    const inside = await this.#inside(run);
    const { stages = [] } = this.#options.jobOf(run);
    if (stages.length === 0) return this.#checkpointsIn(inside, run, '');
    const found: Checkpoint[] = [];
    for (const [at, { name, folder }] of stages.entries()) {
      const own = await this.#checkpointsIn(inside, run, folder, at + 1);
      found.push(...own.map((one) => ({ ...one, stage: name })));
    }
    return found;
  }

  /** @param folder inside the job's; empty: that itself */
  async #checkpointsIn(inside: Inside, run: string, folder: string, stage?: number): Promise<Checkpoint[]> {
    const latest = await latestOf(inside, joined(folder, trackerFile));
    const found: Checkpoint[] = [];
    for (const { path, isFolder } of await inside.list(folder)) {
      const step = isFolder ? stepOf(posix.basename(path)) : undefined;
      if (step === undefined) continue;
      const files = await filesBelow(inside, path);
      const relative = files.map((file) => ({ ...file, path: file.path.slice(path.length + 1) }));
      const reward = (await this.#options.rewardAt?.(run, step, stage)) ?? null;
      const checkpoint = checkpointOf(step, relative, latest, reward);
      // With leading zeros the folder is another.
      if (joined(folder, checkpoint.path) === path) found.push({ ...checkpoint, path });
    }
    return found.sort((a, b) => a.step - b.step);
  }

  async list(run: string, path: string): Promise<readonly FileEntry[]> {
    const inside = await this.#inside(run);
    return (await filesBelow(inside, path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async open(run: string, path: string, offset: number, length: number): Promise<ByteSource> {
    const inside = await this.#inside(run);
    const handle = await inside.open(path);
    const { size } = await handle.stat().finally(() => handle.close());
    const from = Math.min(offset, size);
    return piecesOf(() => inside.open(path), from, Math.min(from + length, size));
  }

  async sum(run: string, path: string): Promise<{ readonly sha256: string; readonly bytes: number }> {
    const handle = await (await this.#inside(run)).open(path);
    try {
      const stats = await handle.stat({ bigint: true });
      const bytes = Number(stats.size);
      const key = keyOf(stats);
      const known = this.#sums.get(key);
      if (known !== undefined) return { sha256: known, bytes };
      const sum = createHash('sha256');
      const buffer = Buffer.allocUnsafe(1024 * 1024);
      for (let at = 0; at < bytes;) {
        const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, bytes - at), at);
        if (bytesRead === 0) throw noFile(path);
        sum.update(buffer.subarray(0, bytesRead));
        at += bytesRead;
      }
      const sha256 = sum.digest('hex');
      // What was changed meanwhile has another key by now.
      if (keyOf(await handle.stat({ bigint: true })) === key) this.#keep(key, sha256);
      return { sha256, bytes };
    } finally {
      await handle.close();
    }
  }

  #keep(key: string, sha256: string): void {
    this.#sums.set(key, sha256);
    const [oldest] = this.#sums.keys();
    if (this.#sums.size > mostSums && oldest !== undefined) this.#sums.delete(oldest);
  }

  async #inside(run: string): Promise<Inside> {
    const { jobFolder, stages = [] } = this.#options.jobOf(run);
    const folders = stages.map(({ folder }) => folder);
    const show = (real: string): ((inside: string) => boolean) | undefined => {
      const { kind } = this.#options.placeOf(run, real);
      // Where a config leads may be others' files as well.
      if (kind === 'elsewhere') return (path) => isUpstreams(path, folders);
      return kind === 'own' ? () => true : undefined;
    };
    const inside = jobFolder === null ? undefined : await Inside.of(jobFolder, show);
    if (inside === undefined) throw noJobFolder(run);
    return inside;
  }
}

function keyOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}.${ino}.${size}.${mtimeNs}.${ctimeNs}`;
}

function joined(folder: string, path: string): string {
  return folder === '' ? path : `${folder}/${path}`;
}

async function latestOf(inside: Inside, tracker: string): Promise<number | null> {
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

/** All files below a folder, or the one that a path names. */
async function filesBelow(inside: Inside, path: string): Promise<FileEntry[]> {
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
      if (files.length + folders.length > mostFiles) throw tooManyFiles(mostFiles);
    }
  }
  return files;
}
