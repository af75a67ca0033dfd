import type { BigIntStats } from 'node:fs';
import { posix } from 'node:path';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
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
  /** By identity and modification time of the file. */
  readonly #sums = new Map<string, string>();

  /** @param openFolder rejects with `host/no-run`, or with the error for a run without the folder */
  constructor(openFolder: (run: string) => Promise<JailedFolder>) {
    this.#openFolder = openFolder;
  }

  async *list(run: string, path: string): AsyncGenerator<FileEntry> {
    yield* filesBelow(await this.#openFolder(run), path);
  }

  async open(run: string, path: string, offset: number, length: number): Promise<ByteSource> {
    const inside = await this.#openFolder(run);
    await using handle = await inside.open(path);
    const { size } = await handle.stat();
    const from = Math.min(offset, size);
    return piecesOf(() => inside.open(path), from, Math.min(from + length, size));
  }

  /** The client must be there until the end. A known checksum is not computed again. */
  async sum(
    run: string,
    path: string,
    cancellation: CancellationToken,
  ): Promise<{ readonly sha256: string; readonly bytes: number }> {
    const handle = await (await this.#openFolder(run)).open(path);
    try {
      const stats = await handle.stat({ bigint: true });
      const bytes = Number(stats.size);
      const key = keyOf(stats);
      const noFile = (): Error => syncErrors.noFile(path);
      const sha256 = this.#sums.get(key) ?? (await sumOf(handle, bytes, noFile, cancellation));
      // The checksum of a file that changed meanwhile is meaningless.
      if (keyOf(await handle.stat({ bigint: true })) === key) this.#keep(key, sha256);
      return { sha256, bytes };
    } finally {
      await handle.close();
    }
  }

  #keep(key: string, sum: string): void {
    this.#sums.set(key, sum);
    const [oldest] = this.#sums.keys();
    if (this.#sums.size > mostSums && oldest !== undefined) this.#sums.delete(oldest);
  }
}

function keyOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}.${ino}.${size}.${mtimeNs}.${ctimeNs}`;
}

/** Yields all files below a folder, sorted by path, or the single file at the path. */
async function* filesBelow(inside: JailedFolder, path: string): AsyncGenerator<FileEntry> {
  const own = path === '' ? undefined : await inside.size(path);
  if (own !== undefined) {
    await (await inside.open(path)).close();
    yield { path, ...own };
    return;
  }
  // The next one is last.
  const waiting = [{ path, isFolder: true }];
  let files = 0;
  for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
    if (entry.isFolder) {
      const entries = [...(await inside.list(entry.path))];
      for (const one of entries.sort((a, b) => (sortKey(a) < sortKey(b) ? 1 : -1))) waiting.push(one);
    } else {
      const size = await inside.size(entry.path);
      if (size !== undefined) yield { path: entry.path, ...size };
      files += 1;
    }
    if (files + waiting.length > mostFiles) throw syncErrors.tooManyFiles(mostFiles);
  }
}

/** The files of a folder have this start. */
function sortKey({ path, isFolder }: { readonly path: string; readonly isFolder: boolean }): string {
  return isFolder ? `${path}/` : path;
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

/** The file in which Trinity-RFT names the weights for sampling of a step. */
const samplerFile = 'remote_sampler_path.txt';

/** Serves the job folders of runs. */
export class JobFiles extends JailedFiles implements HostFiles {
  readonly #options: HostFilesOptions;

  constructor(options: HostFilesOptions) {
    super((run) => openFolder(run, options));
    this.#options = options;
  }

  async checkpoints(run: string, cancellation: CancellationToken): Promise<readonly Checkpoint[]> {
    const inside = await openFolder(run, this.#options);
    const { stages = [] } = this.#options.jobOf(run);
    if (stages.length === 0) return this.#checkpointsIn(inside, run, cancellation);
    const found: Checkpoint[] = [];
    for (const [at, { name, folder }] of stages.entries()) {
      const own = await this.#checkpointsIn(inside, run, cancellation, { folder, number: at + 1 });
      found.push(...own.map((one) => ({ ...one, stage: name })));
    }
    return found;
  }

  async #checkpointsIn(
    inside: JailedFolder,
    run: string,
    cancellation: CancellationToken,
    { folder, number: stage }: { readonly folder: string; readonly number?: number } = { folder: '' },
  ): Promise<Checkpoint[]> {
    const latest = await latestOf(inside, joined(folder, trackerFile));
    const found: Checkpoint[] = [];
    for (const { path, isFolder } of await inside.list(folder)) {
      const step = isFolder ? stepOf(posix.basename(path)) : undefined;
      if (step === undefined) continue;
      const relative: FileEntry[] = [];
      for await (const file of filesBelow(inside, path)) {
        if (cancellation.isCancelled) throw syncErrors.cancelled();
        relative.push({ ...file, path: file.path.slice(path.length + 1) });
      }
      const reward = (await this.#options.rewardAt?.(run, step, stage)) ?? null;
      const checkpoint = checkpointOf(step, relative, latest, reward);
      const sampler = await textOf(inside, joined(path, samplerFile));
      const isTinker = sampler?.startsWith('tinker://') === true;
      // A name with leading zeros is another folder.
      if (joined(folder, checkpoint.path) !== path) continue;
      found.push({ ...checkpoint, path, ...(isTinker && { sampler }) });
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
  const text = await textOf(inside, tracker);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** The largest file with a number or a path, in bytes. */
const textBytes = 1_024;

/** Returns the start of a small file; undefined if it cannot be read. */
async function textOf(inside: JailedFolder, path: string): Promise<string | undefined> {
  const handle = await inside.open(path).catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(textBytes), 0, textBytes, 0);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await handle.close();
  }
}
