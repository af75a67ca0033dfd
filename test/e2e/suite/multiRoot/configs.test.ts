import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { closeAll, hoverTexts, problems, replace, show } from '../documents.ts';
import { inFolder, folder } from './roots.ts';
import { definitionsOf, effectiveDocument, lineWith, ruleOf } from '../configs/places.ts';

const config = 'math_agent.yaml';

/** Both folders hold files of the same names. */
describe('configs in a workspace of two folders', () => {
  before(async () => {
    await vscode.extensions.getExtension('agentjet.agentjet')?.activate();
  });
  afterEach(closeAll);

  it('name the classes of their own folder', async () => {
    for (const name of ['first', 'second']) {
      const document = await show(inFolder(name, config));
      const found = await definitionsOf(document, 'MathAgent|Workflow');
      assert.deepEqual(
        found.map(({ uri }) => uri.toString()),
        [inFolder(name, 'workflow.ts').toString()],
      );
      assert.match((await hoverTexts(document, 'workflow.ts')).join(), /`workflow\.ts:\d+`/);
    }
  });

  it('are checked against their own folder', async () => {
    const [first, second] = [await show(inFolder('first', config)), await show(inFolder('second', config))];
    const workflow = await show(inFolder('second', 'workflow.ts'));
    await replace(workflow, 'class MathAgentWorkflow', 'class OtherWorkflow');
    const isMissing = (one: vscode.Diagnostic): boolean => ruleOf(one) === 'locator-target';
    await problems(second.uri, 'the class is missed', (now) => now.some(isMissing));
    assert.ok(!vscode.languages.getDiagnostics(first.uri).some(isMissing));
    await replace(workflow, 'class OtherWorkflow', 'class MathAgentWorkflow');
    await problems(second.uri, 'the class is there again', (now) => !now.some(isMissing));
    await workflow.save();
  });

  it('are checked as the settings of their own folder say', async () => {
    const slip = ['num_repeat: 4', 'num_repaet: 4'] as const;
    const documents = [await show(inFolder('first', config)), await show(inFolder('second', config))];
    const settings = vscode.workspace.getConfiguration('agentjet', folder('second').uri);
    const set = (rules: unknown): Thenable<void> =>
      settings.update('check.rules', rules, vscode.ConfigurationTarget.WorkspaceFolder);
    const isSlip = (one: vscode.Diagnostic): boolean => ruleOf(one) === 'unknown-key';
    try {
      for (const document of documents) {
        await replace(document, ...slip);
        await problems(document.uri, 'the slip is found', (now) => now.some(isSlip));
      }
      await set({ 'unknown-key': 'off' });
      const [first, second] = documents;
      assert.ok(first && second);
      await problems(second.uri, 'the rule is off in its folder', (now) => !now.some(isSlip));
      assert.ok(vscode.languages.getDiagnostics(first.uri).some(isSlip));
    } finally {
      await set(undefined);
      for (const document of documents) {
        await replace(document, slip[1], slip[0]);
        await document.save();
      }
    }
  });

  it('have effective configs that name files from their own folder', async () => {
    await show(inFolder('second', config));
    await vscode.commands.executeCommand('agentjet.showEffectiveConfig');
    const document = effectiveDocument('math_agent (effective)');
    assert.match(lineWith(document, 'num_repeat: 4'), /# math_agent\.yaml:23$/);
  });
});
