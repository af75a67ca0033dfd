import { constants } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { hash } from 'node:crypto';
import path from 'node:path';
import { neverCancelled, type CancellationToken } from '../../../../base/core/cancellation.ts';
import type { ByteSource } from '../../../core/contracts.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import type { ClientConnection } from '../../../core/wire/clientConnection.ts';
import { writeAll } from '../../filePieces.ts';
import { forEachParallel } from '../../parallel.ts';
import { pathExists } from '../../../../base/node/files.ts';
import { sumLarge } from './readFiles.ts';

export type Host = Pick<ClientConnection, 'ask' | 'download'>;

/** The largest number of entries that is accepted from a host. */
export const mostEntries = 1_000_000;

export interface DownloadOptions {
  readonly parallel?: number;
  readonly onProgress?: (progress: { readonly bytes: number; readonly total: number }) => void;
  readonly cancellation?: CancellationToken;
}

export interface RemoteFile {
  readonly name: string;
  /** The checked path of the complete file in the folder of partial files. */
  readonly inside: string;
  readonly bytes: number;
  readonly sum: () => Promise<{ readonly sha256: string; readonly bytes: number }>;
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
  await forEachParallel(files, parallel, (file) => fetchFile(file, part, onBytes, cancellation));
  const folder = await complete(part);
  if (await pathExists(target)) throw syncErrors.targetTaken(target);
  await rename(folder, target);
  await rm(part, { recursive: true, force: true });
}

async function fetchFile(
  file: RemoteFile,
  part: string,
  onBytes: (bytes: number) => void,
  cancellation: CancellationToken,
): Promise<void> {
  const place = path.join(part, file.inside);
  // Names from the host are used for complete files only.
  const partial = path.join(part, 'partial', hash('sha256', file.inside, 'hex'));
  const differs = (): Error => syncErrors.contentDiffers(JSON.stringify(file.name));
  let reported = 0;
  const report = (bytes: number): void => {
    onBytes(bytes - reported);
    reported = bytes;
  };
  if (cancellation.isCancelled) throw syncErrors.cancelled();
  const { sha256, bytes } = await file.sum();
  if (bytes !== file.bytes) throw differs();
  const isWhole = async (name: string): Promise<boolean> => {
    const found = await stat(name).catch(() => undefined);
    return found?.size === bytes && (await sumLarge(name, cancellation)).sha256 === sha256;
  };
  if (await isWhole(place)) {
    report(bytes);
    return;
  }
  await rm(place, { force: true });
  const hadSome = await downloadRest(file, partial, { report, differs, cancellation });
  let hasAll = await isWhole(partial);
  if (!hasAll && hadSome) {
    // The partial file may be from another file.
    await rm(partial);
    await downloadRest(file, partial, { report, differs, cancellation });
    hasAll = await isWhole(partial);
  }
  if (!hasAll) {
    await rm(partial, { force: true });
    throw differs();
  }
  await mkdir(path.dirname(place), { recursive: true });
  await rename(partial, place);
}

/**
 * Downloads the missing bytes of a partial file. Resolves to whether it existed.
 *
 * @param report receives the bytes that the partial file has
 * @param differs returns the error for more bytes than announced
 */
async function downloadRest(
  { bytes, open: openRemote }: RemoteFile,
  partial: string,
  {
    report,
    differs,
    cancellation,
  }: { report: (bytes: number) => void; differs: () => Error; cancellation: CancellationToken },
): Promise<boolean> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
  const handle = await open(partial, flags, 0o644);
  try {
    const { size } = await handle.stat();
    let at = size > bytes ? 0 : size;
    if (at < size) await handle.truncate(0);
    report(at);
    const hadSome = at > 0;
    if (at === bytes) return hadSome;
    const source = await openRemote(at);
    for await (const piece of source.pieces) {
      if (cancellation.isCancelled) throw syncErrors.cancelled();
      if (at + piece.length > bytes) throw differs();
      await writeAll(handle, piece, at);
      at += piece.length;
      report(at);
    }
    await handle.sync();
    return hadSome;
  } finally {
    await handle.close();
  }
}
