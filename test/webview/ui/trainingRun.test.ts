/** The page of a training run: how it fares, its charts and what can be asked of it. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RunPageMessage } from '../../../src/training/core/page/trainingRunRpc.ts';
import { violations } from '../harness/accessibility.ts';
import { useRunPage } from '../harness/runPage.ts';
import {
  checkpointsOf,
  eventsOf,
  gpuMessages,
  idOf,
  rewardName,
  shownRun,
  startedAt,
} from '../harness/trainingRuns.ts';
import { nodesOf, picture } from '../harness/viewer.ts';

const open = useRunPage();

const run = idOf(1);
const other = idOf(2);

function messagesOf(steps: number): RunPageMessage[] {
  return [
    { type: 'connection', host: 'gpu-box', state: { kind: 'connected' } },
    { type: 'runs', runs: [shownRun({ step: steps })] },
    { type: 'events', run, events: eventsOf(steps) },
    { type: 'checkpoints', run, checkpoints: checkpointsOf(50, 100) },
    ...gpuMessages(run, 40),
  ];
}

function chart(page: Page, title: string): Locator {
  return page.getByRole('group', { name: title, exact: true });
}

function plot(page: Page, title: string): Locator {
  return page.getByRole('slider', { name: title, exact: true });
}

/** What a chart says of each run. */
function told(page: Page, title: string): Promise<string[]> {
  return chart(page, title).locator('.readout-value').allInnerTexts();
}

/** The value of a metric at a step, as the host told it. */
function valueAt(name: string, step: number, seed?: string): number {
  const found = eventsOf(step, seed).flatMap((event) =>
    event.type === 'metrics' && event.step === step && event.values[name] !== undefined
      ? [event.values[name]]
      : [],
  );
  return Number((found.at(-1) ?? NaN).toPrecision(4));
}

describe('a run that trains', () => {
  test('tells how it fares and draws what it told', async () => {
    const { page, asked } = await open(messagesOf(120));
    await plot(page, 'Mean reward').waitFor();
    await page.getByRole('heading', { name: 'math_agent, lr 1e-6' }).waitFor();
    const header = await page.locator('.run-header').innerText();
    expect(header).toContain('running');
    expect(header).toContain('on gpu-box');
    expect(header).toMatch(/Step\s+120 of 400/);
    expect(header).toMatch(/Time left\s+about 4 h/);
    expect(await page.locator('.chart-heading h3').allInnerTexts()).toEqual([
      'Mean reward',
      'Success',
      'KL divergence',
      'Entropy',
      'Response length',
      'Time per step',
      'GPU load',
      'GPU memory',
    ]);
    expect(await chart(page, 'Mean reward').locator('.chart-name').innerText()).toBe(rewardName);
    expect(asked).toEqual([{ type: 'ready', compared: [] }]);
    await picture(page, 'training-run');
    expect(await violations(page)).toEqual([]);
  });

  test('asks for what its buttons say', async () => {
    const { page, asked, tell } = await open(messagesOf(120));
    await page.getByRole('button', { name: 'Open rollouts' }).click();
    await page.getByRole('button', { name: 'Show log' }).click();
    await page.getByRole('button', { name: 'Show config' }).click();
    await page.getByRole('button', { name: 'Copy command' }).click();
    await page.getByRole('button', { name: 'Fork from step 50' }).click();
    await page.getByRole('button', { name: 'Fetch the checkpoint of step 100' }).click();
    await page.getByRole('button', { name: 'Compare with another run' }).click();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    expect(await page.getByRole('button', { name: 'Resume from step 50' }).count()).toBe(0);
    await tell({ type: 'runs', runs: [shownRun({ state: 'cancelled', endedAt: startedAt + 8_000_000 })] });
    await page.getByText('It can be resumed from the checkpoint of step 100.').waitFor();
    // The host resumes from the newest alone: next to the reason of the end, and in the table.
    expect(await page.getByRole('button', { name: 'Resume from step 100' }).count()).toBe(2);
    expect(await page.getByRole('button', { name: /^Resume/ }).count()).toBe(2);
    expect(await page.getByRole('button', { name: /^Fork/ }).count()).toBe(2);
    await page.getByRole('button', { name: 'Resume from step 100' }).first().click();
    await expect
      .poll(() => asked.slice(1))
      .toEqual([
        { type: 'openRollouts', run },
        { type: 'showLog', run },
        { type: 'showConfig', run },
        { type: 'copyCommand', run },
        { type: 'fork', run, step: 50 },
        { type: 'fetchCheckpoint', run, step: 100 },
        { type: 'addRun' },
        { type: 'cancel', run },
        { type: 'resume', run, step: 100 },
      ]);
  });

  test('offers nothing that the token does not allow', async () => {
    const shown = shownRun({}, { may: { start: false, cancel: false }, rollouts: false });
    const { page } = await open([...messagesOf(120), { type: 'runs', runs: [shown] }]);
    await page.getByRole('button', { name: 'Fetch the checkpoint of step 100' }).waitFor();
    expect(await page.getByRole('button', { name: /Fork|Resume|Open rollouts|Cancel/ }).count()).toBe(0);
  });
});

describe('charts', () => {
  test('tell the values of one step, wherever the mouse points', async () => {
    const { page } = await open(messagesOf(120));
    await plot(page, 'Entropy').waitFor();
    const area = await plot(page, 'Entropy').locator('.u-over').boundingBox();
    if (!area) throw new Error('There is no chart.');
    // Steps 1 … 120 from edge to edge.
    const x = area.x + (area.width * (41 - 1)) / 119;
    await page.mouse.move(x - 3, area.y + 20);
    await page.mouse.move(x, area.y + 20);
    await expect.poll(() => page.locator('.pointed-at').innerText()).toBe('Step 41');
    await expect.poll(() => told(page, 'Entropy')).toEqual([String(valueAt('actor/entropy_loss', 41))]);
    expect(await told(page, 'Mean reward')).toEqual([String(valueAt(rewardName, 41))]);
    await picture(page, 'training-run-hover');
    await page.mouse.move(5, 5);
    await expect.poll(() => page.locator('.pointed-at').innerText()).toBe('Newest values');
  });

  test('are zoomed together by dragging, and a double click shows all again', async () => {
    const { page } = await open(messagesOf(120));
    await plot(page, 'Entropy').waitFor();
    const area = await plot(page, 'Entropy').locator('.u-over').boundingBox();
    if (!area) throw new Error('There is no chart.');
    const at = (step: number) => area.x + (area.width * (step - 1)) / 119;
    await page.mouse.move(at(31), area.y + 40);
    await page.mouse.down();
    await page.mouse.move(at(50), area.y + 40);
    await page.mouse.move(at(61), area.y + 40);
    await page.mouse.up();
    const reward = plot(page, 'Mean reward');
    const shown = async () => [
      Math.round(Number(await reward.getAttribute('aria-valuemin'))),
      Math.round(Number(await reward.getAttribute('aria-valuemax'))),
    ];
    await expect.poll(shown).toEqual([31, 61]);
    await picture(page, 'training-run-zoomed');
    await plot(page, 'Success').locator('.u-over').dblclick();
    await expect.poll(shown).toEqual([1, 120]);
  });

  test('go from step to step by the keyboard', async () => {
    const { page } = await open(messagesOf(120));
    const reward = plot(page, 'Mean reward');
    await reward.focus();
    const now = async () => Number(await reward.getAttribute('aria-valuenow'));
    expect(await now()).toBe(120);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(now).toBe(119);
    await page.keyboard.press('PageDown');
    await expect.poll(now).toBe(107);
    await page.keyboard.press('Home');
    await expect.poll(now).toBe(1);
    expect(await reward.getAttribute('aria-valuetext')).toBe(
      `1: math_agent, lr 1e-6 ${valueAt(rewardName, 1)}`,
    );
    await page.keyboard.press('+');
    await expect.poll(async () => Number(await reward.getAttribute('aria-valuemax'))).toBeCloseTo(60.5);
    await page.keyboard.press('End');
    await expect.poll(now).toBe(60);
    await page.keyboard.press('0');
    await expect.poll(async () => Number(await reward.getAttribute('aria-valuemax'))).toBe(120);
  });

  test('of GPUs go by time, together with the steps that ended in it', async () => {
    const { page } = await open(messagesOf(120));
    const load = plot(page, 'GPU load');
    await load.focus();
    await page.keyboard.press('Home');
    await expect.poll(() => load.getAttribute('aria-valuetext')).toBe('00:00: math_agent, lr 1e-6 92 %');
    expect(await page.locator('.pointed-at').innerText()).toBe('Step 1');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => told(page, 'GPU load')).toEqual(['65 %']);
    await page.keyboard.press('Home');
    await page.keyboard.press('+');
    // Half of 19:30; step 7 ended after nine minutes.
    const reward = plot(page, 'Mean reward');
    await expect.poll(() => reward.getAttribute('aria-valuemax')).toBe('7');
    expect(await load.getAttribute('aria-valuemax')).toBe('540');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.pointed-at').innerText()).toBe('Newest values');
  });

  test('show runs over one another', async () => {
    const shown = shownRun({ step: 120 });
    const second = shownRun({ id: other, name: 'lr 5e-6', step: 80, state: 'finished', reward: 0.5 });
    const { page, asked, tell } = await open([
      ...messagesOf(120),
      { type: 'runs', runs: [shown, second] },
      { type: 'events', run: other, events: eventsOf(80, 'other') },
    ]);
    const reward = plot(page, 'Mean reward');
    await reward.focus();
    await page.keyboard.press('Home');
    const both = [valueAt(rewardName, 1), valueAt(rewardName, 1, 'other')].map(String);
    await expect.poll(() => told(page, 'Mean reward')).toEqual(both);
    // The second run has no such step.
    await page.keyboard.press('End');
    await expect.poll(() => told(page, 'Mean reward')).toEqual([String(valueAt(rewardName, 120)), '–']);
    await picture(page, 'training-run-compared');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Compare the config with that of lr 5e-6' }).click();
    await expect.poll(() => asked.at(-1)).toEqual({ type: 'compareConfig', run: other });
    await page.getByRole('button', { name: 'Remove lr 5e-6 from the charts' }).click();
    await expect.poll(() => asked.at(-1)).toEqual({ type: 'removeRun', run: other });
    await page.reload();
    // Also one whose host has yet to tell of it is asked for again.
    const place = { host: 'gpu-box', run: other };
    await expect.poll(() => asked.at(-1)).toEqual({ type: 'ready', compared: [place] });
    const away = { host: 'far away', run: idOf(3) };
    await tell({ type: 'runs', runs: [shown], awaited: [place, away] });
    await expect
      .poll(() => page.evaluate(() => sessionStorage.getItem('state of the webview')))
      .toContain('far away');
    await page.reload();
    await expect.poll(() => asked.at(-1)).toEqual({ type: 'ready', compared: [place, away] });
  });

  test('are those of one stage at a time, where the training has several', async () => {
    const names = ['sft', 'rl'];
    const stages = names.map((name) => ({ name, folder: name, totalSteps: 400 }));
    const of = (stage: number, steps: number) =>
      eventsOf(steps, names[stage - 1]).map((event) =>
        event.type === 'metrics' ? { ...event, stage } : event,
      );
    const events = [...of(1, 60), ...of(2, 20)].map((event, at) => ({ ...event, seq: at + 1 }));
    const checkpoints = names.flatMap((stage) =>
      checkpointsOf(20).map((one) => ({ ...one, stage, path: `${stage}/global_step_20` })),
    );
    const { page, asked } = await open([
      { type: 'connection', host: 'gpu-box', state: { kind: 'connected' } },
      { type: 'runs', runs: [shownRun({ step: 20, stage: 2, stages })] },
      { type: 'events', run, events },
      { type: 'checkpoints', run, checkpoints },
    ]);
    await page.getByText('2 of 2').waitFor();
    const newest = (steps: number, seed: string): string[] => [String(valueAt(rewardName, steps, seed))];
    await expect.poll(() => told(page, 'Mean reward')).toEqual(newest(20, 'rl'));
    await page.locator('.chart-tools').getByLabel('Stage').selectOption('sft');
    await expect.poll(() => told(page, 'Mean reward')).toEqual(newest(60, 'sft'));
    expect(await plot(page, 'Mean reward').getAttribute('aria-valuemax')).toBe('60');
    await page.getByRole('button', { name: 'Fork from step 20 of stage sft' }).click();
    await expect.poll(() => asked.at(-1)).toEqual({ type: 'fork', run, step: 20, stage: 'sft' });
    await picture(page, 'training-run-stages');
    expect(await violations(page)).toEqual([]);
  });

  test('are smoothed, on a log scale and added, and all that outlives a reload', async () => {
    const messages = messagesOf(120);
    const { page, asked, tell } = await open(messages);
    await page.getByLabel('Smoothing').selectOption('medium');
    await page.getByLabel('Log scale').check();
    await page.getByLabel('Add a chart').selectOption('actor/grad_norm');
    await plot(page, 'actor/grad_norm').waitFor();
    await page.getByText('Values as a table').click();
    const row = page.locator('.value-table tbody tr').first();
    await expect.poll(() => row.innerText()).toContain(String(valueAt(rewardName, 120)));
    await plot(page, 'Mean reward').focus();
    await page.keyboard.press('+');
    await expect
      .poll(async () => Number(await plot(page, 'Mean reward').getAttribute('aria-valuemin')))
      .toBeGreaterThan(50);
    await picture(page, 'training-run-smoothed');
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => asked.filter(({ type }) => type === 'ready')).toHaveLength(2);
    await tell(...messages);
    await plot(page, 'actor/grad_norm').waitFor();
    expect(await page.getByLabel('Smoothing').inputValue()).toBe('0.9');
    expect(await page.getByLabel('Log scale').isChecked()).toBe(true);
    expect(await page.locator('.value-table tbody tr').count()).toBeGreaterThan(10);
    expect(Number(await plot(page, 'Mean reward').getAttribute('aria-valuemin'))).toBeGreaterThan(50);
    await page.getByRole('button', { name: 'Remove the chart actor/grad_norm' }).click();
    await expect.poll(() => plot(page, 'actor/grad_norm').count()).toBe(0);
  });
});

test('fifty thousand steps are as quick to look at as a few', async () => {
  const steps = 50_000;
  const { page } = await open([{ type: 'runs', runs: [shownRun({ step: steps, totalSteps: null })] }]);
  await page.getByText('No metrics yet').waitFor();
  await page.evaluate(
    ({ run, name, steps, startedAt }) => {
      for (let from = 1; from <= steps; from += 1_000) {
        const events = Array.from({ length: 1_000 }, (_, index) => {
          const step = from + index;
          const values = { [name]: step === 31_415 ? 9 : ((step * 7_919) % 100) / 100, 'time/step': 30 };
          return { seq: step, at: startedAt + step * 30_000, type: 'metrics', role: 'trainer', step, values };
        });
        window.postMessage({ type: 'events', run, events });
      }
    },
    { run, name: rewardName, steps, startedAt },
  );
  const reward = plot(page, 'Mean reward');
  await expect.poll(() => reward.getAttribute('aria-valuenow')).toBe('50000');
  // What stands out is seen, however many there are to a pixel.
  await expect.poll(() => columnsDrawn(reward, 0.5)).toBeGreaterThan(0);
  expect(await columnsDrawn(reward, 0.5)).toBeLessThan(10);
  expect(await columnsDrawn(reward, 1)).toBeGreaterThan(280);
  expect(await nodesOf(page)).toBeLessThan(400);
  await picture(page, 'training-run-many');
});

/** Columns of a chart's pixels that have something of a line, which is blue, in some of their height from the top. */
async function columnsDrawn(chartPlot: Locator, ofHeight: number): Promise<number> {
  return chartPlot.locator('canvas').evaluate((element, part) => {
    const { width, height } = element as HTMLCanvasElement;
    const copy = Object.assign(document.createElement('canvas'), { width, height });
    const pen = copy.getContext('2d', { willReadFrequently: true });
    pen?.drawImage(element as HTMLCanvasElement, 0, 0);
    const { data } = pen?.getImageData(0, 0, width, Math.floor(height * part)) ?? { data: [] };
    const columns = new Set<number>();
    for (let pixel = 0; pixel < data.length; pixel += 4) {
      if ((data[pixel + 2] ?? 0) > (data[pixel] ?? 0) + 60) columns.add((pixel / 4) % width);
    }
    return columns.size;
  }, ofHeight);
}
