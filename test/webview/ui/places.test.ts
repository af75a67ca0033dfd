/** The way from place to place: back, forward, up, and the keys for it. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from '../harness/accessibility.ts';
import { smallRun } from '../harness/samples.ts';
import { picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const seeTimeline = (page: Page) => page.getByRole('region', { name: 'Timeline 0' }).waitFor();
const seeOverview = (page: Page) => page.getByRole('region', { name: 'Overview' }).waitFor();

test.each([
  ['in a browser', {}],
  ['in an editor', { editorState: undefined }],
])('back and forward lead over the same places %s', async (_, options) => {
  const { page } = await open(smallRun(), options);
  await page.locator('#episode-row-1').waitFor();
  expect(await button(page, 'Back').isDisabled()).toBe(true);
  expect(await button(page, 'Forward').isDisabled()).toBe(true);
  await page.locator('#episode-row-1').click();
  await page.getByRole('option', { name: /Timeline 0/ }).click();
  await seeTimeline(page);
  await button(page, 'Back').click();
  await seeOverview(page);
  await page.keyboard.press('Alt+ArrowLeft');
  await page.getByRole('grid').waitFor();
  await page.keyboard.press('Alt+ArrowRight');
  await seeOverview(page);
  await button(page, 'Forward').click();
  await seeTimeline(page);
  expect(await button(page, 'Forward').isDisabled()).toBe(true);
  await page.keyboard.press('u');
  await seeOverview(page);
  await page.keyboard.press('Alt+ArrowUp');
  await page.getByRole('grid', { name: '2 repeats' }).waitFor();
  await page.keyboard.press('u');
  await page.getByRole('grid', { name: '16 episodes' }).waitFor();
});

test('forward is still there after a reload', async () => {
  const { page } = await open(smallRun());
  await page.locator('#episode-row-1').click();
  await seeOverview(page);
  await button(page, 'Back').click();
  await page.getByRole('grid').waitFor();
  await page.reload();
  await page.getByRole('grid').waitFor();
  await button(page, 'Forward').click();
  await seeOverview(page);
});

test('an editor’s page that comes back goes forward, too', async () => {
  const trail = ['', 'episode=1', 'episode=1&timeline=0'];
  const { page } = await open(smallRun(), { editorState: { trail, at: 1 } });
  await seeOverview(page);
  await page.keyboard.press('Alt+ArrowRight');
  await seeTimeline(page);
});

test('keys go on where one is after a screen has gone with what had the focus', async () => {
  const { page } = await open(smallRun());
  await page.locator('#episode-row-1').click();
  await seeOverview(page);
  await page.keyboard.press('Alt+ArrowLeft');
  await page.locator('#episode-row-1.current').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.locator('#episode-row-2.current').waitFor();
});

test('the shortcuts are listed, and the list is left with Escape', async () => {
  const { page } = await open(smallRun());
  await page.getByRole('grid').waitFor();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await list.getByText('One level up').waitFor();
  expect(await violations(page)).toEqual([]);
  await picture(page, 'shortcuts');
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await button(page, 'Keyboard shortcuts').click();
  await list.getByRole('button', { name: 'Close' }).click();
  await list.waitFor({ state: 'detached' });
});
