/** Ways to start a run, and what is asked first, as a person meets them. */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { titleButton } from '../../harness/index.ts';
import { editor } from './editor.ts';

const config = 'math_agent.yaml';
const rows = '.quick-input-widget .monaco-list-row';

/** Opens a file that can be run, and waits until the editor knows that it can. */
async function openRunnable(name: string): Promise<void> {
  await editor().openFile(name);
  await editor().see('.codelens-decoration a', 'Debug');
  await editor().see(titleButton);
}

/** Takes a row of what the editor asks, leaving what it has put into the input. */
async function choose(label: string): Promise<void> {
  await (await editor().see(rows, label)).click();
}

async function rowTexts(): Promise<string[]> {
  // Rows keep the hidden details of earlier lists.
  const labels = editor().page.locator(`${rows} .label-name`).filter({ visible: true });
  return labels.allInnerTexts();
}

async function seeRewards(): Promise<void> {
  await editor().showConsole();
  await editor().see('.repl', 'episodes would train');
  await editor().seeNo('.debug-toolbar');
}

test('F5 on a workflow that two configs name asks which, the last used first', async () => {
  await copyFile(editor().file(config), editor().file('other.yaml'));
  await openRunnable('workflow.ts');
  await editor().press('F5');
  await editor().see(rows, config);
  expect(await rowTexts()).toEqual([config, 'other.yaml']);
  await editor().screenshot('two-configs');
  await editor().pick('other.yaml');
  await seeRewards();
  await openRunnable('workflow.ts');
  await editor().press('F5');
  await editor().see(rows, config);
  expect(await rowTexts()).toEqual(['other.yaml', config]);
});

test('the buttons of the editor run a workflow whose config lies in a folder below', async () => {
  await mkdir(editor().file('configs'));
  await rename(editor().file(config), editor().file(`configs/${config}`));
  await openRunnable('workflow.ts');
  await (await editor().see(titleButton)).click();
  await seeRewards();
  expect(existsSync(editor().file('saved_experiments'))).toBe(true);
});

test('the palette runs the config in front without debugging', async () => {
  await openRunnable(config);
  await editor().command('AgentJet: Run Episodes Without Debugging');
  await seeRewards();
  await editor().screenshot('run-without-debugging');
});

test('the list of what can be debugged has the configs', async () => {
  await editor().openFile('README.md');
  await editor().commandThatAsks('Debug: Select and Start Debugging');
  await choose('AgentJet...');
  await editor().see(rows, `AgentJet: ${config}`);
  expect(await rowTexts()).toEqual([`AgentJet: ${config}`]);
  await editor().screenshot('dynamic-configs');
  await choose(`AgentJet: ${config}`);
  await seeRewards();
});
