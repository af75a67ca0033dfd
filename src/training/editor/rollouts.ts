import { createWriteStream } from 'node:fs';
import { appendFile, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import { withCancellableProgress } from '../../base/editor/progress.ts';
import { chooseConfig } from '../../configs/editor/choose/chooseConfig.ts';
import { workingFolder } from '../../configs/editor/choose/configIndex.ts';
import { commands } from '../../base/core/ids.ts';
import { rolloutFiles } from './rolloutFiles.ts';
import type { DispatchedRun } from './dispatchedRuns.ts';
import type { ChosenRun } from './hostClient.ts';
import type { TrainingServices } from './services.ts';

const folderOf = (storage: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(storage, 'rollouts');

/** Returns the config of a training run with these rollouts. If it was not sent from here, the user chooses. */
export async function findRolloutConfig(
  source: string,
  { storage, dispatchedRuns, recent }: Pick<TrainingServices, 'storage' | 'dispatchedRuns' | 'recent'>,
): Promise<DispatchedRun | undefined> {
  const [run = ''] = path.relative(folderOf(storage).fsPath, source).split(path.sep);
  const sent = dispatchedRuns.of(run);
  if (sent !== undefined) return sent;
  const config = await chooseConfig(undefined, recent);
  return config && { root: workingFolder(config), config: config.fsPath };
}

export async function openRollouts(
  chosen: ChosenRun,
  { storage, dispatchedRuns }: TrainingServices,
): Promise<void> {
  const { run } = chosen;
  const sent = dispatchedRuns.find(run.id, run.config);
  // Debugging an episode needs the config, even if the host cannot be reached then.
  if (sent !== undefined) await dispatchedRuns.add(run.id, sent);
  const wanted = await rolloutFiles(chosen);
  if (wanted === undefined) return;
  const folder = path.join(folderOf(storage).fsPath, run.id, wanted.folder);
  const opened = path.join(folder, wanted.opened);
  await mkdir(folder, { recursive: true });
  // Remove files of an earlier download.
  for (const end of ['', '-wal']) await rm(`${opened}${end}`, { force: true });
  const title = vscode.l10n.t('Fetching the rollouts of {0}', run.name);
  const isHere = await withCancellableProgress(title, async ({ cancellation, report }) => {
    const total = wanted.files.reduce((sum, { from }) => sum + from.bytes, 0);
    let fetched = 0;
    const counted = async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        fetched += piece.length;
        report({ share: fetched / Math.max(1, total) });
        yield piece;
      }
    };
    for (const [at, { from, name }] of wanted.files.entries()) {
      const file = path.join(folder, name);
      // A file that is being written can end in the middle of a line.
      if (wanted.files[at - 1]?.name === name) await appendFile(file, '\n');
      const params = { run: run.id, of: wanted.of, path: from.path, offset: 0, length: from.bytes };
      const { pieces } = await chosen.client.connection.download(
        { method: 'file.get', params },
        cancellation,
      );
      await pipeline(pieces, counted, createWriteStream(file, { flags: 'a' }));
    }
    return true;
  });
  if (isHere === true) await vscode.commands.executeCommand(commands.openTrace, vscode.Uri.file(opened));
}
