import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { FileEntry } from '../../../core/protocol/hostRpc.ts';
import type { ByteSource, RunFiles } from '../../../core/contracts.ts';
import { noFile, tooManyFiles, noJobFolder } from '../../../core/sync/failures.ts';
import { piecesOf } from '../../filePieces.ts';
import { JailedFolder } from './jailedFolder.ts';
import { isRolloutLog, mayHoldRolloutLog } from '../../../core/sync/rolloutLogs.ts';

/** The largest number of files in one answer, and of checksums in the cache. */
const mostFiles = 500_000;
const mostSums = 10_000;

/** Serves the visible files in a folder of each run. */
export class JailedFiles implements RunFiles {
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

  /**
   * Returns the checksum of a file. Concurrent callers share the reading, because clients repeat it after each lost
   * connection.
   */
  async sum(run: string, path: string): Promise<{ readonly sha256: string; readonly bytes: number }> {
    const handle = await (await this.#openFolder(run)).open(path);
    try {
      const stats = await handle.stat({ bigint: true });
      const bytes = Number(stats.size);
      const key = keyOf(stats);
      let sum = this.#sums.get(key);
      if (sum === undefined) this.#keep(key, (sum = sumOf(handle, bytes, path)));
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

async function sumOf(handle: FileHandle, bytes: number, path: string): Promise<string> {
  const sum = createHash('sha256');
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  for (let at = 0; at < bytes;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, bytes - at), at);
    if (bytesRead === 0) throw noFile(path);
    sum.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  return sum.digest('hex');
}

function keyOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}.${ino}.${size}.${mtimeNs}.${ctimeNs}`;
}

/** Lists all files below a folder, or the single file at the path. */
export async function filesBelow(inside: JailedFolder, path: string): Promise<FileEntry[]> {
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

/**
 * Serves the rollout logs in the working folder of the launcher of AgentJet. Hides all else, because the config
 * copies there may hold keys.
 *
 * @param folderOf returns the absolute folder of the launcher; throws `host/no-run`
 */
export function openRolloutLogs(folderOf: (run: string) => string): RunFiles {
  return new JailedFiles(async (run) => {
    const inside = await JailedFolder.of(folderOf(run), () => (path, kind) => {
      return kind === 'file' ? isRolloutLog(path) : mayHoldRolloutLog(path);
    });
    if (inside === undefined) throw noJobFolder(run);
    return inside;
  });
}
