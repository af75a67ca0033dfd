/** A rehearsal from the command palette of the real editor: the command in its terminal, and the page that follows it. */
import { mkdtempSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { titleButton, useEditor } from '../e2e/harness/index.ts';
import { rehearsal } from './rehearsalServer.ts';

/** The cache folder of the command, with the environment that tests share. */
const cache = mkdtempSync(path.join(tmpdir(), 'agentjet-palette-'));
const editor = useEditor({
  ...{ suite: 'training-rehearsal', workspace: 'test/fixtures/training' },
  env: { XDG_CACHE_HOME: cache },
});

beforeAll(async () => {
  await mkdir(path.join(cache, 'agentjet'));
  await symlink(path.dirname((await rehearsal()).model), path.join(cache, 'agentjet/rehearsal'));
});
afterAll(() => rm(cache, { recursive: true }));

test('a rehearsal trains the config of the workspace, and its page follows', async () => {
  const config = await readFile(editor().file('train.yaml'), 'utf8');
  const own = config.replace('MODEL', 'Qwen/Qwen2.5-7B-Instruct').replace('WORKFLOW', 'workflow.ts->Digits');
  await writeFile(editor().file('train.yaml'), own);
  await editor().openFile('train.yaml');
  await editor().see(titleButton);
  await editor().commandThatAsks('AgentJet: Train…');
  await editor().see('.quick-input-list', 'This machine (rehearsal)');
  await editor().screenshot('where');
  await editor().pick('This machine (rehearsal)');
  await editor().see('.terminal.xterm');
  const folder = editor().file('saved_experiments/digits');
  const stateOf = async (): Promise<{ readonly step: number; readonly status: string }> =>
    JSON.parse(await readFile(path.join(folder, 'training.json'), 'utf8')) as never;
  await editor().until(
    'a step is complete',
    async () => (await stateOf().catch(() => undefined))?.step === 1,
    180_000,
  );
  await editor().screenshot('terminal');
  await editor().commandThatAsks('AgentJet: Open Training Run of This Machine');
  await editor().pick('digits');
  const page = await editor().webview();
  await page.getByText('on this machine').waitFor();
  await editor().screenshot('page');
  await page.getByText('finished').first().waitFor({ timeout: 180_000 });
  expect(await stateOf()).toMatchObject({ step: 10, status: 'completed' });
  await page.getByText('Mean reward').first().waitFor();
  await editor().screenshot('finished');
});
