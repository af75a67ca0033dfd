/** A run that goes on while it is looked at. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { timelineRow, viewsOf } from '../harness/records.ts';
import { longRun, runningRun, smallRun } from '../harness/samples.ts';
import { violations } from '../harness/accessibility.ts';
import { realRun } from '../harness/growingTrace.ts';
import type { ScriptedRun } from '../harness/scriptedTrace.ts';
import { picture, useViewer, type OpenViewer } from '../harness/viewer.ts';

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

test('a run that a debugger holds says so, in its header and its table, and has the command for a tokenizer', async () => {
  const { page } = await open(runningRun(), { editorState: undefined });
  await page.getByRole('status').getByText('running', { exact: true }).waitFor();
  await page.evaluate(() => window.postMessage({ held: true }));
  await page.getByRole('status').getByText('held by the debugger').waitFor();
  await page.getByRole('gridcell').getByTitle('held by the debugger').waitFor();
  const link = page.getByRole('link', { name: 'Fetch Tokenizer', exact: true });
  expect(decodeURIComponent((await link.getAttribute('href')) ?? '')).toBe(
    'command:agentjet.fetchTokenizer?["/home/ada/agents/math_agent/math_agent.yaml"]',
  );
  expect(await violations(page)).toEqual([]);
  await picture(page, 'held');
  await page.evaluate(() => window.postMessage({ held: false }));
  await page.getByRole('status').getByText('running', { exact: true }).waitFor();
});

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

  test('keeps the filter that is being written', async () => {
    const viewer = await open(smallRun());
    const finding = viewer.page.getByRole('button', { name: /longer than/ });
    await finding.click();
    const field = viewer.page.getByRole('combobox', { name: 'Filter' });
    await field.fill('finding:context-overflow rew');
    await askedAgain(viewer, 'run');
    expect(await finding.getAttribute('aria-pressed')).toBe('true');
    expect(await field.inputValue()).toBe('finding:context-overflow rew');
  });

  test('keeps a blank at the end of the filter that is being written', async () => {
    const { page } = await open(smallRun());
    const field = page.getByRole('combobox', { name: 'Filter' });
    await field.fill('reward<2 ');
    await expect.poll(() => page.url()).toContain('reward');
    await field.pressSequentially('error');
    expect(await field.inputValue()).toBe('reward<2 error');
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    expect(await field.inputValue()).toBe('');
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
    const timeline = { advantage: null, exact: false };
    trace.run = { ...whole, timeline: () => ({ ...timeline, row, messages: viewsOf(messages) }) };
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

/** A run that goes on, with so many episodes so far. */
function runningTo(episodes: number): ScriptedRun {
  const run = longRun(episodes);
  const totals = { ...run.run.totals, started: episodes };
  return { ...run, run: { ...run.run, end: null, live: true, newest: episodes - 1, totals } };
}

async function growTo(viewer: OpenViewer, episodes: number): Promise<void> {
  viewer.trace.run = runningTo(episodes);
  viewer.server.notify();
  await viewer.page
    .locator('.stats')
    .getByText(`${episodes.toLocaleString('en')} of`)
    .waitFor();
}

/** Whether the current row is this one, and is in sight. */
function isCurrent(page: Page, position: number): Promise<boolean> {
  return page.evaluate((row) => {
    const list = document.querySelector('[role=grid]');
    const element = document.getElementById(row);
    if (list?.getAttribute('aria-activedescendant') !== row || element === null) return false;
    const [inner, outer] = [element.getBoundingClientRect(), list.getBoundingClientRect()];
    return inner.top >= outer.top && inner.bottom <= outer.bottom + 1;
  }, `episode-row-${position}`);
}

describe('Follow latest', () => {
  test('keeps the newest row in sight until the user chooses or scrolls', async () => {
    const viewer = await open(runningTo(300));
    const { page } = viewer;
    const follow = page.getByRole('button', { name: 'Follow latest' });
    await follow.click();
    await expect.poll(() => isCurrent(page, 299)).toBe(true);
    await growTo(viewer, 900);
    await expect.poll(() => isCurrent(page, 899)).toBe(true);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'live-following');
    await page.getByRole('grid').focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => follow.getAttribute('aria-pressed')).toBe('false');
    await growTo(viewer, 912);
    await page.getByRole('button', { name: 'Follow latest 12 new' }).waitFor();
    await expect.poll(() => isCurrent(page, 898)).toBe(true);
    expect(await violations(page)).toEqual([]);
    await picture(page, 'live-news');
    await page.keyboard.press('l');
    await expect.poll(() => isCurrent(page, 911)).toBe(true);
    await page.locator('.body-row').first().hover();
    await page.mouse.wheel(0, -2_000);
    await expect.poll(() => follow.getAttribute('aria-pressed')).toBe('false');
  });

  test('keeps to the newest that the filter lets through, also of groups', async () => {
    const real = realRun({ tasks: 6, repeat: 4, episodes: 24 });
    for (let episode = 0; episode < 9; episode++) real.episode(episode, { reward: episode % 2 });
    const viewer = await open(real.run, { place: 'filter=reward<1&sort=-reward' });
    const { page, server } = viewer;
    const follow = page.getByRole('button', { name: 'Follow latest' });
    await follow.waitFor();
    await page.keyboard.press('l');
    await expect.poll(() => follow.getAttribute('aria-pressed')).toBe('true');
    await expect.poll(() => page.locator('.body-row.current').innerText()).toMatch(/^task-2/);
    for (let episode = 9; episode < 17; episode++) real.episode(episode, { reward: episode % 2 });
    server.notify();
    await expect.poll(() => page.locator('.body-row.current').innerText()).toMatch(/^task-4/);
    await page.getByRole('button', { name: 'Groups' }).click();
    await expect.poll(() => page.locator('.body-row.current').innerText()).toMatch(/^task-4/);
  });

  test('goes from episode to episode until the user goes elsewhere', async () => {
    const viewer = await open(runningTo(40), { place: 'episode=12' });
    const { page, trace, server } = viewer;
    await page.getByRole('heading', { name: 'task-3' }).waitFor();
    await page.getByRole('button', { name: 'Follow latest' }).click();
    await page.getByText('Episode 39', { exact: true }).waitFor();
    trace.run = runningTo(45);
    server.notify();
    await page.getByText('Episode 44', { exact: true }).waitFor();
    await page.getByRole('option', { name: 'Timeline 0' }).click();
    trace.run = runningTo(48);
    server.notify();
    await page.getByRole('button', { name: 'Follow latest 3 new' }).waitFor();
    await page.getByRole('button', { name: 'Episode 44' }).waitFor();
  });

  test('is not there once the run has ended', async () => {
    const viewer = await open(runningTo(40));
    const follow = viewer.page.getByRole('button', { name: 'Follow latest' });
    await follow.click();
    viewer.trace.run = longRun(40);
    viewer.server.notify();
    await follow.waitFor({ state: 'detached' });
  });

  test('is remembered across reloads, with what is new', async () => {
    const viewer = await open(runningTo(40));
    const { page, trace } = viewer;
    await page.getByRole('button', { name: 'Follow latest' }).waitFor();
    await page.locator('.body-row').first().waitFor();
    trace.run = runningTo(47);
    await page.reload();
    await page.getByRole('button', { name: 'Follow latest 7 new' }).click();
    await expect.poll(() => isCurrent(page, 46)).toBe(true);
    trace.run = runningTo(60);
    await page.reload();
    await expect.poll(() => isCurrent(page, 59)).toBe(true);
  });
});

test('a held key asks for one call at a time and ends at the newest', async () => {
  const { page, trace } = await open(smallRun(), { place: 'episode=1&call=0' });
  await page.getByRole('region', { name: 'Call 0' }).getByText('12 × 8').first().waitFor();
  const calls = page.getByRole('listbox', { name: 'Calls' });
  await calls.focus();
  const release = trace.hold('call');
  for (let call = 1; call <= 4; call += 1) {
    await page.keyboard.press('ArrowDown');
    await calls.getByRole('option', { name: `Call ${call}`, selected: true }).waitFor();
  }
  await page.getByText('Loading call 4').waitFor();
  release();
  await page.getByRole('region', { name: 'Call 4' }).getByText('Yes.').waitFor();
  expect(trace.mostAtOnce.get('call')).toBe(1);
  expect(trace.requests.flatMap((request) => (request.method === 'call' ? [request.call] : []))).toEqual([
    0, 1, 4,
  ]);
});
