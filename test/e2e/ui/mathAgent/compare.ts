/** An effective config against what the config was, at the last run, at the last commit, and against another. */
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { test } from 'vitest';
import { editor } from './editor.ts';

const config = 'math_agent.yaml';
const compare = 'AgentJet: Compare Effective Config With';
const line = '.monaco-diff-editor .view-line';

async function git(...args: string[]): Promise<void> {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  await promisify(execFile)('git', [...identity, ...args], { cwd: editor().session.workspace });
}

async function saveChange(from: string, to: string): Promise<void> {
  const text = await readFile(editor().file(config), 'utf8');
  await writeFile(editor().file(config), text.replace(from, to));
}

test('the last commit, where there is one', async () => {
  await editor().openFile(config);
  await editor().see('.codelens-decoration a', 'Show Effective Config');
  await editor().commandWith(compare, 'HEAD');
  await editor().see('.notifications-toasts', 'Cannot compare math_agent.yaml');
  await editor().screenshot('no-commit');
  await editor().command('Notifications: Clear All Notifications');
  await git('init', '-q');
  await git('add', config);
  await git('commit', '-q', '-m', 'first');
  await saveChange('num_repeat: 4', 'num_repeat: 6');
  await editor().see('.view-line', 'num_repeat: 6');
  await editor().commandWith(compare, 'HEAD');
  await editor().see(line, 'num_repeat: 4');
  await editor().see(line, 'num_repeat: 6');
  await editor().screenshot('head');
});

test('the last run, where there is one', async () => {
  await editor().openFile(config);
  await editor().see('.codelens-decoration a', 'Show Effective Config');
  await editor().commandWith(compare, 'Last Run');
  await editor().see('.notifications-toasts', 'The open folders have no run of math_agent.yaml');
  await editor().command('AgentJet: Run Episodes Without Debugging');
  const runs = editor().file('saved_experiments');
  await editor().until('there is a run', async () => (await readdir(runs).catch(() => [])).length > 0);
  await editor().seeNo('.debug-toolbar');
  await saveChange('num_repeat: 4', 'num_repeat: 6');
  await editor().openFile(config);
  await editor().see('.view-line', 'num_repeat: 6');
  await editor().commandWith(compare, 'Last Run');
  await editor().see(line, 'num_repeat: 4');
  await editor().see(line, 'num_repeat: 6');
  await editor().screenshot('last-run');
});

test('a file from elsewhere', async () => {
  const text = await readFile(editor().file(config), 'utf8');
  const elsewhere = path.join(editor().session.temp, 'elsewhere.yaml');
  await writeFile(elsewhere, text.replace('num_repeat: 4', 'num_repeat: 6'));
  await editor().openFile(config);
  await editor().see('.codelens-decoration a', 'Show Effective Config');
  await editor().commandThatAsks(compare);
  await editor().pickThatAsks('Another File');
  await editor().chooseFile(elsewhere, 'Compare');
  await editor().see(line, 'num_repeat: 6');
  await editor().see(line, 'num_repeat: 4');
  await editor().screenshot('elsewhere');
});
