import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { formatReport } from '../../../base/core/errors.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { TraceClient } from '../../core/methods.ts';
import { traceEventNames, type RunStartedBody } from '../../core/runEvents.ts';
import { contextKeys, debugType, views } from '../../../base/core/ids.ts';
import { RunCatalog, type CatalogState } from './runCatalog.ts';
import { registerRunCommands } from './runCommands.ts';
import { RunsProvider } from './runsProvider.ts';
import { followWorkspace, WorkspaceRuns } from './workspaceRuns.ts';

export interface RunsParts {
  readonly client: TraceClient;
  readonly clock: Clock;
  readonly log: vscode.LogOutputChannel;
}

/** Registers the Runs view. It does not look for traces before it is shown for the first time. */
export function registerRuns({ client, clock, log }: RunsParts): Disposable {
  const store = new DisposableStore();
  const files = new WorkspaceRuns();
  const catalog = store.add(new RunCatalog({ files, client, clock }));
  const provider = store.add(new RunsProvider(catalog));
  const view = store.add(
    vscode.window.createTreeView(views.runs, {
      treeDataProvider: provider,
      canSelectMany: true,
      showCollapseAll: true,
    }),
  );
  store.add(
    catalog.onChanged(() => {
      const state = catalog.state();
      view.message = messageOf(state);
      void vscode.commands.executeCommand('setContext', contextKeys.noRuns, isEmpty(state));
    }),
  );
  store.add(view.onDidChangeVisibility(({ visible }) => catalog.setVisible(visible)));
  store.add(followWorkspace(catalog));
  store.add(registerRunCommands(catalog, view, log));
  store.add(
    vscode.debug.onDidReceiveDebugSessionCustomEvent(({ session, event, body }) => {
      if (session.type !== debugType || event !== traceEventNames.started) return;
      const { trace } = body as RunStartedBody;
      files.tell(trace);
      void catalog.fileChanged(trace);
    }),
  );
  return store;
}

/** The message above the rows: the progress of reading, or a problem. */
function messageOf({ runs, unread, problem }: CatalogState): string {
  if (problem) return formatReport(problem);
  if (unread === 0) return '';
  return vscode.l10n.t('Reading {0} runs: {1} so far.', runs.length + unread, runs.length);
}

function isEmpty({ runs, unread, listed, problem }: CatalogState): boolean {
  return listed && !problem && runs.length + unread === 0;
}
