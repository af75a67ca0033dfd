import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/core/disposable.ts';
import { reportingErrors } from '../../../base/editor/reportErrors.ts';
import { commands } from '../../../base/core/ids.ts';
import { deleteRuns, openConfig, openRuns, renameRun } from './runActions.ts';
import type { Run } from './run.ts';
import type { RunCatalog } from './runCatalog.ts';
import type { TreeNode } from './runTree.ts';

/** The commands of the view. They apply to the row whose menu was opened, otherwise to the selected rows. */
export function registerRunCommands(
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
  /** Registers a command that applies to the first run only. */
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
