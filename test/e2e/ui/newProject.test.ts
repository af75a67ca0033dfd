/** A project of one's own, from the palette to its first run. It opens a window of its own, and so has an editor of its own. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'vitest';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';
import { titleButton, useEditor } from '../harness/index.ts';
import { pathWithProjectNode } from '../harness/nodeOnPath.ts';

const root = path.resolve(import.meta.dirname, '../../..');

const editor = useEditor({
  suite: 'new-project',
  // The `python3` of a user who has installed what the README says.
  env: { PATH: [path.dirname(await ensurePython()), pathWithProjectNode(root)].join(path.delimiter) },
});

test('New Project makes one that runs at the first F5, in Python', async () => {
  const parent = path.join(editor().session.temp, 'mine');
  await mkdir(parent);
  await editor().commandThatAsks('AgentJet: New Project');
  await editor().pickThatAsks('Python');
  const input = await editor().see('.quick-input-widget input');
  await input.fill('my agent');
  await editor().see('.quick-input-widget', 'The name may contain letters, digits, _ and -');
  await editor().screenshot('project-name');
  await input.fill('my_agent');
  await editor().seeNo('.quick-input-widget', 'The name may contain letters, digits, _ and -');
  await editor().press('Enter');
  const project = await editor().windowOpenedBy(() => editor().chooseFolder(parent, 'Create my_agent Here'));
  // The first window shows where to begin, in the code.
  await project.see('.tab', 'README.md');
  await project.see('.editor-group-container.active .tab.active', 'workflow.py');
  await project.screenshot('first-window');
  await project.openFile('my_agent.yaml');
  await project.see(titleButton);
  await project.startDebugging();
  await project.showConsole();
  await project.see('.repl', '24 of 24 episodes would train');
  await project.seeNo('.debug-toolbar');
  await project.screenshot('new-project');
  await project.page.close();
});
