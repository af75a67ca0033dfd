import { hash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { neverCancelled, type CancellationToken } from '../../../../base/core/cancellation.ts';
import type { SnapshotEntry, SnapshotManifest } from '../../../core/protocol/hostRpc.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { checkManifest, manifestText } from '../../../core/sync/manifest.ts';
import { materialize, type CopyContent } from '../../host/sync/materialize.ts';
import { downloadFolder, mostEntries, type DownloadOptions, type Host, type RemoteFile } from './download.ts';

/**
 * Downloads a snapshot with modes and links like {@link downloadFolder}.
 * The host may be hostile: the list of files must match the id of the snapshot, and its paths and contents are
 * checked. Rejects also with `sync/bad-manifest` and `sync/path-refused`.
 */
export async function rebuildSnapshot(
  connection: Host,
  snapshot: string,
  target: string,
  options: DownloadOptions = {},
): Promise<void> {
  const { cancellation = neverCancelled } = options;
  let manifest: SnapshotManifest = [];
  const list = async (): Promise<readonly RemoteFile[]> => {
    manifest = await manifestOf(connection, snapshot, cancellation);
    const contents = new Map(manifest.flatMap((entry) => ('sha256' in entry ? [[entry.sha256, entry]] : [])));
    return Array.from(contents.values(), ({ path: name, sha256, bytes }) => ({
      ...{ name, bytes, inside: path.join('contents', sha256) },
      sum: () => Promise.resolve({ sha256, bytes }),
      open: (offset) => connection.download({ method: 'sync.get', params: { sha256, offset } }, cancellation),
    }));
  };
  const complete = async (part: string): Promise<string> => {
    const tree = path.join(part, 'tree');
    await rm(tree, { recursive: true, force: true });
    // They were checked when they were downloaded.
    const copy: CopyContent = (sha256, _, to) =>
      copyFile(path.join(part, 'contents', sha256), to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    await materialize(manifest, tree, copy, cancellation);
    return tree;
  };
  await downloadFolder(target, list, complete, { parallel: 4, ...options });
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
    if (bytes > entry.bytes) throw syncErrors.contentDiffers(JSON.stringify(name));
    found.push(Uint8Array.from(piece));
  }
  const content = Buffer.concat(found);
  if (hash('sha256', content, 'hex') !== sha256) throw syncErrors.contentDiffers(JSON.stringify(name));
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
    if (found.length > mostEntries) throw syncErrors.badManifest(`it has more than ${mostEntries} entries`);
  }
  checkManifest(found, { windows: process.platform === 'win32' });
  if (hash('sha256', manifestText(found), 'hex') !== snapshot) {
    throw syncErrors.badManifest('it differs from the announced one');
  }
  return found;
}
