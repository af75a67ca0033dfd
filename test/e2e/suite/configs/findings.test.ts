import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileUri } from '../debugging.ts';
import { closeAll, problems, remove, replace, show, textOf, write } from '../documents.ts';
import { fixes, ruleOf } from './places.ts';

const scratch = 'scratch.yaml';

describe('findings in configs', () => {
  afterEach(closeAll);
  after(() => remove(scratch));

  it('are no errors in configs that are right', async () => {
    for (const name of ['agent.yaml', 'trinity.yaml', 'defaults/team.yaml']) {
      const document = await show(fileUri(name));
      const text = document.getText();
      // A slip that is found proves that the text was looked at.
      await replace(document, text, `${text}\nagentjet_unheard_of_section: [\n`);
      await problems(document.uri, 'the broken line is found', (now) => now.length > 0);
      await replace(document, document.getText(), text);
      const isGrave = ({ severity }: vscode.Diagnostic): boolean =>
        severity === vscode.DiagnosticSeverity.Error;
      const found = await problems(document.uri, `${name} is clean`, (now) => !now.some(isGrave));
      assert.deepEqual(found.filter(isGrave).map(textOf), []);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
  });

  it('name their rule, with a link to what it is about', async () => {
    const document = await show(await write(scratch, 'ajet:\n  rollout:\n    num_repaet: 4\n'));
    const [slip] = await found(document, 'unknown-key');
    assert.ok(slip !== undefined && typeof slip.code === 'object');
    const { target } = slip.code;
    const manual = await vscode.workspace.openTextDocument(target.with({ fragment: '' }));
    const line = Number(/^L(\d+)$/.exec(target.fragment)?.[1]);
    assert.match(manual.lineAt(line - 1).text, /^#+ unknown-key$/);
  });

  it('follow what other files say', async () => {
    await write('agents/later.py', 'class Other:\n    pass\n');
    const text = 'ajet:\n  rollout:\n    user_workflow: agents/later.py->LaterWorkflow\n';
    const document = await show(await write(scratch, text));
    await problems(document.uri, 'the class is missed', (now) => now.some(isAbout('LaterWorkflow')));
    await write('agents/later.py', 'class LaterWorkflow(Workflow):\n    pass\n');
    await problems(document.uri, 'the class is found', (now) => !now.some(isAbout('LaterWorkflow')));
    await remove('agents/later.py');
    await problems(document.uri, 'the file is missed', (now) => now.some(isAbout('later.py')));
  });

  it('are mended by a file that does not exist yet', async () => {
    const text = 'ajet:\n  rollout:\n    user_workflow: agents/made.py->MadeWorkflow\n';
    const document = await show(await write(scratch, text));
    const now = await problems(document.uri, 'the file is missed', (list) => list.some(isAbout('made.py')));
    const missed = now.find(isAbout('made.py'));
    assert.ok(missed);
    const offered = await fixes(document, missed.range);
    const create = offered.find(({ title }) => /create/i.test(title));
    assert.ok(create?.edit !== undefined, offered.map(({ title }) => title).join(' | '));
  });

  it('are silenced by a comment that is offered', async () => {
    const document = await show(await write(scratch, 'ajet:\n  rollout:\n    num_repaet: 4\n'));
    const [slip] = await found(document, 'unknown-key');
    assert.ok(slip);
    const offered = await fixes(document, slip.range);
    const ignore = offered.find(({ title }) => title === 'Ignore `unknown-key` on this line');
    assert.ok(ignore?.edit && (await vscode.workspace.applyEdit(ignore.edit)));
    assert.match(document.getText(), /num_repaet: 4 {2}# agentjet-ignore unknown-key/);
    await problems(
      document.uri,
      'nothing is marked',
      (now) => !now.some((one) => ruleOf(one) === 'unknown-key'),
    );
  });

  it('are as severe as the settings say', async () => {
    const document = await show(await write(scratch, 'ajet:\n  rollout:\n    num_repaet: 4\n'));
    await found(document, 'unknown-key');
    const settings = vscode.workspace.getConfiguration('agentjet', document.uri);
    const set = (name: string, value: unknown): Thenable<void> =>
      settings.update(name, value, vscode.ConfigurationTarget.Workspace);
    try {
      await set('check.rules', { 'unknown-key': 'error' });
      const isError = (one: vscode.Diagnostic): boolean => one.severity === vscode.DiagnosticSeverity.Error;
      await problems(document.uri, 'the slip is an error', (now) => now.some(isError));
      await set('check.rules', { 'unknown-key': 'off', nonsense: 'error' });
      await problems(
        document.uri,
        'the rule is off',
        (now) => !now.some((one) => ruleOf(one) === 'unknown-key'),
      );
      await set('check.rules', undefined);
      await found(document, 'unknown-key');
      await set('check.enabled', false);
      await problems(document.uri, 'nothing is checked', (now) => now.length === 0);
    } finally {
      await set('check.rules', undefined);
      await set('check.enabled', undefined);
    }
  });

  it('are found in a text that is in no file', async () => {
    const content = 'ajet:\n  rollout:\n    num_repaet: 4\n';
    const document = await vscode.workspace.openTextDocument({ language: 'yaml', content });
    await found(document, 'unknown-key');
  });
});

function isAbout(text: string): (problem: vscode.Diagnostic) => boolean {
  return ({ message }) => message.includes(text);
}

/** Waits for findings of a rule. */
async function found(document: vscode.TextDocument, rule: string): Promise<readonly vscode.Diagnostic[]> {
  const isIt = (problem: vscode.Diagnostic): boolean => ruleOf(problem) === rule;
  return (await problems(document.uri, `${rule} is found`, (now) => now.some(isIt))).filter(isIt);
}
