/** The .vsix, installed as a user installs it, in a workspace that knows nothing of this project. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
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

test('the installed package adds its command to terminals', async () => {
  // Terminals that are older than the start of the extension do not have its command.
  await editor().openFile('math_agent.yaml');
  await editor().see(titleButton);
  await editor().command('Terminal: Create New Terminal');
  await editor().see('.terminal-wrapper.active .xterm-helper-textarea, .terminal-wrapper.active .xterm');
  await editor().type('agentjet --version > version.txt; echo done > done.txt');
  await editor().press('Enter');
  await editor().until('the command has ended', () => Promise.resolve(existsSync(editor().file('done.txt'))));
  expect(readFileSync(editor().file('version.txt'), 'utf8').trim()).toBe(version);
  await editor().command('Terminal: Kill the Active Terminal Instance');
});

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
  await editor().showConsole();
  await editor().see('.repl', 'episodes would train');
});

test('the npm package installs without a network, and makes and runs a project', async () => {
  const prefix = path.join(editor().session.temp, 'npm');
  const npm = ['install', '--global', '--offline', '--prefix', prefix];
  execFileSync('npm', [...npm, path.join(artifacts, `agentjet-${version}.tgz`)], { stdio: 'pipe' });
  const agentjet = (cwd: string, ...args: readonly string[]): string =>
    execFileSync(path.join(prefix, 'bin/agentjet'), args, { cwd, encoding: 'utf8' });
  expect(agentjet(prefix, '--version').trim()).toBe(version);
  agentjet(prefix, 'new', 'mine', '--typescript');
  const project = path.join(prefix, 'mine');
  expect(readFileSync(path.join(project, '.gitignore'), 'utf8')).toContain('saved_experiments/');
  const { episodes } = JSON.parse(agentjet(project, '--conf', 'mine.yaml', '--json')) as {
    episodes: unknown[];
  };
  expect(episodes.length).toBeGreaterThan(0);
  const installed = path.join(prefix, 'lib/node_modules/agentjet');
  const sdk = (await import(path.join(installed, 'dist/sdk.mjs'))) as Record<string, unknown>;
  expect(sdk).toHaveProperty('Workflow');
});
