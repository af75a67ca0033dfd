import path from 'node:path';
import * as vscode from 'vscode';
import { CodedError } from '../../base/core/errors.ts';
import { sizeText } from '../../base/core/format.ts';
import type { FileEntry, FilesOf } from '../core/protocol/hostRpc.ts';
import { stageFolder } from '../core/sync/checkpoints.ts';
import { isRolloutLog, rolloutLogs } from '../core/sync/rolloutLogs.ts';
import { noRolloutsError } from './noRollouts.ts';
import { currentLog, rolloutItems } from './rolloutItems.ts';
import type { ChosenRun } from './trainingActions.ts';

/** Files of a run that one trace is made of. */
export interface RolloutFiles {
  readonly of: FilesOf;
  /** In order; those of one name become one file. */
  readonly files: readonly { readonly from: FileEntry; readonly name: string }[];
  /** Below the folder that is kept for the run; empty: that itself. */
  readonly folder: string;
  /** The file that is opened. */
  readonly opened: string;
}

/** What Trinity-RFT keeps of rollouts where the config names no other file, of the newest versions first. */
const usual = ['explorer_output.db', 'explorer_output.jsonl'];
/** Whatever has experiences. */
const store = /\.(?:db|jsonl)$/;

/**
 * What Trinity-RFT has kept of a run's rollouts, else what AgentJet has logged of them; undefined: the user, who was asked
 * which, chose none. Rejects with `hosts/no-rollouts`.
 */
export async function rolloutFiles(chosen: ChosenRun): Promise<RolloutFiles | undefined> {
  const buffers = await buffersOf(chosen);
  if (buffers.some((buffer) => storesIn(buffer).length > 0)) return chosenStore(buffers, chosen);
  return chosenLogs(chosen);
}

/** What the training keeps of experiences, and so does each of its stages. */
interface Buffer {
  readonly stage: string | undefined;
  /** Inside the job's folder. */
  readonly folder: string;
  readonly files: readonly FileEntry[];
}

/** Those of the newest stage first. */
async function buffersOf(chosen: ChosenRun): Promise<Buffer[]> {
  const { run } = chosen;
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
      return { stage, folder, files: await filesBelow(folder, 'job', chosen) };
    }),
  );
}

async function filesBelow(
  path: string,
  of: FilesOf,
  { client, run }: ChosenRun,
): Promise<readonly FileEntry[]> {
  try {
    const { files } = await client.connection.ask('file.list', { run: run.id, of, path, from: 0 });
    return files;
  } catch (error) {
    // Before its first checkpoint verl makes no folder.
    if (error instanceof CodedError && error.code === 'host/no-job-folder') return [];
    throw error;
  }
}

/** Asks where there are several, in one stage or in more, and none by its usual name. */
async function chosenStore(
  buffers: readonly Buffer[],
  { run }: ChosenRun,
): Promise<RolloutFiles | undefined> {
  const stores = buffers.flatMap((buffer) => storesIn(buffer).map((file) => ({ file, ...buffer })));
  const items = stores.map((one) => ({
    label: one.file.path,
    description: sizeText(one.file.bytes),
    one,
  }));
  const item = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, whichOf(run.name));
  if (item === undefined) return undefined;
  const { file, files, stage } = item.one;
  // What SQLite has not merged is beside it.
  const found = files.filter(({ path: one }) => one === file.path || one === `${file.path}-wal`);
  return {
    of: 'job',
    files: found.map((from) => ({ from, name: path.basename(from.path) })),
    folder: stage === undefined ? '' : stageFolder(stage),
    opened: path.basename(file.path),
  };
}

function storesIn({ folder, files }: Buffer): readonly FileEntry[] {
  const byName = usual.flatMap((name) => files.find((file) => file.path === `${folder}/${name}`) ?? []);
  return byName.length > 0 ? byName.slice(0, 1) : files.filter((file) => store.test(file.path));
}

/** The one log there is; of several, of more processes or set aside by size, those that the user chooses, as one file. */
async function chosenLogs(chosen: ChosenRun): Promise<RolloutFiles | undefined> {
  const { run } = chosen;
  const files = await filesBelow(rolloutLogs, 'rollouts', chosen);
  // A host that knows nothing of them tells of its job's folder.
  const logs = files.filter(({ path: one, bytes }) => isRolloutLog(one) && bytes > 0);
  if (logs.length === 0) throw noRolloutsError(run);
  const wanted = logs.length === 1 ? logs : await askForLogs(logs, run.name);
  if (wanted.length === 0) return undefined;
  const inTime = wanted.toSorted((a, b) => a.modifiedAt - b.modifiedAt);
  const named = inTime.map((from) => ({ from, name: currentLog }));
  return { of: 'rollouts', files: named, folder: '', opened: currentLog };
}

async function askForLogs(logs: readonly FileEntry[], run: string): Promise<readonly FileEntry[]> {
  const items = rolloutItems(logs, vscode.env.language);
  const chosen = await vscode.window.showQuickPick(items, { ...whichOf(run), canPickMany: true });
  return chosen?.map(({ file }) => file) ?? [];
}

function whichOf(run: string): { readonly placeHolder: string } {
  return { placeHolder: vscode.l10n.t('Which rollouts of {0}', run) };
}
