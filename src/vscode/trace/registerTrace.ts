import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/disposable.ts';
import type { TraceClient } from '../../protocol/traceRpc.ts';
import { commands, traceEditorType } from '../ids.ts';
import { reportingErrors } from '../reportErrors.ts';
import { LastTrace } from './lastTrace.ts';
import { openTracesOfRuns } from './runTraces.ts';
import { showTrace } from './showTrace.ts';
import { TraceEditorProvider } from './traceEditor.ts';

export interface TraceParts {
  readonly client: TraceClient;
  readonly state: vscode.Memento;
  /** Folder of the viewer's script and style. */
  readonly webFolder: vscode.Uri;
  readonly log: vscode.LogOutputChannel;
}

/** Everything about showing traces that is contributed to VS Code, the list of runs apart. */
export function registerTrace({ client, state, webFolder, log }: TraceParts): Disposable {
  const store = new DisposableStore();
  const last = new LastTrace(state);
  const register = (id: string, run: (...args: unknown[]) => Promise<void>): void => {
    store.add(
      vscode.commands.registerCommand(id, (...args: unknown[]) => reportingErrors(() => run(...args), log)),
    );
  };
  store.add(
    vscode.window.registerCustomEditorProvider(traceEditorType, new TraceEditorProvider(client, webFolder)),
  );
  store.add(openTracesOfRuns(last, log));
  register(commands.openTrace, openTrace);
  register(commands.openLastTrace, () => openLastTrace(last));
  return store;
}

/** @param uri from a menu; without one the user is asked */
async function openTrace(uri: unknown): Promise<void> {
  const trace = uri instanceof vscode.Uri ? uri : await askForTrace();
  if (trace) await showTrace(trace, { beside: false });
}

async function askForTrace(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    filters: { 'AgentJet traces': ['ajtrace'] },
    openLabel: 'Open Trace',
    title: 'Which trace?',
  });
  return chosen?.[0];
}

async function openLastTrace(last: LastTrace): Promise<void> {
  const trace = await last.find();
  if (trace) {
    await showTrace(trace, { beside: false });
    return;
  }
  void vscode.window.showInformationMessage(
    'There is no trace yet. Open an AgentJet config and press F5: its run leaves one.',
  );
}
