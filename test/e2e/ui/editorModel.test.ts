/** A language model that another extension provides to the editor answers the LLM calls of a run. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { titleButton, useEditor } from '../harness/index.ts';

const editor = useEditor({
  suite: 'editor-model',
  workspace: 'media/examples/math_agent',
  otherExtension: 'test/fixtures/language_model',
  settings: { 'chat.disableAIFeatures': false },
});

test('a language model of the editor is chosen and answers', async () => {
  await editor().openFile('math_agent.yaml');
  await editor().see(titleButton);
  await editor().commandThatAsks('AgentJet: Choose Model');
  await editor().see('.quick-input-list', 'Counting model');
  await editor().screenshot('models-of-the-editor');
  await editor().pick('Counting model');
  await editor().see('.part.statusbar .statusbar-item', 'counting-model');
  const settings = async (): Promise<unknown> =>
    JSON.parse(await readFile(editor().file('.vscode/settings.json'), 'utf8'));
  await expect
    .poll(settings)
    .toEqual({ 'agentjet.model': 'editor', 'agentjet.editorModel': 'counting-model' });
  await editor().command('AgentJet: Run Episodes Without Debugging');
  const allow = editor().page.locator('.monaco-dialog-box .monaco-button', { hasText: /^Allow$/ });
  await editor().showConsole();
  await editor().see('.repl', 'model counting-model of the editor');
  await allow
    .or(editor().page.locator('.repl', { hasText: 'episodes would train' }))
    .first()
    .waitFor();
  await editor().screenshot('run-of-the-editor-model');
  if (await allow.isVisible()) await allow.click();
  await editor().see('.repl', 'episodes would train');
  expect(await editor().page.locator('.repl').innerText()).not.toContain(
    'language model of the editor failed',
  );
});
