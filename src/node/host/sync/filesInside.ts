import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileEntry } from '../../../protocol/host/hostRpc.ts';
import type { ByteSource, RunFiles } from '../../../remote/contracts.ts';
import { noFile, tooManyFiles } from '../../../remote/sync/failures.ts';
import { piecesOf } from '../../filePieces.ts';
import type { Inside } from './inside.ts';

/** Files of one answer at most, and sums that are kept. */
const mostFiles = 500_000;
const mostSums = 10_000;

/** What may be seen of a folder that each run has. */
export class FilesInside implements RunFiles {
  readonly #insideOf: (run: string) => Promise<Inside>;
  /** By what the file is and when it was changed. */
  readonly #sums = new Map<string, string>();

  /** @param insideOf rejects with `host/no-run` and with what tells that the run has none */
  constructor(insideOf: (run: string) => Promise<Inside>) {
    this.#insideOf = insideOf;
  }

  async list(run: string, path: string): Promise<readonly FileEntry[]> {
    const inside = await this.#insideOf(run);
    return (await filesBelow(inside, path)).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async open(run: string, path: string, offset: number, length: number): Promise<ByteSource> {
    const inside = await this.#insideOf(run);
    const handle = await inside.open(path);
    const { size } = await handle.stat().finally(() => handle.close());
    const from = Math.min(offset, size);
    return piecesOf(() => inside.open(path), from, Math.min(from + length, size));
  }

  async sum(run: string, path: string): Promise<{ readonly sha256: string; readonly bytes: number }> {
    const handle = await (await this.#insideOf(run)).open(path);
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
}

function keyOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}.${ino}.${size}.${mtimeNs}.${ctimeNs}`;
}

/** All files below a folder, or the one that a path names. */
export async function filesBelow(inside: Inside, path: string): Promise<FileEntry[]> {
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
