/** The actions of the view on runs on disk. They reject with a CodedError. */
import path from 'node:path';
import * as vscode from 'vscode';
import { exists } from '../../../base/editor/exists.ts';
import { showTrace } from '../showTrace.ts';
import type { Run } from './run.ts';
import { cannotDelete, cannotRename, configGone, folderShared, reasonOf, stillRunning } from './runErrors.ts';
import { filesOfRun, problemOfName, type RunFiles } from './runFiles.ts';
import { runLabel } from './runText.ts';
import { workspaceRoots } from './workspaceRuns.ts';

/** The maximum number of paths that a question lists. */
const mostNamed = 10;

export async function openRuns(traces: readonly string[]): Promise<void> {
  for (const trace of traces) await showTrace(vscode.Uri.file(trace), { beside: false });
}

export async function openConfig({ file, summary }: Run): Promise<void> {
  const config = vscode.Uri.file(summary.config);
  if (!(await exists(config))) throw configGone(summary.config, file.trace);
  await vscode.commands.executeCommand('vscode.open', config);
}

/** Asks for a name and renames the run's folder. Returns the trace's new path; undefined: canceled. */
export async function renameRun(run: Run): Promise<string | undefined> {
  const { trace } = run.file;
  if (run.summary.state === 'running') throw stillRunning(runLabel(run));
  const place = await findPlace(trace);
  if (place.kind !== 'folder') throw folderShared(trace);
  const { folder } = place;
  const parent = path.dirname(folder);
  const current = path.basename(folder);
  const siblings = (await namesIn(parent)).filter((name) => name !== current);
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Rename Run'),
    prompt: vscode.l10n.t('A new name for the folder of the run, in {0}', parent),
    value: current,
    validateInput: (value) => problemOfName(value, siblings),
  });
  if (name === undefined || name === current) return undefined;
  const target = path.join(parent, name);
  const moved = path.join(target, path.basename(trace));
  const wasOpen = await closeEditors([trace]);
  try {
    await moveFolder(folder, target);
  } catch (error) {
    if (wasOpen) await openRuns([trace]);
    throw error;
  }
  if (wasOpen) await openRuns([moved]);
  return moved;
}

async function moveFolder(from: string, to: string): Promise<void> {
  try {
    await vscode.workspace.fs.rename(vscode.Uri.file(from), vscode.Uri.file(to), { overwrite: false });
  } catch (error) {
    throw cannotRename(from, error);
  }
}

/** Asks, then moves the runs to the trash. If there is no trash, asks again and deletes them permanently. */
export async function deleteRuns(runs: readonly Run[]): Promise<void> {
  const running = runs.find(({ summary }) => summary.state === 'running');
  if (running) throw stillRunning(runLabel(running));
  const places = await Promise.all(runs.map(({ file }) => findPlace(file.trace)));
  const paths = places.flatMap(pathsOf);
  const question =
    runs.length === 1 && runs[0]
      ? vscode.l10n.t('Delete the run "{0}"?', runLabel(runs[0]))
      : vscode.l10n.t('Delete {0} runs?', runs.length);
  const wholeFolder = places.some(({ kind }) => kind === 'folder');
  const detail = wholeFolder
    ? `${listed(paths)}\n\n${vscode.l10n.t('This also deletes everything else in these folders.')}`
    : listed(paths);
  if (!(await confirm(question, detail, vscode.l10n.t('Move to Trash')))) return;
  await closeEditors(runs.map(({ file }) => file.trace));
  const left = await moveToTrash(paths);
  if (left.length > 0) await deleteForGood(left);
}

function pathsOf(place: RunFiles): readonly string[] {
  return place.kind === 'folder' ? [place.folder] : place.files;
}

async function findPlace(trace: string): Promise<RunFiles> {
  return filesOfRun(trace, await namesIn(path.dirname(trace)), workspaceRoots());
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.file(folder));
  return entries.map(([name]) => name);
}

/** A path that could not be deleted, and the reason. */
interface UndeletedPath {
  readonly path: string;
  readonly reason: string;
}

/** Moves files to the trash. Returns those that could not be moved. */
async function moveToTrash(paths: readonly string[]): Promise<readonly UndeletedPath[]> {
  const left: UndeletedPath[] = [];
  for (const file of paths) {
    try {
      await vscode.workspace.fs.delete(vscode.Uri.file(file), { recursive: true, useTrash: true });
    } catch (error) {
      left.push({ path: file, reason: reasonOf(error) });
    }
  }
  return left;
}

async function deleteForGood(left: readonly UndeletedPath[]): Promise<void> {
  const paths = left.map((entry) => entry.path);
  const detail = `${listed(paths)}\n\n${left[0]?.reason ?? ''}`;
  const question = vscode.l10n.t(
    'It could not be moved to the trash. Delete it permanently? This cannot be undone.',
  );
  if (!(await confirm(question, detail, vscode.l10n.t('Delete Permanently')))) return;
  for (const file of paths) {
    try {
      await vscode.workspace.fs.delete(vscode.Uri.file(file), { recursive: true });
    } catch (error) {
      throw cannotDelete(file, error);
    }
  }
}

async function confirm(question: string, detail: string, button: string): Promise<boolean> {
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, button);
  return answer === button;
}

function listed(paths: readonly string[]): string {
  const named = paths.slice(0, mostNamed);
  const rest = paths.length - named.length;
  return [...named, ...(rest > 0 ? [vscode.l10n.t('… and {0} more', rest)] : [])].join('\n');
}

/** Closes the viewers of these traces, which would show deleted files. Returns true if there were any. */
async function closeEditors(traces: readonly string[]): Promise<boolean> {
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputCustom && traces.includes(input.uri.fsPath));
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs);
  return tabs.length > 0;
}
