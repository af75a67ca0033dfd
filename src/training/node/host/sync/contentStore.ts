import { createHash, hash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import type { CancellationToken } from '../../../../base/core/cancellation.ts';
import type { ByteSink, ByteSource } from '../../../core/contracts.ts';
import { contentDiffers, diskFull, noContent } from '../../../core/sync/failures.ts';
import { piecesOf, writeAll } from '../../filePieces.ts';
import { forEachParallel } from '../../parallel.ts';
import type { SnapshotLeases } from './snapshotLeases.ts';
import { PendingFsync } from './pendingFsync.ts';

/** Serializes the work on each name. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<void>>();

  /** Runs `work` when all earlier work for this name has ended, successfully or not. */
  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const working = (this.#last.get(name) ?? Promise.resolve()).then(work);
    const ended = working.then(
      () => undefined,
      () => undefined, // the caller gets the error
    );
    this.#last.set(name, ended);
    try {
      return await working;
    } finally {
      if (this.#last.get(name) === ended) this.#last.delete(name);
    }
  }
}

interface StoredContent {
  /** Null: not read yet. */
  bytes: number | null;
  claimedAt: number;
}

/**
 * Stores contents by their SHA-256 in files, which appear when complete. Only one process may write into the folder.
 */
export class ContentStore {
  readonly #folder: string;
  readonly #leases: SnapshotLeases;
  readonly #incoming: string;
  readonly #pendingFsync: PendingFsync;
  /** The contents by the first two digits of their name, and then by the rest. */
  readonly #known = new Map<string, Promise<Map<string, StoredContent>>>();
  readonly #mutex = new KeyedMutex();
  /** Bytes of all contents read so far. */
  #bytes = 0;
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
    await rm(store.#incoming, { recursive: true, force: true });
    await mkdir(store.#incoming, { recursive: true });
    await store.#pendingFsync.recover(await store.#folders());
    return store;
  }

  pathOf(sha256: string): string {
    return path.join(this.#folder, sha256.slice(0, 2), sha256.slice(2));
  }

  /** Bytes of all contents. Null until {@link collect} has counted them. */
  get bytes(): number | null {
    return this.#isCounted ? this.#bytes : null;
  }

  /** Takes a lease on a content. Returns whether the store has it. */
  async claim(sha256: string): Promise<boolean> {
    const held = (await this.#index(sha256)).get(sha256.slice(2));
    if (held !== undefined) held.claimedAt = this.#leases.now;
    return held !== undefined;
  }

  /** Removes contents that are neither needed nor leased. */
  async collect(needed: ReadonlySet<string>, cancellation: CancellationToken): Promise<void> {
    for (let prefix = 0; prefix < 256; prefix++) {
      const digits = prefix.toString(16).padStart(2, '0');
      const index = await this.#index(digits);
      for (const [rest, held] of [...index]) {
        if (cancellation.isCancelled) return;
        const sha256 = digits + rest;
        if (held.bytes === null) await this.bytesOf(sha256).catch(() => undefined); // it is gone
        if (needed.has(sha256)) continue;
        await this.#mutex.run(sha256, async () => {
          // Another client may have taken a lease just now.
          if (this.#leases.isOver(index.get(rest)?.claimedAt ?? Infinity)) await this.#remove(index, sha256);
        });
      }
    }
    this.#isCounted = true;
  }

  /** Rejects with `sync/no-content`. */
  async bytesOf(sha256: string): Promise<number> {
    const index = await this.#index(sha256);
    const held = index.get(sha256.slice(2));
    if (held === undefined) throw noContent(sha256);
    if (held.bytes !== null) return held.bytes;
    const found = await stat(this.pathOf(sha256)).catch(() => undefined);
    if (found === undefined) {
      this.#forget(index, sha256);
      throw noContent(sha256);
    }
    this.#learn(held, found.size);
    return found.size;
  }

  /** Removes contents with a missing file or a wrong size. Returns one of them, if any. */
  async dropBroken(
    contents: readonly { readonly sha256: string; readonly bytes: number }[],
  ): Promise<string | undefined> {
    let broken: string | undefined;
    await forEachParallel(contents, 8, async ({ sha256, bytes }) => {
      const isBroken = async (): Promise<boolean> => {
        return (await stat(this.pathOf(sha256)).catch(() => undefined))?.size !== bytes;
      };
      if (!(await isBroken())) return;
      broken = sha256;
      const index = await this.#index(sha256);
      await this.#mutex.run(sha256, async () => {
        if (await isBroken()) await this.#remove(index, sha256);
      });
    });
    return broken;
  }

  async get(sha256: string, offset: number): Promise<ByteSource> {
    const size = await this.bytesOf(sha256);
    const file = this.pathOf(sha256);
    const openFile = (): Promise<FileHandle> => open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    return piecesOf(openFile, Math.min(offset, size), size);
  }

  /** Stores a complete content. Rejects with `sync/content-differs` and `host/disk-full`. */
  async keep(sha256: string, bytes: Uint8Array): Promise<void> {
    if (hash('sha256', bytes, 'hex') !== sha256) throw contentDiffers(nameOf(sha256));
    if (await this.claim(sha256)) return;
    const file = this.#temporary();
    try {
      const handle = await open(file, 'wx', 0o644);
      try {
        await writeAll(handle, bytes, 0);
      } finally {
        await handle.close();
      }
      await this.#name(file, sha256, bytes.length);
    } catch (error) {
      await rm(file, { force: true });
      throw asDiskFull(error);
    }
  }

  /** Returns a sink for a streamed content. */
  async sink(sha256: string, bytes: number): Promise<ByteSink> {
    const file = this.#temporary();
    const handle = await reportFullDisk(open(file, 'wx', 0o644));
    return new ContentSink(handle, { sha256, bytes }, (done) =>
      done ? this.#name(file, sha256, bytes) : rm(file, { force: true }),
    );
  }

  /** Resolves when all contents so far would survive a crash. */
  flushed(): Promise<void> {
    return this.#pendingFsync.flush();
  }

  #temporary(): string {
    return path.join(this.#incoming, String(this.#made++));
  }

  async #name(file: string, sha256: string, bytes: number): Promise<void> {
    await this.#leases.note();
    await this.#mutex.run(sha256, async () => {
      if (await this.claim(sha256)) return rm(file, { force: true });
      const place = this.pathOf(sha256);
      await this.#pendingFsync.keep(place, () =>
        rename(file, place).catch(async (error: unknown) => {
          if (!isCode(error, 'ENOENT')) throw error;
          await mkdir(path.dirname(place), { recursive: true });
          await rename(file, place);
        }),
      );
      (await this.#index(sha256)).set(sha256.slice(2), { bytes, claimedAt: this.#leases.now });
      this.#bytes += bytes;
      return undefined;
    });
  }

  /** Forgets the content before its file is removed. Call it inside the mutex. */
  async #remove(index: Map<string, StoredContent>, sha256: string): Promise<void> {
    this.#forget(index, sha256);
    await rm(this.pathOf(sha256), { force: true });
  }

  /** Two callers may have read the size at once. */
  #learn(held: StoredContent, bytes: number): void {
    if (held.bytes === null) this.#bytes += bytes;
    held.bytes = bytes;
  }

  #forget(index: Map<string, StoredContent>, sha256: string): void {
    const held = index.get(sha256.slice(2));
    if (held === undefined) return;
    index.delete(sha256.slice(2));
    // A concurrent reader must not count it again.
    held.bytes ??= 0;
    this.#bytes -= held.bytes;
  }

  #index(sha256: string): Promise<Map<string, StoredContent>> {
    const prefix = sha256.slice(0, 2);
    let index = this.#known.get(prefix);
    if (index === undefined) {
      index = readdir(path.join(this.#folder, prefix)).then(
        (names) => new Map(names.map((name) => [name, { bytes: null, claimedAt: this.#leases.before }])),
        () => new Map<string, StoredContent>(),
      );
      this.#known.set(prefix, index);
    }
    return index;
  }

  async #folders(): Promise<readonly string[]> {
    const names = await readdir(this.#folder);
    return names.filter((name) => /^[0-9a-f]{2}$/.test(name)).map((name) => path.join(this.#folder, name));
  }
}

class ContentSink implements ByteSink {
  readonly #handle: FileHandle;
  readonly #announced: { readonly sha256: string; readonly bytes: number };
  readonly #close: (keep: boolean) => Promise<void>;
  readonly #hash = createHash('sha256');
  #got = 0;
  #isOpen = true;

  constructor(
    handle: FileHandle,
    announced: { readonly sha256: string; readonly bytes: number },
    close: (keep: boolean) => Promise<void>,
  ) {
    this.#handle = handle;
    this.#announced = announced;
    this.#close = close;
  }

  async write(bytes: Uint8Array, offset: number): Promise<void> {
    if (!this.#isOpen || offset !== this.#got || offset + bytes.length > this.#announced.bytes) {
      throw contentDiffers(nameOf(this.#announced.sha256));
    }
    this.#got += bytes.length;
    this.#hash.update(bytes);
    await reportFullDisk(writeAll(this.#handle, bytes, offset));
  }

  async end(): Promise<void> {
    const isWhole =
      this.#got === this.#announced.bytes && this.#hash.digest('hex') === this.#announced.sha256;
    if (!isWhole) await this.abort();
    if (!this.#isOpen) throw contentDiffers(nameOf(this.#announced.sha256));
    this.#isOpen = false;
    await this.#handle.close();
    await reportFullDisk(this.#close(true));
  }

  async abort(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close();
    await this.#close(false);
  }
}

/** Converts the error of a full disk. */
async function reportFullDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw asDiskFull(error);
  }
}

function nameOf(sha256: string): string {
  return `The content ${sha256.slice(0, 12)}…`;
}

export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code)
  );
}

/** Returns `host/disk-full` for a full disk or an exceeded quota, or else the error itself. */
export function asDiskFull(error: unknown): unknown {
  return isCode(error, 'ENOSPC', 'EDQUOT') ? diskFull(error) : error;
}
