/** What a config and the files around it say together, as a person meets it. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useEditor } from '../harness/index.ts';

const editor = useEditor({
  suite: 'configs',
  workspace: 'test/fixtures/workspace',
  settings: {
    'files.autoSave': 'off',
    'editor.stickyScroll.enabled': false,
    'editor.minimap.enabled': false,
  },
  each: 'files',
});

const config = 'agent.yaml';
const suggestion = '.suggest-widget.visible .monaco-list-row.focused';

/** The line of a file, from 1, that contains `text`. */
async function lineOf(text: string, file = config): Promise<number> {
  const lines = (await readFile(editor().file(file), 'utf8')).split('\n');
  return lines.findIndex((line) => line.includes(text)) + 1;
}

async function change(from: string, to: string): Promise<void> {
  const text = await readFile(editor().file(config), 'utf8');
  expect(text).toContain(from);
  await writeFile(editor().file(config), text.replace(from, to));
}

/** Opens the config and waits until it is known to be one. */
async function openConfig(): Promise<void> {
  await editor().openFile(config);
  await editor().see('.codelens-decoration a', 'Show Effective Config');
}

test('classes, keys and paths are offered while one types', async () => {
  await change('    user_workflow: agents/math.py->MathWorkflow\n', '');
  await openConfig();
  await editor().goToLine(await lineOf('num_repeat'));
  await editor().press('End', 'Enter');
  await editor().type('user_w');
  await editor().see(suggestion, 'user_workflow');
  await editor().press('Enter');
  await editor().see(suggestion, 'MathWorkflow');
  await editor().screenshot('workflow-offered');
  await editor().press('Enter');
  await editor().see('.view-line', /user_workflow:\sagents.math(\.py)?->MathWorkflow/);
  await editor().goToLine(await lineOf('path: ${shared'));
  await editor().press('End', 'Shift+Home');
  await editor().type('path: ${sha');
  await editor().see(suggestion, 'shared');
  await editor().screenshot('reference-offered');
});

test('a workflow that is missing is made by the light bulb', async () => {
  await change('agents/math.py->MathWorkflow', 'agents/fresh.py->FreshWorkflow');
  await openConfig();
  const line = await lineOf('user_workflow');
  await editor().goToLine(line);
  await editor().see('.squiggly-error, .squiggly-warning');
  await editor().openFixes(line, '    user_workflow: agents/f'.length);
  const row = await editor().see('.action-widget .monaco-list-row', /create/i);
  await editor().screenshot('stub-offered');
  await row.click();
  const made = editor().file('agents/fresh.py');
  await editor().until('the file is there', () => Promise.resolve(existsSync(made)));
  await editor().until('it has the class', async () =>
    (await readFile(made, 'utf8')).includes('class FreshWorkflow'),
  );
  await editor().openFile('agents/fresh.py');
  await editor().see('.codelens-decoration a', 'used by 1 config');
  await editor().screenshot('stub');
});

test('a key of one’s own is renamed with what names it', async () => {
  await openConfig();
  await editor().goToLine(await lineOf('root: data'));
  await editor().press('Home', 'F2');
  const input = await editor().see('.rename-box input');
  await input.fill('folder');
  await editor().press('Enter');
  await editor().see('.view-line', 'folder: data');
  await editor().see('.view-line', '${shared.folder}');
  await editor().goToLine(await lineOf('num_repeat'));
  await editor().press('Home', 'F2');
  await editor().see('.monaco-editor-overlaymessage', 'reads');
  await editor().screenshot('rename-refused');
});

test('the effective config stands beside and follows what is typed', async () => {
  await openConfig();
  await (await editor().see('.codelens-decoration a', 'Show Effective Config')).click();
  await editor().see('.tab', 'agent (effective).yaml');
  const beside = '.editor-group-container:not(.active) .view-line';
  await editor().see(beside, 'project_name: math');
  await editor().goToLine(await lineOf('project_name'));
  await editor().press('End');
  await editor().type('ematics');
  await editor().see(beside, 'project_name: mathematics');
  await editor().press('ControlOrMeta+b');
  await editor().seeNo('.part.sidebar');
  await editor().screenshot('effective');
  // While one types a key, the YAML is broken most of the time.
  await editor().press('Home', 'Enter', 'ArrowUp');
  await editor().type('experiment');
  await editor().see(beside, 'The YAML has an error');
  await editor().see(beside, 'project_name: mathematics');
});

test('what follows from the config stands in its lines', async () => {
  await openConfig();
  await editor().see('.view-line', 'data/train.jsonl');
  await editor().screenshot('inlay-hints');
});

test('two configs are compared by value', async () => {
  const text = await readFile(editor().file(config), 'utf8');
  const same = `# The same in other words\n${text.replace('num_repeat: 4', 'num_repeat: 0x4')}`;
  await writeFile(editor().file('same.yaml'), same);
  await writeFile(editor().file('other.yaml'), text.replace('num_repeat: 4', 'num_repeat: 6'));
  await openConfig();
  await editor().commandWith('AgentJet: Compare Effective Config With', 'same.yaml');
  await editor().see('.notifications-toasts', 'have the same effective values');
  await editor().commandWith('AgentJet: Compare Effective Config With', 'other.yaml');
  await editor().see('.monaco-diff-editor .view-line', 'num_repeat: 6');
  await editor().see('.monaco-diff-editor .view-line', 'num_repeat: 4');
  await editor().screenshot('compare');
});

test('a finding is excused on its line', async () => {
  await change('num_repeat: 4', 'num_repaet: 4');
  await openConfig();
  const line = await lineOf('num_repaet');
  await editor().goToLine(line);
  const marked = editor().page.locator('.squiggly-error, .squiggly-warning');
  await editor().openFixes(line, 5);
  const before = await marked.count();
  await (await editor().see('.action-widget .monaco-list-row', 'Ignore `unknown-key`')).click();
  await editor().see('.view-line', '# agentjet-ignore unknown-key');
  await editor().until('the key is no longer marked', async () => (await marked.count()) === before - 1);
  await editor().screenshot('excused');
});

test('a finding is explained', async () => {
  await change('num_repeat: 4', 'num_repaet: 4');
  await openConfig();
  await editor().goToLine(await lineOf('num_repaet'));
  await editor().see('.squiggly-error, .squiggly-warning');
  await editor().press('Home', 'F8');
  const link = await editor().see('.zone-widget .marker-widget a', 'unknown-key');
  await link.click({ modifiers: ['ControlOrMeta'] });
  await editor().see('.tab.active', 'rules.md');
  await editor().screenshot('explained');
});

test('a rule is explained to whoever asks', async () => {
  await openConfig();
  await editor().commandWith('AgentJet: Explain Config Rule', 'Wrong type');
  await editor().see('.tab.active', 'Preview rules.md');
  // Not its frame: the preview may put another in its place.
  const preview = editor().page.locator('iframe.webview').contentFrame();
  const page = preview.locator('#active-frame').contentFrame();
  await page.getByRole('heading', { name: 'wrong-type', exact: true }).waitFor();
  await editor().screenshot('rule');
});
