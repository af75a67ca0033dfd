import { createHash, hash } from 'node:crypto';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { neverCancelled, type CancellationToken } from '../../../../base/core/cancellation.ts';
import type { SnapshotEntry, SnapshotManifest } from '../../../core/protocol/hostRpc.ts';
import type { ClientConnection } from '../../../core/wire/clientConnection.ts';
import { badManifest, cancelled, contentDiffers, targetTaken } from '../../../core/sync/failures.ts';
import { checkManifest, manifestText } from '../../../core/sync/manifest.ts';
import { materialize } from '../../host/sync/materialize.ts';
import { forEachParallel } from '../../parallel.ts';
import { pathExists, sumLarge } from './readFiles.ts';

export interface RebuildOptions {
  readonly parallel?: number;
  /** Receives the downloaded and total bytes. */
  readonly onProgress?: (progress: { readonly bytes: number; readonly total: number }) => void;
  readonly cancellation?: CancellationToken;
}

type Host = Pick<ClientConnection, 'ask' | 'download'>;
type Content = Extract<SnapshotEntry, { readonly sha256: string }>;

/** The largest number of entries that is accepted from a host. */
const mostEntries = 1_000_000;

/**
 * Downloads a snapshot with modes and links into a new folder, which appears when all of it is complete.
 * The host may be hostile: the list of files must match the id of the snapshot, and its paths and contents are
 * checked.
 * Partial files stay in `TARGET.part`, from which the next call continues.
 * Rejects with `sync/target-taken`, `sync/bad-manifest`, `sync/path-refused`, `sync/content-differs` and
 * `sync/cancelled`.
 */
export async function rebuildSnapshot(
  connection: Host,
  snapshot: string,
  target: string,
  { parallel = 4, onProgress, cancellation = neverCancelled }: RebuildOptions = {},
): Promise<void> {
  if (await pathExists(target)) throw targetTaken(target);
  const manifest = await manifestOf(connection, snapshot, cancellation);
  const place = `${target}.part`;
  const contents = path.join(place, 'contents');
  const tree = path.join(place, 'tree');
  await mkdir(contents, { recursive: true });
  const files = new Map(manifest.flatMap((entry) => ('sha256' in entry ? [[entry.sha256, entry]] : [])));
  const progress = { bytes: 0, total: [...files.values()].reduce((sum, { bytes }) => sum + bytes, 0) };
  await forEachParallel(files.values(), parallel, async (entry) => {
    if (cancellation.isCancelled) throw cancelled();
    await fetchContent(connection, entry, path.join(contents, entry.sha256), cancellation);
    progress.bytes += entry.bytes;
    onProgress?.({ ...progress });
  });
  await rm(tree, { recursive: true, force: true });
  await materialize(manifest, tree, (sha256) => path.join(contents, sha256), cancellation);
  if (await pathExists(target)) throw targetTaken(target);
  await rename(tree, target);
  await rm(place, { recursive: true, force: true });
}

/**
 * Returns the text of a file in a snapshot. Undefined: there is no such file, or it is larger than `most` bytes.
 * Rejects like {@link rebuildSnapshot}.
 * @param name its path in the snapshot
 */
export async function sentText(
  connection: Host,
  snapshot: string,
  name: string,
  {
    most,
    cancellation = neverCancelled,
  }: { readonly most: number; readonly cancellation?: CancellationToken },
): Promise<string | undefined> {
  const entries = await manifestOf(connection, snapshot, cancellation);
  const entry = entries.find((one) => one.path === name);
  if (entry === undefined || !('sha256' in entry) || entry.bytes > most) return undefined;
  const { sha256 } = entry;
  const request = { method: 'sync.get', params: { sha256, offset: 0 } } as const;
  const { pieces } = await connection.download(request, cancellation);
  const found: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > entry.bytes) throw contentDiffers(JSON.stringify(name));
    found.push(Uint8Array.from(piece));
  }
  const content = Buffer.concat(found);
  if (hash('sha256', content, 'hex') !== sha256) throw contentDiffers(JSON.stringify(name));
  return content.toString('utf8');
}

async function manifestOf(
  connection: Host,
  snapshot: string,
  cancellation: CancellationToken,
): Promise<SnapshotManifest> {
  const found: SnapshotEntry[] = [];
  for (;;) {
    const params = { snapshot, from: found.length };
    const { entries, total } = await connection.ask('sync.entries', params, cancellation);
    for (const entry of entries) found.push(entry);
    if (found.length >= total || entries.length === 0) break;
    if (found.length > mostEntries) throw badManifest(`it has more than ${mostEntries} entries`);
  }
  checkManifest(found, { windows: process.platform === 'win32' });
  if (hash('sha256', manifestText(found), 'hex') !== snapshot) {
    throw badManifest('it differs from the announced one');
  }
  return found;
}

/** Downloads a content. The file gets its name when the checksum is right. */
async function fetchContent(
  connection: Host,
  { path: name, sha256, bytes }: Content,
  file: string,
  cancellation: CancellationToken,
): Promise<void> {
  const had = await stat(file).catch(() => undefined);
  if (had?.size === bytes && (await sumLarge(file, cancellation)).sha256 === sha256) return;
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  const sum = createHash('sha256');
  const request = { method: 'sync.get', params: { sha256, offset: 0 } } as const;
  const { pieces } = await connection.download(request, cancellation);
  const handle = await open(partial, 'wx', 0o644);
  try {
    let at = 0;
    for await (const piece of pieces) {
      if (cancellation.isCancelled) throw cancelled();
      if (at + piece.length > bytes) throw contentDiffers(JSON.stringify(name));
      await handle.writeFile(piece);
      sum.update(piece);
      at += piece.length;
    }
    if (at !== bytes || sum.digest('hex') !== sha256) throw contentDiffers(JSON.stringify(name));
  } finally {
    await handle.close();
  }
  await rename(partial, file);
}
