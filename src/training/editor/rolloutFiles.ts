import path from 'node:path';
import * as vscode from 'vscode';
import { CodedError } from '../../base/core/errors.ts';
import { sizeText } from '../../base/core/format.ts';
import type { FileEntry, FilesOf } from '../core/protocol/hostRpc.ts';
import { stageFolder } from '../core/sync/checkpoints.ts';
import { isRolloutLog, rolloutLogs } from '../core/sync/rolloutLogs.ts';
import { currentLog, noRolloutsError, rolloutItems } from './rolloutItems.ts';
import type { ChosenRun } from './hostClient.ts';

export interface RolloutFiles {
  readonly of: FilesOf;
  /** In order. Files with the same name are appended to one file. */
  readonly files: readonly { readonly from: FileEntry; readonly name: string }[];
  /** The folder below the local folder of the run; empty for that folder itself. */
  readonly folder: string;
  readonly opened: string;
}

/** Default names of the rollout files of Trinity-RFT, newest version first. */
const usual = ['explorer_output.db', 'explorer_output.jsonl'];
/** Matches files with experiences. */
const store = /\.(?:db|jsonl)$/;

/**
 * Finds the rollouts of a run: the files of Trinity-RFT, or else the logs of AgentJet. If there are several, the user
 * chooses; resolves to undefined if the user chooses none. Rejects with `hosts/no-rollouts`.
 */
export async function rolloutFiles(chosen: ChosenRun): Promise<RolloutFiles | undefined> {
  const buffers = await buffersOf(chosen);
  if (buffers.some((buffer) => storesIn(buffer).length > 0)) return chosenStore(buffers, chosen);
  return chosenLogs(chosen);
}

/** The experience buffer of a training run or of one of its stages. */
interface Buffer {
  readonly stage: string | undefined;
  /** Inside the job's folder. */
  readonly folder: string;
  readonly files: readonly FileEntry[];
}

/** Returns the buffers of all stages, newest stage first. */
async function buffersOf(chosen: ChosenRun): Promise<Buffer[]> {
  const { run } = chosen;
  const stages = run.stages?.toReversed() ?? [];
  const places = stages.length === 0 ? [{ name: undefined, folder: '' }] : stages;
  return Promise.all(
    places.map(async ({ name, folder: parent }) => {
      const folder = path.posix.join(parent, 'buffer');
      return { stage: name, folder, files: await filesBelow(folder, 'job', chosen) };
    }),
  );
}

async function filesBelow(
  folder: string,
  of: FilesOf,
  { client, run }: ChosenRun,
): Promise<readonly FileEntry[]> {
  try {
    const params = { run: run.id, of, path: folder, from: 0 };
    return (await client.connection.ask('file.list', params)).files;
  } catch (error) {
    // verl creates the folder with the first checkpoint.
    if (error instanceof CodedError && error.code === 'host/no-job-folder') return [];
    throw error;
  }
}

async function chosenStore(
  buffers: readonly Buffer[],
  { run }: ChosenRun,
): Promise<RolloutFiles | undefined> {
  const stores = buffers.flatMap((buffer) => storesIn(buffer).map((file) => ({ file, ...buffer })));
  const items = stores.map((one) => ({
    label: one.file.path,
    description: sizeText(one.file.bytes),
    ...one,
  }));
  const item = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, whichOf(run.name));
  if (item === undefined) return undefined;
  const { file, files, stage } = item;
  // The write-ahead log of SQLite is a separate file.
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

/** Returns the rollout logs as one file. If several processes wrote logs or a log was rotated, the user chooses. */
async function chosenLogs(chosen: ChosenRun): Promise<RolloutFiles | undefined> {
  const { run } = chosen;
  const files = await filesBelow(rolloutLogs, 'rollouts', chosen);
  // Hosts of earlier versions do not know rollout logs and list the job's folder instead.
  const logs = files.filter(({ path: one, bytes }) => isRolloutLog(one) && bytes > 0);
  if (logs.length === 0) throw noRolloutsError(run);
  const items = rolloutItems(logs, vscode.env.language);
  const chosenItems =
    items.length === 1
      ? items
      : await vscode.window.showQuickPick(items, { ...whichOf(run.name), canPickMany: true });
  const wanted = chosenItems?.map(({ file }) => file) ?? [];
  if (wanted.length === 0) return undefined;
  const inTime = wanted.toSorted((a, b) => a.modifiedAt - b.modifiedAt);
  const named = inTime.map((from) => ({ from, name: currentLog }));
  return { of: 'rollouts', files: named, folder: '', opened: currentLog };
}

function whichOf(run: string): { readonly placeHolder: string } {
  return { placeHolder: vscode.l10n.t('Select rollouts of {0}', run) };
}
