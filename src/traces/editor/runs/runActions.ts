/** The actions of the view on runs on disk. They reject with a CodedError. */
import path from 'node:path';
import * as vscode from 'vscode';
import { CodedError, messageOf } from '../../../base/core/errors.ts';
import { exists } from '../../../base/editor/exists.ts';
import { showTrace } from '../showTrace.ts';
import type { Run } from './run.ts';
import { filesOfRun, problemOfName, type RunFiles } from './runFiles.ts';
import { runLabel } from './runText.ts';
import { workspaceRoots } from './workspaceRuns.ts';

const mostNamed = 10;

export async function openRuns(traces: readonly string[]): Promise<void> {
  for (const trace of traces) await showTrace(vscode.Uri.file(trace), { beside: false });
}

export async function openConfig({ file, summary }: Run): Promise<void> {
  const config = vscode.Uri.file(summary.config);
  if (!(await exists(config)))
    throw new CodedError({
      code: 'runs/config-gone',
      message: vscode.l10n.t('The config of this run does not exist any more.'),
      location: { file: summary.config },
      hint: vscode.l10n.t('A copy from the time of the run may be in {0}.', path.dirname(file.trace)),
    });
  await vscode.commands.executeCommand('vscode.open', config);
}

/** Asks for a name and renames the run's folder. Returns the trace's new path; undefined: canceled. */
export async function renameRun(run: Run): Promise<string | undefined> {
  const { trace } = run.file;
  demandEnded([run]);
  const place = await findPlace(trace);
  if (place.kind !== 'folder')
    throw new CodedError({
      code: 'runs/folder-shared',
      message: vscode.l10n.t('The folder of this trace contains other files, so it cannot be renamed.'),
      location: { file: trace },
      hint: vscode.l10n.t('Rename the trace itself in the Explorer.'),
    });
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
    await vscode.workspace.fs.rename(vscode.Uri.file(folder), vscode.Uri.file(target), { overwrite: false });
  } catch (cause) {
    if (wasOpen) await openRuns([trace]);
    const message = vscode.l10n.t('The folder of the run cannot be renamed: {0}', reasonOf(cause));
    const hint = vscode.l10n.t('Close programs that use files in it, and check that you can write to it.');
    const location = { file: folder };
    throw new CodedError({ code: 'runs/cannot-rename', message, location, hint, cause });
  }
  if (wasOpen) await openRuns([moved]);
  return moved;
}

function demandEnded(runs: readonly Run[]): void {
  const running = runs.find(({ summary }) => summary.state === 'running');
  if (running === undefined) return;
  throw new CodedError({
    code: 'runs/still-running',
    message: vscode.l10n.t('The run {0} is still active.', runLabel(running)),
    hint: vscode.l10n.t('Stop it, or wait until it ends.'),
  });
}

/** Asks, then moves the runs to the trash. If there is no trash, asks again and deletes them permanently. */
export async function deleteRuns(runs: readonly Run[]): Promise<void> {
  demandEnded(runs);
  const places = await Promise.all(runs.map(({ file }) => findPlace(file.trace)));
  const paths = places.flatMap((place) => (place.kind === 'folder' ? [place.folder] : place.files));
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
  const { left, reason } = await moveToTrash(paths);
  if (left.length > 0) await deleteForGood(left, reason);
}

async function findPlace(trace: string): Promise<RunFiles> {
  return filesOfRun(trace, await namesIn(path.dirname(trace)), workspaceRoots());
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await vscode.workspace.fs.readDirectory(vscode.Uri.file(folder));
  return entries.map(([name]) => name);
}

async function moveToTrash(
  paths: readonly string[],
): Promise<{ readonly left: readonly string[]; readonly reason: string }> {
  const left: string[] = [];
  let reason = '';
  for (const file of paths) {
    try {
      await vscode.workspace.fs.delete(vscode.Uri.file(file), { recursive: true, useTrash: true });
    } catch (error) {
      left.push(file);
      reason ||= reasonOf(error);
    }
  }
  return { left, reason };
}

async function deleteForGood(paths: readonly string[], reason: string): Promise<void> {
  const detail = `${listed(paths)}\n\n${reason}`;
  const question = vscode.l10n.t(
    'It could not be moved to the trash. Delete it permanently? This cannot be undone.',
  );
  if (!(await confirm(question, detail, vscode.l10n.t('Delete Permanently')))) return;
  for (const file of paths) {
    try {
      await vscode.workspace.fs.delete(vscode.Uri.file(file), { recursive: true });
    } catch (cause) {
      const message = vscode.l10n.t('The run cannot be deleted: {0}', reasonOf(cause));
      const hint = vscode.l10n.t(
        'Close programs that use its files, and check that you can write to its folder.',
      );
      throw new CodedError({ code: 'runs/cannot-delete', message, location: { file }, hint, cause });
    }
  }
}

function reasonOf(cause: unknown): string {
  const text = messageOf(cause);
  return text.endsWith('.') ? text : `${text}.`;
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
