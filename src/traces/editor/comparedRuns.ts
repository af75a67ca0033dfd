import path from 'node:path';
import * as vscode from 'vscode';
import type { TraceClient } from '../core/methods.ts';
import type { Run, RunFile } from './runs/run.ts';
import { runDescription, runLabel, stateIcon } from './runs/runText.ts';
import { WorkspaceRuns } from './runs/workspaceRuns.ts';

const key = 'agentjet.comparedRuns';

const mostRemembered = 50;
const mostOffered = 200;

interface RunItem extends vscode.QuickPickItem {
  /** Absent: the item that opens a file dialog. */
  readonly trace?: string;
}

/** The traces that the user has chosen for comparison. A viewer may read them, also after a reload. */
export class ComparedRuns {
  readonly #client: TraceClient;
  readonly #state: vscode.Memento;

  constructor(client: TraceClient, state: vscode.Memento) {
    this.#client = client;
    this.#state = state;
  }

  has(trace: string): boolean {
    return this.#chosen().includes(trace);
  }

  async ask(own: string): Promise<string | null> {
    const items = await this.#items(own);
    const item = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Compare with Another Run'),
      placeHolder: vscode.l10n.t('Select a run with the same tasks'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (item === undefined) return null;
    const trace = item.trace ?? (await browse());
    if (trace === undefined) return null;
    await this.remember(trace);
    return trace;
  }

  async remember(trace: string): Promise<void> {
    const others = this.#chosen().filter((one) => one !== trace);
    await this.#state.update(key, [trace, ...others].slice(0, mostRemembered));
  }

  #chosen(): readonly string[] {
    return this.#state.get<readonly string[]>(key, []);
  }

  async #items(own: string): Promise<readonly RunItem[]> {
    const files = (await newestRuns()).filter(({ trace }) => trace !== own);
    const summaries = await this.#client.ask('summaries', { traces: files.map(({ trace }) => trace) });
    const runs = summaries.flatMap((summary, index): Run[] => {
      const file = files[index];
      return file === undefined ? [] : [{ file, summary }];
    });
    return [
      ...runs.map(itemOf),
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      { label: vscode.l10n.t('Browse…'), iconPath: new vscode.ThemeIcon('folder-opened'), alwaysShow: true },
    ];
  }
}

async function newestRuns(): Promise<readonly RunFile[]> {
  const files = await new WorkspaceRuns().list();
  return files.toSorted((one, other) => other.modified - one.modified).slice(0, mostOffered);
}

/** Returns a trace and the newest ones of the workspace. */
export async function newestTraces(own: string): Promise<readonly string[]> {
  return [...new Set([own, ...(await newestRuns()).map(({ trace }) => trace)])];
}

function itemOf(run: Run): RunItem {
  const { trace } = run.file;
  return {
    trace,
    label: runLabel(run),
    description: runDescription(run),
    detail: path.dirname(vscode.workspace.asRelativePath(trace)),
    iconPath: new vscode.ThemeIcon(stateIcon(run).icon),
  };
}

async function browse(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    filters: { [vscode.l10n.t('Traces')]: ['ajtrace'] },
    openLabel: vscode.l10n.t('Compare'),
    title: vscode.l10n.t('Select a run with the same tasks'),
  });
  return chosen?.[0]?.fsPath;
}
