/** F5 as a person presses it, in the real workbench. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { processesWith, titleButton } from '../../harness/index.ts';
import { editor } from './editor.ts';

async function lineOf(file: string, text: string): Promise<number> {
  const lines = (await readFile(editor().file(file), 'utf8')).split('\n');
  const found = lines.findIndex((line) => line.includes(text));
  expect(found, `${file} has a line with ${text}`).toBeGreaterThanOrEqual(0);
  return found + 1;
}

const inExecute = 'const completion = await client.chat.completions.create({';

test('F5 on the config, without a launch.json, stops in the workflow and runs on to the rewards', async () => {
  const line = await lineOf('workflow.ts', inExecute);
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await editor().openFile('math_agent.yaml');
  await editor().see(titleButton);
  await editor().startDebugging();
  await editor().stoppedAt(line);
  await editor().see('.tab.active', 'workflow.ts');
  await editor().see('.debug-call-stack .monaco-list-row', 'execute');
  await editor().screenshot('stopped-from-config');
  await editor().command('Remove All Breakpoints');
  await editor().press('F5');
  await editor().seeNo('.debug-toolbar');
  await editor().showConsole();
  await editor().see('.repl', 'episodes would train');
  await editor().screenshot('rewards');
});

test('F5 on the workflow stops in it', async () => {
  const line = await lineOf('workflow.ts', inExecute);
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await editor().see(titleButton);
  await editor().startDebugging();
  await editor().stoppedAt(line);
  await editor().screenshot('stopped-from-workflow');
});

test('F5 with the workflow in front and the keyboard elsewhere starts it all the same', async () => {
  const line = await lineOf('workflow.ts', inExecute);
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await editor().see(titleButton);
  await editor().command('View: Show Explorer');
  await editor().see('.explorer-folders-view .monaco-list:focus-within');
  await editor().startDebugging();
  await editor().stoppedAt(line);
});

test('the lens above the workflow class starts the same', async () => {
  const line = await lineOf('workflow.ts', inExecute);
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  const lens = await editor().see('.codelens-decoration a', 'Debug');
  await editor().screenshot('lens');
  await lens.click();
  await editor().stoppedAt(line);
});

test('Stop ends the run and every process of it', async () => {
  const line = await lineOf('workflow.ts', inExecute);
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await editor().openFile('math_agent.yaml');
  await editor().see(titleButton);
  await editor().startDebugging();
  await editor().stoppedAt(line);
  await editor().stopDebugging();
  await editor().until('no backbone process is left', async () => {
    const found = await processesWith(editor().session.temp);
    return !found.some(({ command }) => command.includes('backbone.mjs'));
  });
});

test('F5 on any other YAML is left alone', async () => {
  await writeFile(editor().file('service.yaml'), 'kind: Service\nmetadata:\n  name: web\n');
  await editor().openFile('service.yaml');
  await editor().press('F5');
  await editor().see('.monaco-dialog-box', "don't have an extension for debugging YAML");
  await editor().screenshot('other-yaml');
});

test('a launch.json works whatever file is in front', async () => {
  const line = await lineOf('judge.ts', 'const isSuccess = given === expected');
  const launch = {
    version: '0.2.0',
    configurations: [
      {
        type: 'agentjet',
        request: 'launch',
        name: 'One task',
        config: '${workspaceFolder}/math_agent.yaml',
        taskIds: ['train-002'],
        repeat: 1,
      },
    ],
  };
  await mkdir(editor().file('.vscode'), { recursive: true });
  await writeFile(editor().file('.vscode/launch.json'), JSON.stringify(launch));
  await editor().openFile('judge.ts');
  await editor().setBreakpoint(line);
  await editor().startDebugging();
  await editor().stoppedAt(line);
  await editor().screenshot('launch-json');
});
