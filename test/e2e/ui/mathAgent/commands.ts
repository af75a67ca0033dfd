/** The commands, and what F5 asks and says, as a person meets them. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { titleButton } from '../../harness/index.ts';
import { editor } from './editor.ts';

const config = 'math_agent.yaml';
const toast = '.notification-toast';

/** Opens a file that can be run, and waits until the editor knows that it can. */
async function openRunnable(name: string): Promise<void> {
  await editor().openFile(name);
  await editor().see('.codelens-decoration a', 'Debug');
  await editor().see(titleButton);
}

test('F5 on a workflow that no config names says what to do', async () => {
  await rm(editor().file(config));
  await openRunnable('workflow.ts');
  await editor().press('F5');
  await editor().see(
    toast,
    /names workflow\.ts->MathAgentWorkflow\. In a config, set ajet\.rollout\.user_workflow/,
  );
  await editor().screenshot('no-config');
  await editor().seeNo('.debug-toolbar');
});

test('a new launch.json names the config in front', async () => {
  await openRunnable(config);
  await editor().command('Debug: Add Configuration...');
  await editor().see('.tab.active', 'launch.json');
  await editor().see('.view-line', '"config": "${workspaceFolder}/math_agent.yaml"');
  await editor().screenshot('new-launch-json');
});

test('launch.json marks an attribute that is wrong', async () => {
  const configuration = {
    type: 'agentjet',
    request: 'launch',
    name: 'x',
    config,
    tasks: 'many',
    split: 'all',
  };
  const launch = { version: '0.2.0', configurations: [configuration] };
  await mkdir(editor().file('.vscode'));
  await writeFile(editor().file('.vscode/launch.json'), JSON.stringify(launch, undefined, 2));
  await editor().openFile('.vscode/launch.json');
  const marks = editor().page.locator('.squiggly-warning, .squiggly-error');
  await editor().until('both are marked', async () => (await marks.count()) === 2);
  await editor().screenshot('wrong-attribute');
});

test('Open Example copies the example into the chosen folder, once', async () => {
  const parent = path.join(editor().session.temp, 'projects');
  await mkdir(parent);
  await openRunnable(config);
  await editor().commandThatAsks('AgentJet: Open Example');
  await editor().screenshot('examples');
  await editor().pickThatAsks('math_agent');
  await editor().pickThatAsks('TypeScript');
  // The window of the example takes the keyboard.
  const opened = await editor().windowOpenedBy(() => editor().chooseFolder(parent, 'Create math_agent Here'));
  // The first window shows the workflow, where a breakpoint is useful, its README and the walkthrough.
  await opened.see('.editor-group-container.active .tab.active', 'workflow.ts');
  await opened.see('.part.statusbar .statusbar-item', 'Ln 27, Col');
  await opened.see('.tab', 'README.md');
  await opened.see('.gettingStartedContainer', 'Get started with AgentJet');
  await opened.seeNo('.explorer-folders-view .monaco-list-row', '.agentjet');
  await opened.screenshot('first-window');
  await opened.page.close();
  const copied = path.join(parent, 'math_agent');
  const types = path.join(copied, '.agentjet/types/agentjet.d.ts');
  await editor().until('the example is there', () => Promise.resolve(existsSync(types)));
  expect(await readFile(path.join(copied, config), 'utf8')).toBe(
    await readFile(editor().file(config), 'utf8'),
  );
  await editor().commandThatAsks('AgentJet: Open Example');
  await editor().pickThatAsks('math_agent');
  await editor().pickThatAsks('TypeScript');
  await editor().chooseFolder(parent, 'Create math_agent Here');
  await editor().see(toast, `The folder ${copied} already exists`);
  await editor().screenshot('already-there');
});

test('an API key is kept until it is deleted, and never shown', async () => {
  await openRunnable(config);
  await editor().commandThatAsks('AgentJet: Set API Key');
  await (await editor().see('.quick-input-widget input')).fill('no address');
  await editor().see('.quick-input-widget', 'Enter a URL');
  await (await editor().see('.quick-input-widget input')).fill('http://127.0.0.1:9/v1/');
  await editor().press('Enter');
  const input = await editor().see('.quick-input-widget input[type="password"]');
  await input.fill('key-of-a-test');
  await editor().screenshot('api-key');
  await editor().press('Enter');
  await editor().see(toast, 'The API key for http://127.0.0.1:9/v1/ is saved');
  await editor().commandWith('AgentJet: Delete API Key', 'http://127.0.0.1:9/v1');
  await editor().see(toast, 'The API key for http://127.0.0.1:9/v1 is deleted');
  await editor().command('AgentJet: Delete API Key');
  await editor().see(toast, 'No API key is saved');
});

test('Show Log shows the log', async () => {
  await openRunnable(config);
  await editor().command('AgentJet: Show Log');
  await editor().see('.part.panel .composite.title .action-item.checked', /output/i);
  await editor().screenshot('log');
});

/** The steps, the first last: it is open at the start, and a click on it would close it. */
const steps = [
  'Set a breakpoint',
  'Press F5',
  'Read the trace',
  'Choose the model',
  'Get help in configs',
  'Train on a GPU host',
  'Open the example',
];

const stepTitle = '.gettingStartedContainer .step-title';

async function openWalkthrough(): Promise<void> {
  await editor().commandWith('Welcome: Open Walkthrough...', 'Get started with AgentJet');
}

/** Waits until a step has its tick. */
async function seeTicked(...titles: readonly string[]): Promise<void> {
  for (const title of titles)
    await editor().see('.gettingStartedContainer .getting-started-step:has(.codicon.complete)', title);
}

test('the walkthrough shows a picture for each step', async () => {
  await openWalkthrough();
  for (const title of steps) {
    await (await editor().see(stepTitle, title)).click();
    const picture = await editor().see(`.gettingStartedContainer img[alt="${title}"]`);
    await editor().until('the picture is loaded', () =>
      picture.evaluate((image) => (image as HTMLImageElement).naturalWidth > 0),
    );
    await editor().screenshot(`walkthrough-${title}`);
  }
  await (await editor().see('.gettingStartedContainer .monaco-button', 'Open Example')).click();
  await editor().see('.quick-input-widget', 'AgentJet: Open Example');
  await editor().screenshot('walkthrough-link');
});

test('the walkthrough ticks what the user has done', async () => {
  await openWalkthrough();
  await (await editor().see(stepTitle, 'Set a breakpoint')).click();
  await (await editor().see('.gettingStartedContainer .monaco-button', 'Show the Workflow')).click();
  await editor().see('.tab.active', 'workflow.ts');
  await editor().see('.part.statusbar .statusbar-item', 'Ln 27, Col');
  await editor().see(titleButton);
  await editor().press('F9');
  await editor().see('.codicon-debug-breakpoint');
  await editor().startDebugging();
  await editor().stoppedAt(27);
  await editor().stopDebugging();
  await editor().command('AgentJet: Open Last Trace');
  // It takes the keyboard when it has loaded.
  await (await editor().webview()).getByRole('grid').waitFor();
  await editor().openFile(config);
  await editor().see(titleButton);
  await editor().command('AgentJet: Show Effective Config');
  await editor().see('.tab', 'math_agent (effective).yaml');
  await openWalkthrough();
  await seeTicked(
    'Open the example',
    'Set a breakpoint',
    'Press F5',
    'Read the trace',
    'Get help in configs',
  );
  await editor().screenshot('walkthrough-ticked');
});
