import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { formatReport } from '../../../base/core/errors.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { TraceClient } from '../../core/methods.ts';
import { traceEventNames, trainingEventNames, type RunStartedBody } from '../../core/runEvents.ts';
import { contextKeys, debugType, views, commands } from '../../../base/core/ids.ts';
import { RunCatalog, type CatalogState } from './runCatalog.ts';
import { RunsProvider } from './runsProvider.ts';
import { followWorkspace, WorkspaceRuns } from './workspaceRuns.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { deleteRuns, openConfig, openRuns, renameRun } from './runActions.ts';
import type { Run } from './run.ts';
import type { TreeNode } from './runTree.ts';

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
      const names: readonly string[] = [traceEventNames.started, trainingEventNames.progressed];
      if (session.type !== debugType || !names.includes(event)) return;
      const { trace } = body as Partial<RunStartedBody>;
      if (trace === undefined) return;
      files.tell(trace);
      void catalog.fileChanged(trace);
    }),
  );
  return store;
}

function messageOf({ runs, unread, problem }: CatalogState): string {
  if (problem) return formatReport(problem);
  if (unread === 0) return '';
  return vscode.l10n.t('Reading {0} runs: {1} so far.', runs.length + unread, runs.length);
}

function isEmpty({ runs, unread, listed, problem }: CatalogState): boolean {
  return listed && !problem && runs.length + unread === 0;
}

/** The commands of the view. They apply to the row whose menu was opened, otherwise to the selected rows. */
function registerRunCommands(
  catalog: RunCatalog,
  view: Pick<vscode.TreeView<TreeNode>, 'selection'>,
  log: vscode.LogOutputChannel,
): Disposable {
  const store = new DisposableStore();
  const register = (id: string, run: (runs: readonly Run[]) => PromiseLike<unknown>): void => {
    store.add(
      vscode.commands.registerCommand(id, (...args: unknown[]) =>
        reportingErrors(() => run(chosenRuns(args, view.selection)), log),
      ),
    );
  };
  const registerForOne = (id: string, run: (run: Run) => PromiseLike<unknown>): void => {
    register(id, async ([first]) => first && run(first));
  };
  register(commands.refreshRuns, () => catalog.refresh());
  register(commands.openRun, (runs) => openRuns(runs.map(traceOf)));
  registerForOne(commands.openRunConfig, openConfig);
  registerForOne(commands.revealRunInOs, (run) => reveal('revealFileInOS', run));
  registerForOne(commands.revealRunInExplorer, (run) => reveal('revealInExplorer', run));
  register(commands.copyRunPath, (runs) => vscode.env.clipboard.writeText(runs.map(traceOf).join('\n')));
  registerForOne(commands.renameRun, (run) => renameKnown(catalog, run));
  register(commands.deleteRun, (runs) => deleteKnown(catalog, runs));
  return store;
}

/** A menu passes its row, and the selection if the row is part of it. A key binding passes nothing. */
function chosenRuns([node, several]: readonly unknown[], selection: readonly TreeNode[]): readonly Run[] {
  const nodes = Array.isArray(several) ? several : node === undefined ? selection : [node];
  return (nodes as readonly TreeNode[]).flatMap((chosen) => (chosen.kind === 'run' ? [chosen.run] : []));
}

function traceOf({ file }: Run): string {
  return file.trace;
}

function reveal(command: string, run: Run): Thenable<unknown> {
  return vscode.commands.executeCommand(command, vscode.Uri.file(traceOf(run)));
}

async function renameKnown(catalog: RunCatalog, run: Run): Promise<void> {
  const [current] = await catalog.readNow([traceOf(run)]);
  try {
    const moved = current && (await renameRun(current));
    if (moved !== undefined) await catalog.fileChanged(moved);
  } finally {
    await catalog.fileChanged(traceOf(run));
  }
}

async function deleteKnown(catalog: RunCatalog, runs: readonly Run[]): Promise<void> {
  const traces = runs.map(traceOf);
  if (traces.length === 0) return;
  try {
    await deleteRuns(await catalog.readNow(traces));
  } finally {
    for (const trace of traces) await catalog.fileChanged(trace);
  }
}
