import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileUri } from '../debugging.ts';
import {
  closeAll,
  completions,
  eventually,
  hoverTexts,
  labelOf,
  problems,
  remove,
  show,
  write,
} from '../documents.ts';

/** What starts programs asks for trust first, in a dialog that tests with a real page see: test/e2e/ui/trust.test.ts. */
describe('a workspace that is not trusted', () => {
  before(() => {
    assert.equal(vscode.workspace.isTrusted, false);
  });

  afterEach(closeAll);

  it('gets help with its configs', async () => {
    const document = await show(await write('scratch.yaml', 'ajet:\n  rollout:\n    num_repaet: 4\n'));
    const found = await problems(document.uri, 'the slip is found', (now) => now.length > 0);
    assert.match(found[0]?.message ?? '', /num_repaet/);
    const items = await completions(document, document.getText().indexOf('num_repaet') + 4);
    assert.ok(items.some((item) => labelOf(item) === 'num_repeat'));
    await remove('scratch.yaml');
  });

  it('has its settings that name programs and servers ignored', async () => {
    const settingsOfAStranger = {
      'agentjet.runtimeExecutable': fileUri('node.sh').fsPath,
      'agentjet.model': 'script',
      'agentjet.script': 'reply.mjs',
      'agentjet.endpoint': { baseUrl: 'http://127.0.0.1:9/v1', model: 'any' },
    };
    await write('.vscode/settings.json', JSON.stringify(settingsOfAStranger));
    await settingsAreRead();
    const settings = vscode.workspace.getConfiguration('agentjet');
    assert.equal(settings.get('model'), 'script');
    assert.equal(settings.get('runtimeExecutable'), '');
    assert.equal(settings.get('script'), '');
    assert.equal(settings.get('endpoint'), null);
  });

  it('does not get to see the environment', async () => {
    const name = 'AGENTJET_E2E_TEMP';
    const secret = process.env[name];
    assert.ok(secret);
    const text = `ajet:\n  project_name: \${oc.env:${name}}\n  rollout:\n    num_repaet: \${oc.env:${name}}\n`;
    const document = await show(await write('env.yaml', text));
    const found = await problems(document.uri, 'the slip is found', (now) => now.length > 0);
    const hovers = await hoverTexts(document, 'oc.env');
    assert.equal(hovers.length, 1);
    const shown = JSON.stringify([found, hovers]);
    assert.ok(!shown.includes(secret), shown);
    await remove('env.yaml');
  });
});

async function settingsAreRead(): Promise<void> {
  const model = (): unknown => vscode.workspace.getConfiguration('agentjet').get('model');
  await eventually(
    'the settings of the workspace are read',
    () => model() === 'script',
    vscode.workspace.onDidChangeConfiguration,
    () => String(model()),
  );
}
