import { constants } from 'node:fs';
import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { hash } from 'node:crypto';
import path from 'node:path';
import { neverCancelled, type CancellationToken } from '../../../../base/core/cancellation.ts';
import type { ByteSource } from '../../../core/contracts.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { writeAll } from '../../filePieces.ts';
import { forEachParallel } from '../../parallel.ts';
import { pathExists } from '../../../../base/node/files.ts';
import { sumLarge } from './readFiles.ts';

export interface DownloadOptions {
  readonly parallel?: number;
  /** Receives the downloaded and total bytes. */
  readonly onProgress?: (progress: { readonly bytes: number; readonly total: number }) => void;
  readonly cancellation?: CancellationToken;
}

export interface RemoteFile {
  readonly name: string;
  /** The checked path of the complete file in the folder of partial files. */
  readonly inside: string;
  readonly bytes: number;
  /** Returns the checksum and size at the host. */
  readonly sum: () => Promise<{ readonly sha256: string; readonly bytes: number }>;
  /** Returns the bytes from an offset on. */
  readonly open: (offset: number) => Promise<ByteSource>;
}

/**
 * Downloads files and makes a new folder from them, which appears when it is complete. After an interruption or
 * failure, partial files stay in `TARGET.part`, and the next call continues from them.
 * Rejects with `sync/target-taken`, `sync/content-differs` and `sync/cancelled`.
 *
 * @param list lists the files; their paths are checked, because the host may be hostile
 * @param complete gets `TARGET.part` with all files; returns the folder that becomes the target
 */
export async function downloadFolder(
  target: string,
  list: () => Promise<readonly RemoteFile[]>,
  complete: (part: string) => Promise<string>,
  { parallel = 3, onProgress, cancellation = neverCancelled }: DownloadOptions,
): Promise<void> {
  if (await pathExists(target)) throw syncErrors.targetTaken(target);
  const files = await list();
  const part = `${target}.part`;
  await mkdir(path.join(part, 'partial'), { recursive: true });
  const progress = { bytes: 0, total: files.reduce((sum, { bytes }) => sum + bytes, 0) };
  const onBytes = (bytes: number): void => {
    progress.bytes += bytes;
    onProgress?.({ ...progress });
  };
  await forEachParallel(files, parallel, (file) =>
    new FileDownload(file, part, onBytes, cancellation).fetch(),
  );
  const folder = await complete(part);
  if (await pathExists(target)) throw syncErrors.targetTaken(target);
  await rename(folder, target);
  await rm(part, { recursive: true, force: true });
}

class FileDownload {
  readonly #file: RemoteFile;
  readonly #place: string;
  readonly #partial: string;
  readonly #onBytes: (bytes: number) => void;
  readonly #cancellation: CancellationToken;
  /** Bytes that the progress includes. */
  #reported = 0;

  constructor(
    file: RemoteFile,
    part: string,
    onBytes: (bytes: number) => void,
    cancellation: CancellationToken,
  ) {
    this.#file = file;
    this.#place = path.join(part, file.inside);
    // Names from the host are used for complete files only.
    this.#partial = path.join(part, 'partial', hash('sha256', file.inside, 'hex'));
    this.#onBytes = onBytes;
    this.#cancellation = cancellation;
  }

  async fetch(): Promise<void> {
    if (this.#cancellation.isCancelled) throw syncErrors.cancelled();
    const { sha256, bytes } = await this.#file.sum();
    if (bytes !== this.#file.bytes) throw this.#differs();
    if (await this.#isWhole(this.#place, sha256)) {
      this.#report(bytes);
      return;
    }
    await rm(this.#place, { force: true });
    const hadSome = await this.#download();
    let isWhole = await this.#isWhole(this.#partial, sha256);
    if (!isWhole && hadSome) {
      // The partial file may be from another file.
      await rm(this.#partial);
      await this.#download();
      isWhole = await this.#isWhole(this.#partial, sha256);
    }
    if (!isWhole) {
      await rm(this.#partial, { force: true });
      throw this.#differs();
    }
    await mkdir(path.dirname(this.#place), { recursive: true });
    await rename(this.#partial, this.#place);
  }

  /** Downloads the missing bytes. Resolves to whether a partial file existed. */
  async #download(): Promise<boolean> {
    const { bytes, open: openRemote } = this.#file;
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
    const handle = await open(this.#partial, flags, 0o644);
    try {
      let at = await this.#begin(handle);
      const hadSome = at > 0;
      if (at === bytes) return hadSome;
      const source = await openRemote(at);
      for await (const piece of source.pieces) {
        if (this.#cancellation.isCancelled) throw syncErrors.cancelled();
        if (at + piece.length > bytes) throw this.#differs();
        await writeAll(handle, piece, at);
        at += piece.length;
        this.#report(at);
      }
      await handle.sync();
      return hadSome;
    } finally {
      await handle.close();
    }
  }

  async #begin(handle: FileHandle): Promise<number> {
    const { size } = await handle.stat();
    const at = size > this.#file.bytes ? 0 : size;
    if (at < size) await handle.truncate(0);
    this.#report(at);
    return at;
  }

  async #isWhole(file: string, sha256: string): Promise<boolean> {
    const found = await stat(file).catch(() => undefined);
    if (found?.size !== this.#file.bytes) return false;
    return (await sumLarge(file, this.#cancellation)).sha256 === sha256;
  }

  #report(bytes: number): void {
    this.#onBytes(bytes - this.#reported);
    this.#reported = bytes;
  }

  #differs(): Error {
    return syncErrors.contentDiffers(JSON.stringify(this.#file.name));
  }
}
