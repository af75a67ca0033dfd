import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/core/disposable.ts';
import { formatReport, toReport } from '../../base/core/errors.ts';
import type { RunRef } from '../core/page/trainingRunRpc.ts';
import { trainingConfigScheme } from '../../base/core/ids.ts';
import type { HostClients } from './hostClients.ts';
import { runTitle } from './hostText.ts';
import type { KnownHosts } from './knownHosts.ts';
import type { ChosenRun } from './hostClient.ts';

interface View extends RunRef {
  /** `values` shows sorted values without their origins, for a comparison. */
  readonly shows: 'origins' | 'values';
}

/** Shows the effective configs of training runs as read-only documents. They are restored when the window reloads. */
export class TrainingConfigs implements vscode.TextDocumentContentProvider, Disposable {
  readonly #hosts: KnownHosts;
  readonly #clients: HostClients;
  readonly #store = new DisposableStore();

  constructor(hosts: KnownHosts, clients: HostClients) {
    this.#hosts = hosts;
    this.#clients = clients;
    this.#store.add(vscode.workspace.registerTextDocumentContentProvider(trainingConfigScheme, this));
  }

  dispose(): void {
    this.#store.dispose();
  }

  /** Shows the effective config of a run. Rejects if the host has none. */
  async show(chosen: ChosenRun): Promise<void> {
    await textOf(chosen);
    const document = await vscode.workspace.openTextDocument(uriOf(chosen, 'origins'));
    await vscode.window.showTextDocument(document, { preview: false });
  }

  async compare(chosen: ChosenRun, other: ChosenRun): Promise<void> {
    const [{ diffEffective }, { effectiveConfigValues }] = await Promise.all([
      import('../../configs/core/effective/diff.ts'),
      import('../core/runs/effectiveConfig.ts'),
    ]);
    const values = async (one: ChosenRun) => effectiveConfigValues(await textOf(one), one.run.id);
    const [before, after] = [runTitle(other.run), runTitle(chosen.run)];
    if (diffEffective(await values(other), await values(chosen)).length === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t('{0} and {1} have the same effective values.', before, after),
      );
      return;
    }
    const title = vscode.l10n.t('{0} ↔ {1} (effective)', before, after);
    const [left, right] = [uriOf(other, 'values'), uriOf(chosen, 'values')];
    await vscode.commands.executeCommand('vscode.diff', left, right, title);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    try {
      const { host: name, run, shows } = JSON.parse(uri.query) as View;
      const host = this.#hosts.find(name);
      if (host === undefined) return asComment(vscode.l10n.t('The GPU host {0} no longer exists.', name));
      const { connection } = await this.#clients.connect(host);
      const { text } = await connection.ask('run.config', { run });
      if (shows === 'origins') return text;
      const { comparableText, effectiveConfigValues } = await import('../core/runs/effectiveConfig.ts');
      return comparableText(effectiveConfigValues(text, run));
    } catch (error) {
      return asComment(formatReport(toReport(error, 'hosts/config')));
    }
  }
}

async function textOf({ client, run }: ChosenRun): Promise<string> {
  return (await client.connection.ask('run.config', { run: run.id })).text;
}

function uriOf(chosen: ChosenRun, shows: View['shows']): vscode.Uri {
  const view: View = { host: chosen.host.name, run: chosen.run.id, shows };
  const title = vscode.l10n.t('{0} (effective)', runTitle(chosen.run)).replaceAll('/', '-');
  return vscode.Uri.from({
    scheme: trainingConfigScheme,
    path: `/${title}.yaml`,
    query: JSON.stringify(view),
  });
}

function asComment(text: string): string {
  return `# ${text.replaceAll(/\r?\n/g, '\n# ')}\n`;
}
