import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { notesEvent, type RunNotesBody } from '../../node/noteEvents.ts';
import { findingKind } from '../../../tracking/core/finding.ts';
import { commands, debugType, settings, settingsSection } from '../../../base/core/ids.ts';
import { Manual } from '../../../configs/editor/language/manual.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { RunNotes } from './runNotes.ts';

/**
 * Shows the notes of the last F5 run in the code and the config.
 *
 * @param extension the folder of this extension
 */
export function registerRunNotes(extension: vscode.Uri, log: vscode.LogOutputChannel): Disposable {
  const store = new DisposableStore();
  const file = vscode.Uri.joinPath(extension, 'docs/findings.md');
  const manual = new Manual(file, (heading) => findingKind(heading) !== undefined);
  const notes = store.add(new RunNotes(() => manual.links()));
  store.add(
    vscode.debug.onDidStartDebugSession(({ type }) => {
      if (type === debugType) notes.clear();
    }),
  );
  store.add(
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== debugType || event !== notesEvent) return;
      if (!isOn(session.workspaceFolder?.uri)) return;
      void reportingErrors(() => notes.show((body as RunNotesBody).notes), log);
    }),
  );
  store.add(vscode.workspace.onDidChangeTextDocument((change) => notes.edited(change)));
  store.add(
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`${settingsSection}.${settings.runNotes}`)) notes.clear();
    }),
  );
  store.add(vscode.commands.registerCommand(commands.clearRunNotes, () => notes.clear()));
  return store;
}

function isOn(folder: vscode.Uri | undefined): boolean {
  return vscode.workspace.getConfiguration(settingsSection, folder).get<boolean>(settings.runNotes, true);
}
