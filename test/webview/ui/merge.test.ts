/** How calls became timelines: where they forked and why, and what other settings would have given. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { violations } from '../harness/accessibility.ts';
import { forkedEpisode } from '../harness/merging.ts';
import { picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();

const merging = (page: Page) => page.getByRole('region', { name: 'Merging' });
const rows = (page: Page) =>
  merging(page)
    .locator('tbody tr')
    .evaluateAll((all) =>
      all.map((row) =>
        [...row.querySelectorAll('td')].slice(1, 4).map((cell) => cell.firstChild?.textContent),
      ),
    );

test('what the calls became is told, with what each setting would give', async () => {
  const { page } = await open(forkedEpisode(), { place: 'episode=0&merging=' });
  await merging(page).getByText('5 calls became 4 timelines.').waitFor();
  expect(await rows(page)).toEqual([
    ['text', 'false', '4'],
    ['text', 'true', '3'],
    ['token', 'false', '5'],
    ['token', 'true', '5'],
  ]);
  await merging(page).getByText('fix_retokenization_drift changes nothing here').waitFor();
});

test('a setting that is chosen shows its timelines, by mouse and by keyboard', async () => {
  const { page } = await open(forkedEpisode(), { place: 'episode=0&merging=' });
  const choices = merging(page).getByRole('radio');
  await choices.nth(1).click();
  await merging(page).getByText('With the selected setting, 5 calls would become 3 timelines.').waitFor();
  expect(await merging(page).locator('.merge-branch').count()).toBe(3);
  await page.keyboard.press('ArrowDown');
  await merging(page).getByText('5 calls would become 5 timelines.').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await merging(page).getByText('5 calls became 4 timelines.').waitFor();
});

test('the timelines of another setting are read token by token and as messages, told apart from the run’s', async () => {
  const { page } = await open(forkedEpisode(), { place: 'episode=0&merging=' });
  await merging(page).getByRole('radio').nth(3).click();
  await merging(page).getByRole('button', { name: 'Timeline 4' }).click();
  const timeline = page.getByRole('region', { name: 'Timeline 4' });
  await timeline
    .getByText('This run did not make this timeline. It is the result of timeline_compare_level token')
    .waitFor();
  await timeline.locator('.token').first().waitFor();
  await page
    .getByRole('navigation', { name: 'Breadcrumbs' })
    .getByText('Timeline 4 with another setting')
    .waitFor();
  await page.reload();
  await timeline.locator('.token').first().waitFor();
  await timeline.getByRole('button', { name: 'Messages' }).click();
  await timeline.locator('.message').first().waitFor();
  expect(await violations(page)).toEqual([]);
  // The run's own has but four.
  await page.getByRole('button', { name: 'Back' }).click();
  await merging(page).getByText('With the selected setting, 5 calls would become 5 timelines.').waitFor();
  await merging(page).getByRole('button', { name: 'Timeline 0' }).click();
  await page.getByRole('button', { name: 'Go to the timelines of the run' }).click();
  await page
    .getByRole('navigation', { name: 'Breadcrumbs' })
    .getByText('Timeline 0', { exact: true })
    .waitFor();
});

test('the YAML of a setting is copied', async () => {
  const context = { permissions: ['clipboard-read', 'clipboard-write'] };
  const { page } = await open(forkedEpisode(), { place: 'episode=0&merging=', context });
  await merging(page).getByRole('radio').nth(2).click();
  await merging(page).getByText('5 calls would become 5 timelines.').waitFor();
  await merging(page).getByRole('button', { name: 'Copy YAML of the selected setting' }).click();
  await merging(page).getByText('Copied').waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `ajet:
  context_tracker:
    timeline_merging_policy:
      timeline_compare_level: token
      ignore_tools: false
    fix_retokenization_drift: true
`,
  );
});

test('a fork names the first message and token that differ, on both sides', async () => {
  const { page } = await open(forkedEpisode(), { place: 'episode=0&merging=' });
  const fork = merging(page).locator('.merge-branch').nth(1).locator('.fork');
  await fork.getByText('Message 2 (assistant) differs from that of call 1.').click();
  await fork.getByText('First difference: message 2, content, token 3.').waitFor();
  const sides = await fork
    .locator('dd')
    .evaluateAll((all) =>
      all.map((side) =>
        [...side.querySelectorAll('.differs .token-chip-text')].map((token) => token.textContent),
      ),
    );
  expect(sides.map(([first]) => first)).toEqual(['it', '96']);
  await merging(page).getByText('Other tools are offered than in call 2.').click();
  await merging(page).getByText('ignore_tools: true merges them anyway.').waitFor();
  await fork.getByRole('button', { name: 'Call 2' }).click();
  await page.getByRole('region', { name: 'Call 2' }).waitFor();
});

test('drift shows both tokenisations of the same text', async () => {
  const { page } = await open(forkedEpisode(), { place: 'episode=0&merging=' });
  const drifts = page.getByRole('region', { name: 'Retokenization drift' });
  await drifts.getByText('The reply of call 0, message 2 of call 1').click();
  await drifts.getByText('The text is the same, the tokens differ.').waitFor();
  const tokens = await drifts
    .locator('.token-chips')
    .evaluateAll((all) =>
      all.map((list) => [...list.querySelectorAll('.token-chip-text')].map((token) => token.textContent)),
    );
  expect(tokens).toEqual([['·i', 's'], ['·is']]);
});

test('a timeline says why it is one of its own', async () => {
  const { page, trace } = await open(forkedEpisode(), { place: 'episode=0&timeline=1' });
  await page.locator('.token').first().waitFor();
  expect(trace.count('merging')).toBe(0);
  await page.getByRole('button', { name: 'Why it is a separate timeline' }).click();
  await page.getByText('Message 2 (assistant) differs from that of call 1.').waitFor();
});

test.each([
  ['light', { colorScheme: 'light' }, 1280],
  ['dark', { colorScheme: 'dark' }, 520],
  ['contrast', { colorScheme: 'dark', contrast: 'more' }, 1280],
] as const)('looks as it should in %s', async (name, theme, width) => {
  const context = { ...theme, viewport: { width, height: 1000 } };
  const { page } = await open(forkedEpisode(), { place: 'episode=0&merging=', context });
  await merging(page).locator('.fork summary').first().click();
  await page.getByRole('region', { name: 'Retokenization drift' }).locator('summary').first().click();
  expect(await violations(page)).toEqual([]);
  await merging(page).scrollIntoViewIfNeeded();
  await picture(page, `merging-${name}`);
});
