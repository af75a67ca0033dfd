import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileUri } from '../debugging.ts';
import { closeAll, hoverTexts, read, remove, replace, show, write } from '../documents.ts';
import { definitions, effectiveDocument, hints, lineWith, shows } from './places.ts';

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
    assert.ok(await team.save());
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

  it('follows the files it starts from when they change on disk', async () => {
    await show(fileUri('agent.yaml'));
    await vscode.commands.executeCommand('agentjet.showEffectiveConfig');
    const document = effectiveDocument();
    const team = await read('defaults/team.yaml');
    try {
      await write('defaults/team.yaml', team.replace('temperature: 0.7', 'temperature: 0.125'));
      await shows(document, /temperature: 0\.125 /);
      await remove('defaults/team.yaml');
      await shows(document, /^# error agent\.yaml:32: /m);
    } finally {
      await write('defaults/team.yaml', team);
    }
    await shows(document, /temperature: 0\.7 /);
  });

  it('keeps what it shows while the YAML is broken, and says so', async () => {
    const config = await show(fileUri('agent.yaml'));
    await vscode.commands.executeCommand('agentjet.showEffectiveConfig');
    const document = effectiveDocument();
    await replace(config, 'num_repeat: 4', 'num_repeat: 16');
    await shows(document, /num_repeat: 16 /);
    await replace(config, 'num_repeat: 16', 'num_repeat: [16');
    await shows(document, /^# The YAML has an error/m);
    assert.match(lineWith(document, 'num_repeat: 16'), /# agent\.yaml:21$/);
    assert.match(lineWith(document, 'n_vllm_engine: 2'), /# agent\.yaml:22$/);
    await replace(config, 'num_repeat: [16', 'num_repeat: 32');
    await shows(document, /num_repeat: 32 /);
    assert.doesNotMatch(document.getText(), /broken/);
  });

  it('shows of a secret in the environment only that it is set', async () => {
    const [secret, plain] = ['AGENTJET_TEST_TOKEN', 'AGENTJET_TEST_PLACE'];
    process.env[secret] = 'sesame';
    process.env[plain] = 'garden';
    try {
      const values = `  project_name: \${oc.env:${secret}}\n  experiment_name: at-\${oc.env:${plain}}\n`;
      const document = await show(await write('secret.yaml', `ajet:\n${values}`));
      await vscode.commands.executeCommand('agentjet.showEffectiveConfig');
      await vscode.commands.executeCommand('agentjet.showVerlConfig');
      const shown = [effectiveDocument('secret (effective)'), effectiveDocument('secret (for verl)')].map(
        (each) => each.getText(),
      );
      const told = [
        ...shown,
        ...(await hoverTexts(document, secret)),
        ...(await hoverTexts(document, 'project_name')),
        ...(await hoverTexts(document, plain)),
        ...(await hints(document)),
        ...vscode.languages.getDiagnostics(document.uri).map(({ message }) => message),
      ];
      for (const text of shown) assert.match(text, /project_name: "\*\*\*"/);
      for (const text of shown) assert.match(text, /experiment_name: at-garden/);
      assert.ok(!told.join('\n').includes('sesame'), told.join('\n'));
      assert.ok(told.slice(2).some((text) => text.includes('at-garden')));
    } finally {
      for (const name of [secret, plain]) Reflect.deleteProperty(process.env, name);
      await remove('secret.yaml');
    }
  });

  it('says why there is none', async () => {
    await vscode.commands.executeCommand('agentjet.showEffectiveConfig', fileUri('services.yaml'));
    assert.match(effectiveDocument('services (effective)').getText(), /^# services\.yaml is not a config/);
  });
});
