/** A training in the real editor after it has ended: Resume, and Debug with its weights. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { startRun } from '../e2e/harness/commandLine.ts';
import { titleButton, useEditor } from '../e2e/harness/index.ts';
import { rehearsalServer } from './rehearsalServer.ts';

const server = rehearsalServer();
const editor = useEditor({ suite: 'training-resume', workspace: 'test/fixtures/training' });
const row = '.pane-body .monaco-list-row';
const input = '.quick-input-widget input';

interface State {
  readonly status: string;
  readonly step: number;
}

async function stateOf(): Promise<State> {
  const file = path.join(editor().file('saved_experiments/digits'), 'training.json');
  return JSON.parse(await readFile(file, 'utf8')) as State;
}

/** Trains two steps from the command line. The third would exceed the limit. */
async function trainToLimit(): Promise<void> {
  const config = await readFile(editor().file('train.yaml'), 'utf8');
  const own = config.replace('MODEL', server().model).replace('WORKFLOW', 'workflow.ts->Digits');
  await writeFile(editor().file('train.yaml'), own);
  const flags = ['--backbone', 'tinker', '--tinker-url', server().url, '--rank', '8', '--steps', '3'];
  const run = startRun(editor(), 'train.yaml', ...flags, '--max-tokens', '7000');
  await expect(run.ended).rejects.toThrow('model/limit-reached');
}

test('resumes with a higher limit, and its weights answer under the debugger', async () => {
  await trainToLimit();
  expect(await stateOf()).toMatchObject({ status: 'limit-reached', step: 2 });
  await editor().openFile('workflow.ts');
  await editor().see(titleButton);
  await (await editor().see('.activitybar .action-label[aria-label*="AgentJet"]')).click();
  await editor().select(row, /digits.*Step 2/);
  const page = await editor().webview();
  await page.getByText('The next step would exceed the limit of 7000 tokens').waitFor();
  await editor().screenshot('limit');

  await page.getByRole('button', { name: 'Resume from step 2' }).first().click();
  const limit = await editor().see(input);
  expect(await limit.inputValue()).toBe('14000');
  await editor().see('.quick-input-widget', /New limit of tokens \(used: \d+\)/);
  await editor().screenshot('new-limit');
  await editor().press('Enter');
  await editor().see('.quick-input-list', 'With the debugger');
  await editor().pick('Without debugging');
  await page.getByText('finished').first().waitFor({ timeout: 120_000 });
  await page.getByText('of 14,000').waitFor();
  await page.getByRole('button', { name: 'Debug with the weights of step 3' }).waitFor();
  expect(await stateOf()).toMatchObject({ status: 'completed', step: 3 });
  await editor().seeNo('.debug-toolbar');
  await editor().screenshot('resumed');

  const workflow = await readFile(editor().file('workflow.ts'), 'utf8');
  const line = workflow.split('\n').findIndex((text) => text.includes('const digits =')) + 1;
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await (await editor().see('.tab', 'digits')).click();
  await page.getByRole('button', { name: 'Debug with the weights of step 3' }).click();
  await editor().stoppedAt(line, 120_000);
  await editor().screenshot('debug-checkpoint');
  await editor().showConsole();
  await editor().see('.repl', /model tinker:.*step-3 on SkyRL/);
  await editor().command('Remove All Breakpoints');
  await editor().press('F5');
  await editor().see('.repl', 'mean reward');
  await editor().seeNo('.debug-toolbar');
  await editor().screenshot('debugged');
});
