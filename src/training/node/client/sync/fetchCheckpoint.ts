import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { hash } from 'node:crypto';
import path from 'node:path';
import process from 'node:process';
import { neverCancelled, type CancellationToken } from '../../../../base/core/cancellation.ts';
import type { FileEntry } from '../../../core/protocol/hostRpc.ts';
import type { Checkpoint } from '../../../core/protocol/runs.ts';
import type { ClientConnection } from '../../../core/wire/clientConnection.ts';
import {
  cancelled,
  contentDiffers,
  noCheckpointFiles,
  refusedPath,
  targetTaken,
} from '../../../core/sync/failures.ts';
import { Jail } from '../../../core/sync/jail.ts';
import { writeAll } from '../../filePieces.ts';
import { forEachParallel } from '../../parallel.ts';
import { pathExists, sumLarge } from './readFiles.ts';

export interface FetchProgress {
  /** Downloaded and total bytes. */
  readonly bytes: number;
  readonly total: number;
}

export interface FetchOptions {
  readonly parallel?: number;
  readonly onProgress?: (progress: FetchProgress) => void;
  readonly cancellation?: CancellationToken;
}

/**
 * Downloads a checkpoint into a new folder, which appears when all files are complete and have the checksums of the
 * host.
 * After an interruption or failure, partial files stay in `TARGET.part`, and the next call continues from them.
 * Rejects with `sync/target-taken`, `sync/no-checkpoint`, `sync/path-refused`, `sync/content-differs` and
 * `sync/cancelled`.
 */
export async function fetchCheckpoint(
  connection: Pick<ClientConnection, 'ask' | 'download'>,
  run: string,
  checkpoint: Pick<Checkpoint, 'path'>,
  target: string,
  { parallel = 3, onProgress, cancellation = neverCancelled }: FetchOptions = {},
): Promise<void> {
  if (await pathExists(target)) throw targetTaken(target);
  const files = await filesOf(connection, run, checkpoint.path, cancellation);
  const place = `${target}.part`;
  const done = path.join(place, 'done');
  await mkdir(path.join(place, 'partial'), { recursive: true });
  const progress = { bytes: 0, total: files.reduce((sum, { bytes }) => sum + bytes, 0) };
  const onBytes = (bytes: number): void => {
    progress.bytes += bytes;
    onProgress?.({ ...progress });
  };
  await forEachParallel(files, parallel, async ({ path: name, inside, bytes }) => {
    const file = { connection, run, name, bytes, cancellation, onBytes };
    await new FileDownload(file, path.join(done, inside), partialOf(place, inside)).fetch();
  });
  await removeOthers(done, new Set(files.map(({ inside }) => path.join(done, inside))));
  if (await pathExists(target)) throw targetTaken(target);
  await rename(done, target);
  await rm(place, { recursive: true, force: true });
}

/** Removes files that an earlier call downloaded from another checkpoint. */
async function removeOthers(folder: string, files: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const place = path.join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !files.has(place)) await rm(place);
  }
}

/** Returns a file for a partial download. Names from the host are used for complete files only. */
function partialOf(place: string, inside: string): string {
  return path.join(place, 'partial', hash('sha256', inside, 'hex'));
}

/** Lists the files of a checkpoint with paths inside it. The paths are checked, because the host may be hostile. */
async function filesOf(
  connection: Pick<ClientConnection, 'ask'>,
  run: string,
  folder: string,
  cancellation: CancellationToken,
): Promise<readonly (FileEntry & { readonly inside: string })[]> {
  const jail = new Jail({ windows: process.platform === 'win32' });
  const found: (FileEntry & { inside: string })[] = [];
  for (;;) {
    const page = await connection.ask('file.list', { run, path: folder, from: found.length }, cancellation);
    for (const file of page.files) {
      if (!file.path.startsWith(`${folder}/`))
        throw refusedPath(file.path, 'it is not part of the checkpoint');
      const inside = file.path.slice(folder.length + 1);
      const problem = jail.problemOf({ path: inside });
      if (problem !== undefined) throw refusedPath(file.path, problem);
      found.push({ ...file, inside });
    }
    if (found.length >= page.total || page.files.length === 0) break;
  }
  if (found.length === 0) throw noCheckpointFiles(folder);
  return found;
}

interface FileRequest {
  readonly connection: Pick<ClientConnection, 'ask' | 'download'>;
  readonly run: string;
  readonly name: string;
  readonly bytes: number;
  readonly cancellation: CancellationToken;
  readonly onBytes: (bytes: number) => void;
}

class FileDownload {
  readonly #file: FileRequest;
  readonly #place: string;
  readonly #partial: string;
  /** Bytes that the progress includes. */
  #reported = 0;

  constructor(file: FileRequest, place: string, partial: string) {
    this.#file = file;
    this.#place = place;
    this.#partial = partial;
  }

  async fetch(): Promise<void> {
    const { connection, run, name, bytes, cancellation } = this.#file;
    if (cancellation.isCancelled) throw cancelled();
    const sum = await connection.ask('file.sum', { run, path: name }, cancellation);
    if (sum.bytes !== bytes) throw contentDiffers(JSON.stringify(name));
    if (await this.#isWhole(this.#place, sum.sha256)) {
      this.#report(bytes);
      return;
    }
    await rm(this.#place, { force: true });
    const hadSome = await this.#download();
    let isWhole = await this.#isWhole(this.#partial, sum.sha256);
    if (!isWhole && hadSome) {
      // The partial file may be from another file.
      await rm(this.#partial);
      await this.#download();
      isWhole = await this.#isWhole(this.#partial, sum.sha256);
    }
    if (!isWhole) {
      await rm(this.#partial, { force: true });
      throw contentDiffers(JSON.stringify(name));
    }
    await mkdir(path.dirname(this.#place), { recursive: true });
    await rename(this.#partial, this.#place);
  }

  /** Downloads the missing bytes. Resolves to whether a partial file existed. */
  async #download(): Promise<boolean> {
    const { connection, run, name, bytes, cancellation } = this.#file;
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
    const handle = await open(this.#partial, flags, 0o644);
    try {
      let at = await this.#begin(handle);
      const hadSome = at > 0;
      if (at === bytes) return hadSome;
      const params = { run, path: name, offset: at, length: bytes - at };
      const source = await connection.download({ method: 'file.get', params }, cancellation);
      for await (const piece of source.pieces) {
        if (cancellation.isCancelled) throw cancelled();
        if (at + piece.length > bytes) throw contentDiffers(JSON.stringify(name));
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
    const { bytes, cancellation } = this.#file;
    const found = await stat(file).catch(() => undefined);
    if (found?.size !== bytes) return false;
    return (await sumLarge(file, cancellation)).sha256 === sha256;
  }

  #report(bytes: number): void {
    this.#file.onBytes(bytes - this.#reported);
    this.#reported = bytes;
  }
}
