import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import * as vscode from 'vscode';
import type { CancellationToken } from '../../base/cancellation.ts';
import { sizeText } from '../../base/sizeText.ts';
import type { FileEntry } from '../../protocol/host/hostRpc.ts';
import type { RunRecord } from '../../protocol/host/runs.ts';
import { stageFolder } from '../../remote/sync/checkpoints.ts';
import { cancellable } from '../cancellable.ts';
import { chooseConfig } from '../debug/chooseConfig.ts';
import { workingFolder } from '../debug/configIndex.ts';
import type { RecentConfigs } from '../debug/recentConfigs.ts';
import { commands } from '../ids.ts';
import { noRollouts } from './noRollouts.ts';
import type { SentRun, SentRuns } from './sentRuns.ts';
import type { Chosen } from './trainingActions.ts';

/** What Trinity-RFT keeps of rollouts where the config names no other file, of the newest versions first. */
const usual = ['explorer_output.db', 'explorer_output.jsonl'];
/** Whatever has experiences. */
const store = /\.(?:db|jsonl)$/;

export interface RolloutParts {
  /** Where fetched files are kept. */
  readonly storage: vscode.Uri;
  readonly sentRuns: SentRuns;
}

const folderOf = (storage: vscode.Uri): vscode.Uri => vscode.Uri.joinPath(storage, 'rollouts');

/** The config that rollouts were trained with: it was sent from here, or the user is asked. */
export async function configOfRollouts(
  source: string,
  { storage, sentRuns, recent }: RolloutParts & { readonly recent: RecentConfigs },
): Promise<SentRun | undefined> {
  const [run = ''] = path.relative(folderOf(storage).fsPath, source).split(path.sep);
  const sent = sentRuns.of(run);
  if (sent !== undefined) return sent;
  const config = await chooseConfig(undefined, recent);
  return config && { root: workingFolder(config), config: config.fsPath };
}

/** Fetches what the run has kept of its rollouts until now, and shows it as a trace. */
export async function openRollouts(chosen: Chosen, { storage, sentRuns }: RolloutParts): Promise<void> {
  const { run } = chosen;
  const sent = await sentRuns.find(run.id, run.config);
  // Their episodes are run again with it, when the host may not be in reach.
  if (sent !== undefined) await sentRuns.add(run.id, sent);
  const buffers = await buffersOf(chosen);
  const main = await chosenStore(buffers, run);
  if (main === undefined) return;
  // What SQLite has not merged is beside it.
  const found = buffers.flatMap(({ files }) =>
    files.filter((file) => file.path === main.path || file.path === `${main.path}-wal`),
  );
  const kept = vscode.Uri.joinPath(folderOf(storage), run.id).fsPath;
  const folder = main.stage === undefined ? kept : path.join(kept, stageFolder(main.stage));
  const fetched = path.join(folder, path.basename(main.path));
  await mkdir(folder, { recursive: true });
  // One of an earlier time is not of this file.
  await rm(`${fetched}-wal`, { force: true });
  const title = vscode.l10n.t('Fetching the rollouts of {0}', run.name);
  const isHere = await cancellable(title, async ({ cancellation, report }) => {
    const total = found.reduce((sum, { bytes }) => sum + bytes, 0);
    let fetchedBytes = 0;
    for (const file of found) {
      await fetchFile(chosen, file, folder, cancellation, (bytes) => {
        fetchedBytes += bytes;
        report({ share: fetchedBytes / Math.max(1, total) });
      });
    }
    return true;
  });
  if (isHere === true) await vscode.commands.executeCommand(commands.openTrace, vscode.Uri.file(fetched));
}

/** What the training keeps of experiences, and so does each of its stages. */
interface Buffer {
  readonly stage: string | undefined;
  /** Inside the job's folder. */
  readonly folder: string;
  readonly files: readonly FileEntry[];
}

type Store = FileEntry & Pick<Buffer, 'stage'>;

/** Those of the newest stage first. */
async function buffersOf({ link, run }: Chosen): Promise<Buffer[]> {
  const stages = run.stages?.toReversed() ?? [];
  const places =
    stages.length === 0
      ? [{ stage: undefined, folder: 'buffer' }]
      : stages.map(({ name, folder }) => ({
          stage: name,
          folder: folder === '' ? 'buffer' : `${folder}/buffer`,
        }));
  return Promise.all(
    places.map(async ({ stage, folder }) => {
      const { files } = await link.connection.ask('file.list', { run: run.id, path: folder, from: 0 });
      return { stage, folder, files };
    }),
  );
}

/** Asks where there are several, in one stage or in more, and none by its usual name; undefined: the user chose none. */
async function chosenStore(buffers: readonly Buffer[], run: RunRecord): Promise<Store | undefined> {
  const stores = buffers.flatMap(storesIn);
  if (stores.length === 0) throw noRollouts(run);
  if (stores.length === 1) return stores[0];
  const items = stores.map((file) => ({ label: file.path, description: sizeText(file.bytes), file }));
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t('Which rollouts of {0}', run.name),
  });
  return chosen?.file;
}

function storesIn({ stage, folder, files }: Buffer): Store[] {
  const byName = usual.flatMap((name) => files.find((file) => file.path === `${folder}/${name}`) ?? []);
  const stores = byName.length > 0 ? byName.slice(0, 1) : files.filter((file) => store.test(file.path));
  return stores.map((file) => ({ ...file, stage }));
}

async function fetchFile(
  { link, run }: Chosen,
  file: FileEntry,
  folder: string,
  cancellation: CancellationToken,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const params = { run: run.id, path: file.path, offset: 0, length: file.bytes };
  const source = await link.connection.download({ method: 'file.get', params }, cancellation);
  const told = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of source.pieces) {
      onBytes(piece.length);
      yield piece;
    }
  };
  await pipeline(Readable.from(told()), createWriteStream(path.join(folder, path.basename(file.path))));
}
