/** The repeats of one task: side by side, the best and the worst, and the way to other groups. */
import { describe, expect, test } from 'vitest';
import { violations } from '../harness/accessibility.ts';
import { realRun, tasksRun } from '../harness/growingTrace.ts';
import { picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();

describe('a group', () => {
  test('has its repeats side by side, and says how they compare', async () => {
    const { page } = await open(tasksRun().run, { place: 'group=1' });
    await page.getByRole('heading', { name: 'task-1' }).waitFor();
    await page.getByRole('grid', { name: '4 repeats' }).waitFor();
    const header = await page.locator('.group-header').innerText();
    for (const part of ['group 1', 'How many legs have 3 spiders?', '0.25', '0.957', '50 %', '4 of 4']) {
      expect(header).toContain(part);
    }
    await page.getByRole('columnheader', { name: 'Advantage' }).getByRole('button').click();
    await page.locator('#repeat-row-3').getByText('−1.306').waitFor();
    await page.locator('#repeat-row-0').getByText('0.783').waitFor();
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' });
    await expect.poll(() => crumbs.innerText()).toMatch(/tasks\s+task-1/);
  });

  test('whose rewards are equal says what that means, and leads to all such groups', async () => {
    const { page } = await open(tasksRun().run, { place: 'group=2' });
    await page.locator('.notice', { hasText: 'gives no training signal' }).waitFor();
    await page.getByRole('button', { name: 'All groups with this finding' }).click();
    await page.getByRole('grid', { name: '1 group' }).waitFor();
  });

  test('shows why an episode failed', async () => {
    const { page } = await open(tasksRun().run, { place: 'group=3' });
    await page.locator('.body-row', { hasText: 'execute() threw' }).waitFor();
  });

  test('that is not there says so', async () => {
    const { page } = await open(tasksRun().run, { place: 'group=6' });
    await page.getByText('The trace has no episode of group 6.').waitFor();
    await page.keyboard.press('[');
    await page.getByRole('heading', { name: 'task-5' }).waitFor();
  });

  test('that runs grows as its episodes end', async () => {
    const real = realRun({ tasks: 2, repeat: 2, episodes: 4 });
    real.episode(0, { reward: 1 });
    const { page, server } = await open(real.run, { place: 'group=0' });
    const grid = page.getByRole('grid');
    await page.getByRole('grid', { name: '1 repeat' }).getByText('open').waitFor();
    real.episode(1, { reward: 1 });
    server.notify();
    await page.getByRole('grid', { name: '2 repeats' }).waitFor();
    await page.locator('.notice', { hasText: 'gives no training signal' }).waitFor();
    expect(await grid.getByText('open').count()).toBe(0);
    real.end();
  });
});

test('best and worst, the next and the last group are one key apart', async () => {
  const { page } = await open(tasksRun().run, { place: 'group=0' });
  await page.getByRole('heading', { name: 'task-0' }).waitFor();
  await page.keyboard.press(']');
  await page.getByRole('heading', { name: 'task-1' }).waitFor();
  await page.keyboard.press('w');
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' });
  await crumbs.getByText('repeat 1').waitFor();
  await page.keyboard.press('u');
  await page.getByRole('heading', { name: 'task-1' }).waitFor();
  await page.keyboard.press('b');
  await crumbs.getByText('repeat 0').waitFor();
  await crumbs.getByRole('button', { name: 'task-1' }).click();
  await page.getByRole('heading', { name: 'task-1' }).waitFor();
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  await page.getByRole('heading', { name: 'task-0' }).waitFor();
  expect(await page.getByRole('button', { name: 'Previous group' }).isDisabled()).toBe(true);
});

describe('two repeats are compared', () => {
  test('that are marked, by their boxes or by the space bar', async () => {
    const { page } = await open(tasksRun().run, { place: 'group=1' });
    await page.getByText('To compare two rows').waitFor();
    await page.getByRole('checkbox', { name: 'Mark repeat 3 to compare it' }).click();
    await page.getByText('1 row is marked.').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByText('2 rows are marked.').waitFor();
    await page.locator('#repeat-row-1[aria-selected="true"]').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Compare repeats 3 and 1' }).waitFor();
    // A third takes the place of the first.
    await page.getByRole('checkbox', { name: 'Mark repeat 0 to compare it' }).click();
    await page.getByRole('button', { name: 'Compare repeats 1 and 0' }).waitFor();
    // The box has the focus.
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'Episode 5 and episode 4' }).waitFor();
  });

  test('by a key, also the current one with the only one that is marked', async () => {
    const { page } = await open(tasksRun().run, { place: 'group=1' });
    await page.getByRole('grid').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('button', { name: 'Compare repeats 0 and 1' }).waitFor();
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'Episode 4 and episode 5' }).waitFor();
  });
});

/** The test of the pictures tries the themes. */
const windows = {
  narrow: { viewport: { width: 520, height: 800 } },
  low: { viewport: { width: 1100, height: 350 } },
} as const;

test.each(Object.entries(windows))(
  '%s: groups, a filter and a group are accessible',
  async (name, context) => {
    const { page } = await open(tasksRun().run, { place: 'list=groups&filter=reward%3E%3D0.5', context });
    await page.getByRole('grid', { name: '5 groups' }).waitFor();
    await page.locator('.body-row').first().waitFor();
    await picture(page, `groups-${name}`);
    expect(await violations(page)).toEqual([]);
    await page.locator('.body-row').nth(1).click();
    await page.getByRole('grid', { name: '4 repeats' }).waitFor();
    await picture(page, `group-${name}`);
    expect(await violations(page)).toEqual([]);
  },
);
