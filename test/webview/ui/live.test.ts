/** A run that goes on while it is looked at. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { timelineRow, viewsOf } from '../harness/records.ts';
import { longRun, runningRun, smallRun } from '../harness/samples.ts';
import { useViewer, type OpenViewer } from '../harness/viewer.ts';

const open = useViewer();

/** Where one is: the focused element, its current descendant, and how far it is scrolled. */
function whereabouts(page: Page) {
  return page.evaluate(() => ({
    focus: document.activeElement?.getAttribute('aria-label'),
    current: document.activeElement?.getAttribute('aria-activedescendant'),
    scroll: document.activeElement?.scrollTop,
  }));
}

/** Waits until a method was asked for again. */
async function askedAgain({ page, server, trace }: OpenViewer, method: 'run' | 'tokens' | 'episodes') {
  const before = trace.count(method);
  server.notify();
  await expect.poll(() => trace.count(method)).toBeGreaterThan(before);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
}

describe('a change', () => {
  test('of the run shows without moving the table', async () => {
    const viewer = await open(longRun(2_000));
    const { page, trace } = viewer;
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('PageUp');
    await page.locator('#episode-row-1979').getByText('task-494').waitFor();
    const before = await whereabouts(page);
    trace.run = longRun(3_000);
    await askedAgain(viewer, 'episodes');
    await page.getByText('3,000 of 3,000').waitFor();
    await expect.poll(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('3001');
    expect(await whereabouts(page)).toEqual({ ...before, focus: '3,000 episodes' });
  });

  test('keeps the selected episodes', async () => {
    const viewer = await open(smallRun());
    await viewer.page.getByRole('button', { name: /longer than/ }).click();
    await askedAgain(viewer, 'run');
    expect(await viewer.page.locator('[role=row][aria-selected=true]').count()).toBe(2);
  });

  test('of a timeline keeps its token and its scroll', async () => {
    const viewer = await open(runningRun(), { place: 'episode=2&timeline=0' });
    const { page, trace } = viewer;
    await page.getByText('later calls may change it').waitFor();
    const list = page.getByRole('listbox', { name: 'Tokens' });
    await list.locator('.token').first().waitFor();
    await list.focus();
    await page.keyboard.press('End');
    await page.locator('.token[aria-selected=true]').waitFor();
    const before = await whereabouts(page);
    const whole = smallRun();
    const record = whole.record(2);
    const messages = record?.timelines[0] ?? [];
    const row = timelineRow(0, [0, 1], messages);
    trace.run = { ...whole, timeline: () => ({ row, messages: viewsOf(messages) }) };
    await askedAgain(viewer, 'tokens');
    await page.getByText('later calls may change it').waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Timeline 0' }).getByText('Merged from 2 calls').waitFor();
    expect(await whereabouts(page)).toEqual(before);
  });

  test('that follows a change is asked for once, however many there were', async () => {
    const { page, server, trace } = await open(smallRun());
    await page.locator('.body-row').first().waitFor();
    const before = trace.count('run');
    const release = trace.hold('run');
    server.notify();
    await expect.poll(() => trace.count('run')).toBeGreaterThan(before);
    for (let change = 0; change < 20; change += 1) server.notify();
    // Episodes are not held: asking for them again proves that the changes have arrived.
    const episodes = trace.count('episodes');
    await expect.poll(() => trace.count('episodes')).toBeGreaterThan(episodes);
    trace.run = { ...trace.run, run: { ...trace.run.run, experiment: 'renamed' } };
    release();
    await page.getByRole('heading', { name: 'renamed' }).waitFor();
    for (const most of trace.mostAtOnce.values()) expect(most).toBe(1);
    expect(trace.count('run')).toBeLessThan(before + 5);
  });

  test('that was missed while the server was away shows once it is back', async () => {
    const { page, server, trace, complaints } = await open(smallRun());
    await page.locator('.body-row').first().waitFor();
    trace.run = { ...trace.run, run: { ...trace.run.run, experiment: 'meanwhile' } };
    server.drop();
    await page.getByRole('heading', { name: 'meanwhile' }).waitFor();
    // The browser itself reports the connection that broke.
    complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('ERR_')));
  });
});

test('a held key asks for one call at a time and ends at the newest', async () => {
  const { page, trace } = await open(smallRun(), { place: 'episode=1&call=0' });
  await page.getByRole('region', { name: 'Call 0' }).getByText('12 × 8').first().waitFor();
  await page.getByRole('listbox', { name: 'Calls' }).focus();
  const release = trace.hold('call');
  for (let times = 0; times < 4; times += 1) await page.keyboard.press('ArrowDown');
  await page.getByText('Loading call 4').waitFor();
  release();
  await page.getByRole('region', { name: 'Call 4' }).getByText('Yes.').waitFor();
  expect(trace.mostAtOnce.get('call')).toBe(1);
  expect(trace.requests.flatMap((request) => (request.method === 'call' ? [request.call] : []))).toEqual([
    0, 1, 4,
  ]);
});
