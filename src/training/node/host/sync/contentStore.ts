import { createHash, hash, type Hash } from 'node:crypto';
import { constants, renameSync } from 'node:fs';
import {
  chmod,
  copyFile,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import path from 'node:path';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import { hasCode } from '../../../../base/core/errors.ts';
import type { ByteSink, ByteSource } from '../../../core/contracts.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { readRegular } from '../../../../base/node/regularFile.ts';
import { piecesOf, writeAll } from '../../filePieces.ts';
import type { SnapshotLeases } from './snapshotLeases.ts';
import { PendingFsync, sumOfFile } from './pendingFsync.ts';

/** Contents up to this size are read as a whole to copy them. Larger ones may share their blocks with the copy. */
const wholeBytes = 1024 * 1024;

interface StoredContent {
  /** Null: not read yet. */
  bytes: number | null;
  claimedAt: number;
}

/** The start of a content, from a lost connection. */
interface PartialContent {
  readonly file: string;
  /** The hash of the bytes in the file. */
  readonly sum: Hash;
  readonly got: number;
  readonly endedAt: number;
}

/**
 * Stores contents by their SHA-256 in files, which appear when complete. Only one process may write into the folder.
 */
export class ContentStore {
  readonly #folder: string;
  readonly #leases: SnapshotLeases;
  readonly #incoming: string;
  readonly #pendingFsync: PendingFsync;
  readonly #known = new Map<string, StoredContent>();
  readonly #parts = new Map<string, PartialContent>();
  #isCounted = false;
  #made = 0;

  private constructor(folder: string, leases: SnapshotLeases) {
    this.#folder = folder;
    this.#leases = leases;
    this.#incoming = path.join(folder, 'incoming');
    this.#pendingFsync = new PendingFsync(path.join(folder, 'unflushed'));
  }

  /** Opens a store. Removes partial files of an earlier process and contents that a crash has damaged. */
  static async open(folder: string, leases: SnapshotLeases): Promise<ContentStore> {
    const store = new ContentStore(folder, leases);
    await ownFolder(folder);
    await emptyFolder(store.#incoming);
    const prefixes = (await readdir(folder)).filter((name) => /^[0-9a-f]{2}$/.test(name));
    await store.#pendingFsync.recover(prefixes.map((prefix) => path.join(folder, prefix)));
    for (const prefix of prefixes) {
      for (const rest of await readdir(path.join(folder, prefix)).catch(() => [])) {
        store.#known.set(prefix + rest, { bytes: null, claimedAt: leases.before });
      }
    }
    return store;
  }

  pathOf(sha256: string): string {
    return path.join(this.#folder, sha256.slice(0, 2), sha256.slice(2));
  }

  /** Bytes of all contents. Null until {@link collect} has counted them. */
  get bytes(): number | null {
    if (!this.#isCounted) return null;
    return [...this.#known.values()].reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  }

  /** Takes a lease on a content. Returns whether the store has it. */
  claim(sha256: string): boolean {
    const held = this.#known.get(sha256);
    if (held !== undefined) held.claimedAt = this.#leases.now;
    return held !== undefined;
  }

  /** Removes contents that are neither needed nor leased. */
  async collect(needed: ReadonlySet<string>, cancellation: CancellationToken): Promise<void> {
    for (const sha256 of [...this.#known.keys()].sort()) {
      if (cancellation.isCancelled) return;
      await this.bytesOf(sha256).catch(() => undefined); // it is gone
      const { claimedAt } = this.#known.get(sha256) ?? { claimedAt: Infinity };
      if (!needed.has(sha256) && this.#leases.isOver(claimedAt)) await this.#remove(sha256);
    }
    this.#isCounted = true;
    for (const [sha256, { file, endedAt }] of this.#parts) {
      if (this.#leases.isOver(endedAt) && this.#parts.delete(sha256)) await rm(file, { force: true });
    }
  }

  /** Rejects with `sync/no-content`. */
  async bytesOf(sha256: string): Promise<number> {
    const held = this.#known.get(sha256);
    if (held === undefined) throw syncErrors.noContent(sha256);
    held.bytes ??= (await this.#sizeOf(sha256)) ?? null;
    if (held.bytes !== null) return held.bytes;
    if (this.#known.get(sha256) === held) this.#known.delete(sha256);
    throw syncErrors.noContent(sha256);
  }

  /**
   * Copies a content to a new file. Rejects with `sync/no-content` if it is missing or damaged, and removes it, so that
   * the next sync sends it again.
   */
  async copy(sha256: string, bytes: number, to: string): Promise<void> {
    const sum = await this.#copied(this.pathOf(sha256), bytes, to).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT', 'EISDIR', 'EFTYPE', 'EFBIG')) throw error;
    });
    if (sum === sha256) return;
    await this.#remove(sha256);
    throw syncErrors.noContent(sha256);
  }

  /** Copies a file. Returns the SHA-256 of the copy. */
  async #copied(from: string, bytes: number, to: string): Promise<string> {
    if (bytes > wholeBytes) {
      // Exclusive, so that no existing file and no target of a link is overwritten.
      await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      return sumOfFile(to);
    }
    const content = await readRegular(from, { maxBytes: bytes });
    await writeFile(to, content, { flag: 'wx' });
    return hash('sha256', content, 'hex');
  }

  async get(sha256: string, offset: number): Promise<ByteSource> {
    const size = await this.bytesOf(sha256);
    const file = this.pathOf(sha256);
    const openFile = (): Promise<FileHandle> => open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    return piecesOf(openFile, Math.min(offset, size), size);
  }

  /** Stores a complete content. Rejects with `sync/content-differs` and `host/disk-full`. */
  async keep(sha256: string, bytes: Uint8Array): Promise<void> {
    if (this.claim(sha256)) return;
    const sink = await this.sink(sha256, bytes.length);
    try {
      await sink.write(bytes, 0);
      await sink.end();
    } finally {
      await sink.abort();
    }
  }

  /** @param resumes continues with the bytes of a lost connection, if there are any, and keeps those of this one */
  async sink(sha256: string, bytes: number, resumes = false): Promise<ByteSink> {
    const part = resumes ? this.#parts.get(sha256) : undefined;
    if (part !== undefined) this.#parts.delete(sha256);
    const file = part?.file ?? path.join(this.#incoming, String(this.#made++));
    const handle = await open(file, part === undefined ? 'wx' : 'r+', 0o644).catch(throwDiskFull);
    const differs = (): Error => syncErrors.contentDiffers(`The content ${sha256.slice(0, 12)}…`);
    const sum = part?.sum ?? createHash('sha256');
    let got = part?.got ?? 0;
    let isOpen = true;
    const close = async (keeps: boolean): Promise<void> => {
      if (!isOpen) return;
      isOpen = false;
      await handle.close();
      if (!keeps || this.#parts.has(sha256)) await rm(file, { force: true });
      else this.#parts.set(sha256, { file, sum, got, endedAt: this.#leases.now });
    };
    return {
      ...(got > 0 && { held: got }),
      write: async (piece, offset) => {
        if (!isOpen || offset !== got || offset + piece.length > bytes) throw differs();
        got += piece.length;
        sum.update(piece);
        await writeAll(handle, piece, offset).catch(async (error: unknown) => {
          await close(false);
          throw asDiskFull(error);
        });
      },
      end: async () => {
        if (!isOpen || got !== bytes || sum.digest('hex') !== sha256) {
          await close(false);
          throw differs();
        }
        isOpen = false;
        await handle.close();
        await this.#name(file, sha256, bytes).catch(throwDiskFull);
      },
      abort: () => close(resumes && got > 0),
    };
  }

  /** Resolves when all contents so far would survive a crash. */
  flushed(): Promise<void> {
    return this.#pendingFsync.flush();
  }

  async #name(file: string, sha256: string, bytes: number): Promise<void> {
    const place = this.pathOf(sha256);
    try {
      await this.#leases.note();
      if (this.claim(sha256)) {
        await rm(file, { force: true }); // another client was faster
        return;
      }
      await this.#pendingFsync.keep(place, () => moveInto(file, place));
      this.#known.set(sha256, { bytes, claimedAt: this.#leases.now });
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
  }

  async #remove(sha256: string): Promise<void> {
    this.#known.delete(sha256);
    const file = path.join(this.#incoming, String(this.#made++));
    try {
      renameSync(this.pathOf(sha256), file);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
    }
    await rm(file, { recursive: true, force: true });
  }

  async #sizeOf(sha256: string): Promise<number | undefined> {
    return (await stat(this.pathOf(sha256)).catch(() => undefined))?.size;
  }
}

/** Creates a folder that only its user can read, also if it was made with another mode. */
export async function ownFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

/** Removes the content of a folder, or creates it. On a full disk it could not be created again. */
export async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => undefined); // it is never used
  }
}

/** Creates the folder of `place` if it is missing. */
async function moveInto(file: string, place: string): Promise<void> {
  try {
    await rename(file, place);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    await mkdir(path.dirname(place), { recursive: true });
    await rename(file, place);
  }
}

function throwDiskFull(error: unknown): never {
  throw asDiskFull(error);
}

/** Returns `host/disk-full` for a full disk or an exceeded quota, or else the error itself. */
export function asDiskFull(error: unknown): unknown {
  return hasCode(error, 'ENOSPC', 'EDQUOT') ? syncErrors.diskFull(error) : error;
}
