/** Pages and messages that open without an action of the user leave the keyboard where the user types. */
import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { startGpuHost, type GpuHost } from '../../harness/gpuHost.ts';
import { addHost, askToTrain, startTraining, stepOf } from '../../harness/hostSteps.ts';
import { titleButton } from '../../harness/index.ts';
import { trainConfig } from '../../../tools/host/trainConfig.ts';
import { editor } from './editor.ts';

let host: GpuHost | undefined;

afterEach(async () => {
  await host?.close();
  host = undefined;
});

const editedTab = '.editor-group-container.active .tab.active.dirty';

/** Types without a click before, and expects the text in `file`. */
async function typesInto(file: string): Promise<void> {
  await editor().type('# typed ');
  await editor().see(editedTab, file);
  await editor().see('.editor-group-container.active .view-line', /#\styped/);
}

test('a trace that opens after a run', async () => {
  await editor().openFile('math_agent.yaml');
  await editor().see(titleButton);
  await editor().startDebugging();
  const viewer = await editor().webview(60_000);
  await viewer.locator('[role="status"]', { hasText: 'completed' }).waitFor();
  await typesInto('math_agent.yaml');
});

test('the page of a training run that has started', async () => {
  host = await startGpuHost();
  await writeFile(editor().file('train.yaml'), trainConfig);
  const actions = [stepOf(1), { do: 'hang' }];
  await writeFile(editor().file('script.json'), JSON.stringify({ job: 'checkpoints/maths/first', actions }));
  await addHost(editor(), host);
  await editor().openFile('train.yaml');
  await editor().see('.codelens-decoration a', 'Train on GPU Host');
  await askToTrain(editor());
  await startTraining(editor());
  const page = await editor().webview();
  await page
    .getByText(/1 of 10/)
    .first()
    .waitFor();
  await typesInto('train.yaml');
  expect(await readFile(editor().file('train.yaml'), 'utf8')).toBe(trainConfig);
});

test('a notification', async () => {
  await editor().openFile('math_agent.yaml');
  await editor().see('.codelens-decoration a', 'Debug');
  await editor().command('AgentJet: Delete API Key');
  await editor().see('.notification-toast', 'No API key is saved');
  await typesInto('math_agent.yaml');
});
