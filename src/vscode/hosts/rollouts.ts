import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import { CancellationSource } from '../../base/cancellation.ts';
import { CodedError } from '../../base/errors.ts';
import type { FileEntry } from '../../protocol/host/hostRpc.ts';
import { commands } from '../ids.ts';
import type { Chosen } from './trainingActions.ts';

/** What Trinity-RFT keeps of rollouts, by its names: of the newest versions first. What SQLite has not merged is beside it. */
const stores = [
  ['buffer/explorer_output.db', 'buffer/explorer_output.db-wal'],
  ['buffer/explorer_output.jsonl'],
] as const;

/** Fetches what the run has kept of its rollouts until now, and shows it as a trace. */
export async function openRollouts(chosen: Chosen, storage: vscode.Uri): Promise<void> {
  const { link, run } = chosen;
  const { files } = await link.connection.ask('file.list', { run: run.id, path: 'buffer', from: 0 });
  const found = stores
    .map((names) => files.filter((file) => names.some((name) => name === file.path)))
    .find((some) => some.length > 0);
  if (found === undefined) throw noRollouts(run.name);
  const folder = vscode.Uri.joinPath(storage, 'rollouts', run.id).fsPath;
  await mkdir(folder, { recursive: true });
  await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('Fetching the rollouts of {0}', run.name),
      cancellable: true,
    },
    async (progress, token) => {
      const cancellation = new CancellationSource();
      token.onCancellationRequested(() => cancellation.cancel());
      const total = found.reduce((sum, { bytes }) => sum + bytes, 0);
      for (const file of found) {
        await fetchFile(chosen, file, folder, cancellation, (bytes) =>
          progress.report({ increment: (100 * bytes) / Math.max(1, total) }),
        );
      }
    },
  );
  const [main] = found
    .map((file) => path.join(folder, path.basename(file.path)))
    .sort((a, b) => a.length - b.length);
  if (main !== undefined) await vscode.commands.executeCommand(commands.openTrace, vscode.Uri.file(main));
}

async function fetchFile(
  { link, run }: Chosen,
  file: FileEntry,
  folder: string,
  cancellation: CancellationSource,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const params = { run: run.id, path: file.path, offset: 0, length: file.bytes };
  const source = await link.connection.download({ method: 'file.get', params }, cancellation.token);
  const told = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of source.pieces) {
      onBytes(piece.length);
      yield piece;
    }
  };
  await pipeline(Readable.from(told()), createWriteStream(path.join(folder, path.basename(file.path))));
}

function noRollouts(name: string): CodedError {
  return new CodedError({
    code: 'hosts/no-rollouts',
    message: vscode.l10n.t('The training {0} has kept no rollouts until now.', name),
    hint: vscode.l10n.t('Trinity-RFT keeps them with `data_processor.experience_pipeline.save_input`.'),
  });
}
