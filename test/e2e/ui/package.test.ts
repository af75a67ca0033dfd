/** The .vsix, installed as a user installs it, in a workspace that knows nothing of this project. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { artifacts, root } from '../harness/artifacts.ts';
import { titleButton, useEditor } from '../harness/index.ts';

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string };
const extension = path.join(artifacts, `agentjet-${version}.vsix`);

// Registered before the editor's own hook, so that there is something to install.
beforeAll(() => {
  execFileSync(process.execPath, [path.join(root, 'test/tools/package.mjs')], { stdio: 'pipe' });
}, 300_000);

const editor = useEditor({ suite: 'package', workspace: 'media/examples/math_agent', extension });

test('the installed package stops in the workflow and runs on to the rewards', async () => {
  const lines = readFileSync(editor().file('workflow.ts'), 'utf8').split('\n');
  const line = lines.findIndex((text) => text.includes('const completion = await')) + 1;
  expect(line).toBeGreaterThan(0);
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await editor().openFile('math_agent.yaml');
  await editor().see(titleButton);
  await editor().startDebugging();
  await editor().stoppedAt(line);
  await editor().command('Remove All Breakpoints');
  await editor().press('F5');
  await editor().seeNo('.debug-toolbar');
  await editor().press('ControlOrMeta+Shift+y');
  await editor().see('.repl', 'episodes would train');
});
