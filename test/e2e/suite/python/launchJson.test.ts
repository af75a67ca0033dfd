/** A launch.json that people have from upstream's documentation. */
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Conversation, fileUri, workspaceFolder } from '../debugging.ts';

const python = JSON.stringify(process.env['AGENTJET_E2E_PYTHON']);
const written = `{
  "version": "0.2.0",
  "configurations": [
    {
      "name": "rollout",
      "type": "debugpy",
      "request": "launch",
      "module": "ajet.launcher", // of the tutorial
      "console": "integratedTerminal",
      "args": ["--backbone", "debug", "--conf", "./py_math.yaml", "--with-logview"],
      "python": ${python}
    }
  ]
}
`;

describe('a launch.json of upstream’s documentation', () => {
  let debug: Conversation;

  before(async () => {
    debug = new Conversation();
    await vscode.workspace.fs.writeFile(uri(), new TextEncoder().encode(written));
  });

  after(async () => {
    await debug.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(fileUri('.vscode'), { recursive: true });
  });

  it('is told, and turned into ours, which runs', async () => {
    const document = await vscode.workspace.openTextDocument(uri());
    await vscode.window.showTextDocument(document);
    const found = (): vscode.Diagnostic[] =>
      vscode.languages.getDiagnostics(uri()).filter(({ source }) => source === 'AgentJet');
    await debug.until('it is told', () => found().length > 0);
    const [told] = found();
    assert.ok(told);
    assert.equal(document.getText(told.range), '"ajet.launcher"');
    assert.match(told.message, /can debug the same config on this machine.*without --with-logview/s);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      uri(),
      told.range,
    );
    const fix = actions.find(({ title }) => title === 'Debug with AgentJet');
    assert.ok(fix?.edit);
    await vscode.workspace.applyEdit(fix.edit);
    await document.save();
    assert.equal(
      document.getText().split('\n').slice(3, -3).join('\n'),
      `    {
      "name": "rollout",
      "type": "agentjet",
      "request": "launch",
      "config": "\${workspaceFolder}/py_math.yaml", // of the tutorial
      "python": ${python}
    }`,
    );
    await debug.until('it is told no more', () => found().length === 0);
    await vscode.debug.startDebugging(workspaceFolder(), 'rollout', { noDebug: true });
    await debug.until('it has run', () => debug.output().includes('repeat 1: reward'));
    await debug.ended();
  });
});

function uri(): vscode.Uri {
  return fileUri('.vscode/launch.json');
}
