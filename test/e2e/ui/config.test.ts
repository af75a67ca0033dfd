/** Help with the config as a person meets it. */
import { expect, test } from 'vitest';
import { useEditor } from '../harness/index.ts';

const editor = useEditor({ suite: 'config', workspace: 'media/examples/math_agent' });

test('a misspelt key gets a squiggle and the nearest name as a fix', async () => {
  await editor().openFile('math_agent.yaml');
  const { page } = editor();
  await editor().see('.codelens-decoration', 'Debug');
  expect(await page.locator('.squiggly-warning, .squiggly-error').count()).toBe(0);
  await editor().command('Edit: Replace');
  await page.keyboard.type('num_repeat');
  await editor().press('Tab');
  await page.keyboard.type('num_repaet');
  await editor().press('ControlOrMeta+Alt+Enter');
  await editor().press('Escape');
  await editor().see('.squiggly-warning, .squiggly-error');
  await editor().command('Go to Next Problem in Files');
  await editor().see('.marker-widget, .zone-widget', 'num_repaet');
  await editor().screenshot('misspelt');
  await editor().press('Escape');
  await editor().press('ControlOrMeta+.');
  await editor().see('.action-widget .monaco-list-row', 'num_repeat');
  await editor().screenshot('quick-fix');
  await editor().press('Enter');
  await editor().seeNo('.squiggly-warning, .squiggly-error');
});

test('completion offers the keys of the section with their documentation', async () => {
  await editor().openFile('math_agent.yaml');
  await editor().command('Go to Line/Column...');
});
