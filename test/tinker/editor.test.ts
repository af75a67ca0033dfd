/** Training under F5 in a real editor: the session on the server outlives an hour at a breakpoint, here a shorter one. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { titleButton, useEditor } from '../e2e/harness/index.ts';
import { rehearsalServer } from './rehearsalServer.ts';

/** Seconds. The server looks for sessions without heartbeats twice in this time. */
const sessionTimeout = 40;
const longStop = 2 * sessionTimeout;
/** Enough to set a breakpoint while it trains: a step can take half a second. */
const steps = 15;

const server = rehearsalServer({ sessionTimeout });
const editor = useEditor({ suite: 'training', workspace: 'test/fixtures/training' });

test('F5 trains, also after a stop that is longer than the session of the server', async () => {
  const config = await readFile(editor().file('train.yaml'), 'utf8');
  await writeFile(
    editor().file('train.yaml'),
    config.replace('MODEL', server().model).replace('WORKFLOW', 'workflow.ts->Digits'),
  );
  const workflow = await readFile(editor().file('workflow.ts'), 'utf8');
  const line = workflow.split('\n').findIndex((text) => text.includes('const text =')) + 1;
  const launch = {
    version: '0.2.0',
    configurations: [
      {
        ...{ type: 'agentjet', request: 'launch', name: 'Train', config: '${workspaceFolder}/train.yaml' },
        ...{ backbone: 'tinker', tinkerUrl: server().url, rank: 8, steps, parallel: 8 },
      },
    ],
  };
  await mkdir(editor().file('.vscode'), { recursive: true });
  await writeFile(editor().file('.vscode/launch.json'), JSON.stringify(launch));
  await editor().openFile('workflow.ts');
  await editor().see(titleButton);
  await editor().command('View: Show Run and Debug');
  // Else F5 can start before the editor has read the new launch.json.
  await editor().see('.start-debug-action-item', 'Train');
  await editor().startDebugging();
  await editor().showConsole();
  await editor().see('.repl', `step 1 of ${steps}`);
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await editor().stoppedAt(line);
  const stopped = Date.now();
  await expect
    .poll(() => (Date.now() - stopped) / 1_000, { timeout: 2_000 * longStop, interval: 1_000 })
    .toBeGreaterThan(longStop);
  await editor().screenshot('stopped-in-a-step');
  await editor().command('Remove All Breakpoints');
  await editor().press('F5');
  await editor().showConsole();
  await editor().see('.repl', `trained ${steps} steps`, 120_000);
  await editor().screenshot('trained');
  const folder = editor().file('saved_experiments/digits');
  const state = JSON.parse(await readFile(path.join(folder, 'training.json'), 'utf8')) as { status: string };
  expect(state.status).toBe('completed');
});
