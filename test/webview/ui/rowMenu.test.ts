/** What can be done to an episode in a table beside opening it, by mouse and by keys. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { CodedError } from '../../../src/base/core/errors.ts';
import { violations } from '../harness/accessibility.ts';
import { runningRun, smallRun } from '../harness/samples.ts';
import { picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();

const menu = (page: Page) => page.getByRole('menu');
const command = (episode: number): string => `agentjet --replay x.ajtrace --episode ${episode}`;

describe.each([
  ['the run’s table', '', 'episode-row-3', 3],
  ['a group’s table', 'group=2', 'repeat-row-1', 5],
])('in %s', (_, place, row, episode) => {
  test('a click with the other button has an episode debugged', async () => {
    const { page, trace } = await open(smallRun(), { place });
    await page.locator(`#${row}`).click({ button: 'right' });
    await menu(page).waitFor();
    expect(await menu(page).getAttribute('aria-label')).toBe(`Episode ${episode}`);
    expect(await violations(page)).toEqual([]);
    await picture(page, `row-menu-${episode}`);
    await menu(page).getByRole('menuitem', { name: 'Debug this episode' }).click();
    await page.getByText(command(episode)).waitFor();
    expect(trace.requests.find(({ method }) => method === 'debug')).toMatchObject({ episode });
    await menu(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Close', exact: true }).click();
    await page.getByText(command(episode)).waitFor({ state: 'detached' });
  });

  test('so do keys, of the current row', async () => {
    const { page } = await open(smallRun(), { place });
    await page.locator(`#${row}`).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Home');
    const position = Number(/\d+$/.exec(row)?.[0]);
    for (let times = 0; times < position; times++) await page.keyboard.press('ArrowDown');
    await page.locator(`#${row}.current`).waitFor();
    await page.keyboard.press('d');
    await page.getByText(command(episode)).waitFor();
    await page.keyboard.press('Shift+F10');
    await menu(page).waitFor();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('Debug');
    await page.keyboard.press('Escape');
    await menu(page).waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid');
    await page.keyboard.press('Shift+F10');
    await menu(page).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Overview' }).waitFor();
  });
});

test('a menu at the edge of the page stays on it, and goes when something else is pressed', async () => {
  const { page } = await open(smallRun());
  const { x, y, width, height } = (await page.locator('#episode-row-9').boundingBox()) ?? fail();
  await page.mouse.click(x + width - 2, y + height / 2, { button: 'right' });
  await menu(page).waitFor();
  const box = (await menu(page).boundingBox()) ?? fail();
  expect(box.x + box.width).toBeLessThanOrEqual(1_280);
  await page.getByRole('heading', { name: 'math_agent' }).click();
  await menu(page).waitFor({ state: 'detached' });
});

test('what cannot be run again is not offered to be', async () => {
  const { page, trace } = await open(runningRun());
  const items = async (row: number): Promise<string[]> => {
    await page.locator(`#episode-row-${row}`).click({ button: 'right' });
    await menu(page).waitFor();
    const names = await menu(page).getByRole('menuitem').allInnerTexts();
    await page.keyboard.press('Escape');
    await menu(page).waitFor({ state: 'detached' });
    return names.map((name) => name.split('\n')[0] ?? '');
  };
  expect(await items(0)).toEqual(['Open', 'Debug this episode']);
  expect(await items(2)).toEqual(['Open']);
  const imported = {
    ...{ format: 'OTLP/JSON', source: '/x.jsonl', lacks: [], records: 1, skipped: 0, skips: [] },
  };
  trace.run = { ...smallRun(), run: { ...smallRun().run, imported } };
  await page.reload();
  expect(await items(0)).toEqual(['Open']);
  await page.keyboard.press('d');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Overview' }).waitFor();
  expect(await page.getByRole('button', { name: 'Debug this episode' }).count()).toBe(0);
  expect(trace.count('debug')).toBe(0);
});

test('says what a recording lacks', async () => {
  const error = new CodedError({
    code: 'trace/not-replayable',
    message: 'Call 1 of episode 0 has no answer in the trace.',
    hint: 'Run the episode anew.',
  });
  const { page } = await open(smallRun(), { prepare: (trace) => trace.fail('debug', error) });
  await page.locator('.body-row').first().waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('d');
  await page.getByText('Call 1 of episode 0 has no answer in the trace. Run the episode anew.').waitFor();
});

function fail(): never {
  throw new Error('It is not on the page.');
}
