/** Help with the config as a person meets it. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { editor } from './editor.ts';

const config = 'math_agent.yaml';
const squiggles = '.squiggly-error, .squiggly-warning';

/** The line of the config, from 1, that contains `text`. */
async function lineOf(text: string): Promise<number> {
  const lines = (await readFile(editor().file(config), 'utf8')).split('\n');
  return lines.findIndex((line) => line.includes(text)) + 1;
}

test('a misspelt key gets a squiggle and the nearest name as a fix', async () => {
  const text = await readFile(editor().file(config), 'utf8');
  await writeFile(editor().file(config), text.replace('num_repeat:', 'num_repaet:'));
  await editor().openFile(config);
  await editor().goToLine(await lineOf('num_repaet'));
  await editor().see(squiggles);
  expect(await editor().page.locator(squiggles).count()).toBe(1);
  await editor().openFixes(await lineOf('num_repaet'), 5);
  await editor().see('.action-widget .monaco-list-row.focused', 'num_repeat');
  await editor().screenshot('quick-fix');
  await editor().press('Enter');
  await editor().see('.view-line', 'num_repeat: 4');
  await editor().seeNo(squiggles);
  await editor().screenshot('mended');
});

test('keys and values are offered with what they mean', async () => {
  await editor().openFile(config);
  await editor().see('.codelens-decoration a', 'Debug');
  await editor().goToLine(await lineOf('num_repeat'));
  await editor().press('End', 'Enter');
  await editor().type('force_disable');
  const row = '.suggest-widget.visible .monaco-list-row.focused';
  await editor().see(row, 'force_disable_toolcalls');
  await editor().press('ControlOrMeta+Space');
  await editor().see('.suggest-details-container', 'boolean');
  await editor().screenshot('completion');
  await editor().press('Enter');
  await editor().see(row, /true|false/);
  await editor().screenshot('values');
  await editor().type('tru');
  await editor().see(row, 'true');
  await editor().press('Enter');
  await editor().see('.view-line', 'force_disable_toolcalls: true');
  await editor().seeNo(squiggles);
});

test('a key explains itself under the mouse', async () => {
  await editor().openFile(config);
  await editor().see('.codelens-decoration a', 'Debug');
  await editor().hover('.view-line span span', /^num_repeat$/, 'Episodes run per task');
  await editor().screenshot('hover');
});
