import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { DisposableStore } from '../../../src/base/core/disposable.ts';
import type { RunEvent } from '../../../src/training/core/protocol/runs.ts';
import { registerLogLinks, RunLogs } from '../../../src/training/editor/runLogs.ts';
import { eventually } from './documents.ts';

describe('The log of a training run', () => {
  const opened = new DisposableStore();
  const run = '20261123-070000-abcdef';

  after(() => opened.dispose());

  it('has links in the channel of each actor, also of those on several nodes', async () => {
    const log = opened.add(vscode.window.createOutputChannel('Logs under test', { log: true }));
    const logs = opened.add(new RunLogs(log));
    // Channels show nothing in editors that lack their native modules; what is asked for is the same.
    opened.add(
      registerLogLinks(logs, (_document, shown) => {
        const target = vscode.Uri.file(`/${shown.run}`);
        return Promise.resolve([new vscode.DocumentLink(new vscode.Range(0, 0, 0, 1), target)]);
      }),
    );
    const sources = ['launcher', 'explorer', '10.0.0.1/explorer'];
    const events = sources.map((source, at): RunEvent => ({
      type: 'log',
      seq: at + 1,
      at: 0,
      source,
      lines: ['agent.py:3'],
      to: 1,
    }));
    async function* follow(): AsyncGenerator<readonly RunEvent[]> {
      yield await Promise.resolve(events);
    }
    const shown = { id: run, name: 'maths', backbone: 'trinity', launcher: 'trinity' } as const;
    logs.show('box', { connection: { follow } }, shown);
    const named = ['maths (abcdef)', 'maths · explorer (abcdef)', 'maths · 10.0.0.1/explorer (abcdef)'];
    for (const name of named) {
      await vscode.commands.executeCommand(await commandOf(name));
      const document = (): vscode.TextDocument | undefined =>
        vscode.workspace.textDocuments.find(({ uri }) => uri.path.endsWith(`-${name}`));
      await eventually(
        `${name} is shown as a log`,
        () => document()?.languageId === 'log',
        vscode.workspace.onDidOpenTextDocument,
        () =>
          vscode.workspace.textDocuments.map(({ uri, languageId }) => `${languageId} ${uri.path}`).join('\n'),
      );
      const found = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
        'vscode.executeLinkProvider',
        document()?.uri,
      );
      assert.deepEqual(
        found.map(({ target }) => target?.path),
        [`/${run}`],
        name,
      );
    }
  });
});

/** The editor's command that shows a channel; it comes with the channel. */
async function commandOf(channel: string): Promise<string> {
  for (;;) {
    const all = await vscode.commands.getCommands();
    const found = all.find((command) => command.endsWith(`-${channel}`));
    if (found !== undefined) return found;
  }
}
