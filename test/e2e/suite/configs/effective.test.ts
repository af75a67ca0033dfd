import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileUri } from '../debugging.ts';
import { closeAll, eventually, hoverTexts, replace, show } from '../documents.ts';
import { definitions } from './places.ts';

describe('the effective config', () => {
  afterEach(closeAll);

  it('stands beside the config, with where each value comes from', async () => {
    await show(fileUri('agent.yaml'));
    await vscode.commands.executeCommand('agentjet.showEffectiveConfig');
    const document = effectiveDocument();
    assert.equal(document.languageId, 'yaml');
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), fileUri('agent.yaml').toString());
    assert.match(
      lineWith(document, 'file_path: data'),
      /^ {8}file_path: data\/train\.jsonl +# agent\.yaml:12$/,
    );
    assert.match(lineWith(document, 'temperature: 0.7'), /^ {4}temperature: 0\.7 +# defaults\/team\.yaml:4$/);
    // What the config itself is about comes before what its defaults bring along.
    assert.match(document.getText(), /^(?:#.*\n)+\nshared:\n {2}root: data/);
    assert.deepEqual(await definitions(document, 'temper|ature: 0.7'), [
      'defaults/team.yaml:4 temperature: 0.7',
    ]);
    assert.match((await hoverTexts(document, 'temperature: 0.7')).join(), /ajet\.rollout\.temperature/);
    assert.deepEqual(vscode.languages.getDiagnostics(document.uri), []);
  });

  it('follows what is typed, there and in the files it starts from', async () => {
    const config = await show(fileUri('agent.yaml'));
    await vscode.commands.executeCommand('agentjet.showEffectiveConfig');
    const document = effectiveDocument();
    await replace(config, 'num_repeat: 4', 'num_repeat: 16');
    await shows(document, /num_repeat: 16 /);
    const team = await vscode.workspace.openTextDocument(fileUri('defaults/team.yaml'));
    await replace(team, 'temperature: 0.7', 'temperature: 0.25');
    await shows(document, /temperature: 0\.25 /);
    await replace(team, 'temperature: 0.25', 'temperature: 0.7');
  });

  it('is what the launcher makes of it for each backbone', async () => {
    await show(fileUri('agent.yaml'));
    await vscode.commands.executeCommand('agentjet.showTrinityConfig');
    assert.match(
      effectiveDocument('for Trinity').getText(),
      /^ {2}repeat_times: 4 +# ajet\.rollout\.num_repeat/m,
    );
    await vscode.commands.executeCommand('agentjet.showVerlConfig');
    assert.match(lineWith(effectiveDocument('for verl'), 'train_batch_size: 8'), /# .*agent\.yaml:16$/);
  });

  it('says why there is none', async () => {
    await vscode.commands.executeCommand('agentjet.showEffectiveConfig', fileUri('services.yaml'));
    assert.match(effectiveDocument('services (effective)').getText(), /^# services\.yaml is no config/);
  });
});

function effectiveDocument(label = 'agent (effective)'): vscode.TextDocument {
  const document = vscode.workspace.textDocuments.find(
    ({ uri }) => uri.scheme === 'agentjet-effective' && uri.path.includes(label),
  );
  assert.ok(document, 'the document is open');
  return document;
}

function lineWith(document: vscode.TextDocument, text: string): string {
  const lines = document.getText().split('\n');
  return lines.find((line) => line.includes(text)) ?? `no line with ${text}`;
}

async function shows(document: vscode.TextDocument, text: RegExp): Promise<void> {
  await eventually(
    `it shows ${String(text)}`,
    () => text.test(document.getText()),
    vscode.workspace.onDidChangeTextDocument,
    () => document.getText().slice(0, 2000),
  );
}
