/** What a folder that nobody has trusted can and cannot do, as a person meets it. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { processesWith, titleButton, useEditor } from '../harness/index.ts';

const editor = useEditor({
  suite: 'trust',
  workspace: 'media/examples/math_agent',
  workspaceTrust: true,
  env: { AGENTJET_TEST_PLACE: 'garden' },
});

const dialog = '.monaco-dialog-box';

/** A setting of the workspace that names a program, which leaves a file behind when it is run. */
async function setTrap(): Promise<void> {
  const program = editor().file('trap.sh');
  await writeFile(program, `#!/bin/sh\ntouch '${editor().file('trapped')}'\nexec node "$@"\n`);
  await chmod(program, 0o755);
  await mkdir(editor().file('.vscode'), { recursive: true });
  const settings = { 'agentjet.runtimeExecutable': program };
  await writeFile(editor().file('.vscode/settings.json'), JSON.stringify(settings));
}

async function nothingRan(): Promise<void> {
  expect(existsSync(editor().file('trapped'))).toBe(false);
  expect(existsSync(editor().file('saved_experiments'))).toBe(false);
  const found = await processesWith(editor().session.temp);
  expect(found.filter(({ command }) => command.includes('backbone.mjs'))).toEqual([]);
}

/** Says no to the question whether the folder is trusted. */
async function refuse(): Promise<void> {
  await editor().see(dialog, /trust/i);
  await (await editor().see(`${dialog} .monaco-button`, 'Cancel')).click();
  await editor().seeNo(dialog);
}

test('nothing starts before the folder is trusted; then F5 runs with its settings, and its config sees the environment', async () => {
  await setTrap();
  await editor().see('.part.statusbar .statusbar-item', 'Restricted Mode');
  await editor().openFile('math_agent.yaml');
  const lens = await editor().see('.codelens-decoration a', 'Debug');
  await editor().press('F5');
  await editor().see(dialog, /trust/i);
  await editor().screenshot('f5-asks');
  await refuse();
  await nothingRan();
  await lens.click();
  await refuse();
  await nothingRan();
  await editor().openFile('workflow.ts');
  await editor().see(titleButton);
  await editor().press('F5');
  await refuse();
  await nothingRan();
  await editor().command('AgentJet: Debug Episodes');
  await refuse();
  await nothingRan();
  const palette = '.quick-input-widget input';
  await editor().press('F1');
  await editor().page.locator(palette).fill('>AgentJet: ');
  // Behind all that there may be of these in the order of the alphabet.
  await editor().see('.quick-input-widget .monaco-list-row', 'AgentJet: Open Example');
  await editor().screenshot('palette');
  const rows = editor().page.locator('.quick-input-widget .monaco-list-row');
  expect((await rows.allInnerTexts()).filter((row) => /Types|Tokenizer|Train on/.test(row))).toEqual([]);
  await editor().press('Escape');
  await editor().seeNo('.quick-input-widget');

  const text = await readFile(editor().file('math_agent.yaml'), 'utf8');
  const changed = text.replace(
    'project_name: example_math_agent',
    'project_name: ${oc.env:AGENTJET_TEST_PLACE}',
  );
  await writeFile(editor().file('math_agent.yaml'), changed);
  await editor().openFile('math_agent.yaml');
  await editor().see('.view-line', 'project_name: ${oc.env:AGENTJET_TEST_PLACE}');
  await (await editor().see('.codelens-decoration a', 'Show Effective Config')).click();
  const beside = '.editor-group-container:not(.active) .view-line';
  await editor().see(beside, 'project_name: ${oc.env:AGENTJET_TEST_PLACE}');

  const lines = (await readFile(editor().file('workflow.ts'), 'utf8')).split('\n');
  const line = lines.findIndex((one) => one.includes('const completion = await')) + 1;
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await editor().openFile('math_agent.yaml');
  await editor().see(titleButton);
  await editor().press('F5');
  await editor().see(dialog, /trust/i);
  await (await editor().see(`${dialog} .monaco-button`, /Trust/)).click();
  await editor().stoppedAt(line);
  expect(existsSync(editor().file('trapped'))).toBe(true);
  await editor().see('.view-line', 'project_name: garden');
  await editor().screenshot('trusted');
});
