import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileEntry } from '../../../protocol/host/hostRpc.ts';
import type { Checkpoint } from '../../../protocol/host/runs.ts';
import type { ByteSource, HostFiles } from '../../../remote/contracts.ts';
import { trackerFile } from '../../../remote/launch/resume.ts';
import { checkpointOf, stepOf } from '../../../remote/sync/checkpoints.ts';
import { noFile, noJobFolder, tooManyFiles } from '../../../remote/sync/failures.ts';
import { piecesOf } from '../../filePieces.ts';
import { isUpstreams, type JobPlace } from '../runs/jobFolder.ts';
import { Inside } from './inside.ts';

export interface HostFilesOptions {
  /** Absolute; null: the run has none yet. Throws `host/no-run`. */
  readonly jobFolderOf: (run: string) => string | null;
  /** What a folder, its path without links, is to a run. */
  readonly placeOf: (run: string, folder: string) => JobPlace;
  /** The newest mean reward of a run up to a step; null: it is not known. */
  readonly rewardAt?: (run: string, step: number) => Promise<number | null>;
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
    const latest = await latestOf(inside);
    const found: Checkpoint[] = [];
    for (const { path, isFolder } of await inside.list('')) {
      const step = isFolder ? stepOf(path) : undefined;
      if (step === undefined) continue;
      const files = await filesBelow(inside, path);
      const relative = files.map((file) => ({ ...file, path: file.path.slice(path.length + 1) }));
      const reward = (await this.#options.rewardAt?.(run, step)) ?? null;
      const checkpoint = checkpointOf(step, relative, latest, reward);
      // With leading zeros the folder is another.
      if (checkpoint.path === path) found.push(checkpoint);
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
    const folder = this.#options.jobFolderOf(run);
    const show = (real: string): ((name: string) => boolean) | undefined => {
      const { kind } = this.#options.placeOf(run, real);
      // Where a config leads may be others' files as well.
      return kind === 'elsewhere' ? isUpstreams : kind === 'own' ? () => true : undefined;
    };
    const inside = folder === null ? undefined : await Inside.of(folder, show);
    if (inside === undefined) throw noJobFolder(run);
    return inside;
  }
}

function keyOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}.${ino}.${size}.${mtimeNs}.${ctimeNs}`;
}

async function latestOf(inside: Inside): Promise<number | null> {
  const handle = await inside.open(trackerFile).catch(() => undefined);
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
