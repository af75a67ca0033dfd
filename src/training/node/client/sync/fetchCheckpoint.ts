import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { neverCancelled, type CancellationToken } from '../../../../base/core/cancellation.ts';
import type { Checkpoint } from '../../../core/protocol/runs.ts';
import { syncErrors } from '../../../core/sync/failures.ts';
import { Jail } from '../../../core/sync/jail.ts';
import { downloadFolder, mostEntries, type DownloadOptions, type Host, type RemoteFile } from './download.ts';

/** The folder of complete files. */
const done = 'done';

/** Downloads a checkpoint like {@link downloadFolder}. Rejects also with `sync/no-checkpoint` and `sync/path-refused`. */
export async function fetchCheckpoint(
  connection: Host,
  run: string,
  checkpoint: Pick<Checkpoint, 'path'>,
  target: string,
  options: DownloadOptions = {},
): Promise<void> {
  const { cancellation = neverCancelled } = options;
  let files: readonly RemoteFile[] = [];
  const list = async (): Promise<readonly RemoteFile[]> =>
    (files = await filesOf(connection, run, checkpoint.path, cancellation));
  const complete = async (part: string): Promise<string> => {
    const folder = path.join(part, done);
    await removeOthers(folder, new Set(files.map(({ inside }) => path.join(part, inside))));
    return folder;
  };
  await downloadFolder(target, list, complete, options);
}

/** Removes files that an earlier call downloaded from another checkpoint. */
async function removeOthers(folder: string, files: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const place = path.join(entry.parentPath, entry.name);
    if (!entry.isDirectory() && !files.has(place)) await rm(place);
  }
}

async function filesOf(
  connection: Host,
  run: string,
  folder: string,
  cancellation: CancellationToken,
): Promise<readonly RemoteFile[]> {
  const jail = new Jail({ windows: process.platform === 'win32' });
  const found: RemoteFile[] = [];
  for (;;) {
    const page = await connection.ask('file.list', { run, path: folder, from: found.length }, cancellation);
    for (const { path: name, bytes } of page.files) {
      if (!name.startsWith(`${folder}/`))
        throw syncErrors.refusedPath(name, 'it is not part of the checkpoint');
      const inside = name.slice(folder.length + 1);
      const problem = jail.problemOf({ path: inside });
      if (problem !== undefined) throw syncErrors.refusedPath(name, problem);
      found.push({
        ...{ name, bytes, inside: path.join(done, inside) },
        sum: () => connection.ask('file.sum', { run, path: name }, cancellation),
        open: (offset) => {
          const params = { run, path: name, offset, length: bytes - offset };
          return connection.download({ method: 'file.get', params }, cancellation);
        },
      });
    }
    if (found.length >= page.total || page.files.length === 0) break;
    if (found.length > mostEntries) throw syncErrors.tooManyFiles(mostEntries);
  }
  if (found.length === 0) throw syncErrors.noCheckpointFiles(folder);
  return found;
}
