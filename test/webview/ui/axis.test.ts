/** The time axis of an episode on the built page: what the pointer, the wheel and the keys do, and what is read out. */
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { violations } from '../harness/accessibility.ts';
import { callRow, dayZero, episodeRow, spanRow, type EpisodeRecord } from '../harness/records.ts';
import { richEpisode, smallRun } from '../harness/samples.ts';
import type { ScriptedRun } from '../harness/scriptedTrace.ts';
import { nodesOf, picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();

const axisOf = (page: Page): Locator => page.getByRole('listbox', { name: 'The activities of the episode' });
const selectedOf = (page: Page): Locator => axisOf(page).locator('[aria-selected=true]');

/** Seconds that the second episode of the small run takes. */
const whole = 5.65;
/** As the style sheet and the drawing have them. */
const [gutter, ruler, row] = [132, 20, 22];

/** Where on the page a time of an episode lies that is in view as a whole. */
async function pointOf(page: Page, seconds: number, line: number): Promise<{ x: number; y: number }> {
  const box = await page.locator('.axis-canvas').boundingBox();
  if (!box) throw new Error('There is no axis.');
  return {
    x: box.x + gutter + (seconds / whole) * (box.width - gutter),
    y: box.y + ruler + (line + 0.5) * row,
  };
}

/** The axis is folded until it is opened. */
async function unfold(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Time axis' }).click();
}

async function openAxis(place = 'episode=1') {
  const opened = await open(smallRun(), { place });
  await unfold(opened.page);
  // The environment is the last that is asked for.
  await axisOf(opened.page).locator('[aria-setsize="12"]').first().waitFor({ state: 'attached' });
  return opened;
}

function runOf(record: EpisodeRecord): ScriptedRun {
  return { ...smallRun(), record: () => record };
}

describe('the size', () => {
  test('is folded at first, and is remembered', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1' });
    await page.getByText('waiting for the model').waitFor();
    expect(await axisOf(page).count()).toBe(0);
    await unfold(page);
    await page.reload();
    await axisOf(page).waitFor();
    await unfold(page);
    await axisOf(page).waitFor({ state: 'detached' });
  });

  test('changes by pointer and by keys, and is remembered', async () => {
    const { page } = await openAxis();
    const splitter = page.getByRole('separator', { name: 'Height of the time axis' });
    const height = async () => Math.round((await axisOf(page).boundingBox())?.height ?? 0);
    const before = await height();
    const box = await splitter.boundingBox();
    if (!box) throw new Error('There is no splitter.');
    await page.mouse.move(box.x + 50, box.y + 3);
    await page.mouse.down();
    await page.mouse.move(box.x + 50, box.y + 3 - 60);
    await page.mouse.up();
    await expect.poll(height).toBe(before - 62);
    await splitter.focus();
    await page.keyboard.press('ArrowUp');
    await expect.poll(height).toBeLessThan(before - 80);
    const smaller = await height();
    await page.reload();
    await axisOf(page).waitFor();
    await expect.poll(height).toBe(smaller);
    await splitter.dblclick();
    await expect.poll(height).toBe(before);
  });
});

describe('the pointer', () => {
  test('is told what lies below it: calls, tools, and what serves and judges', async () => {
    const { page } = await openAxis();
    const tooltip = page.getByRole('tooltip');
    const told = async (seconds: number, line: number): Promise<string> => {
      const { x, y } = await pointOf(page, seconds, line);
      await page.mouse.move(x, y);
      await tooltip.waitFor();
      return (await tooltip.innerText()).replaceAll(/\s+/g, ' ');
    };
    expect(await told(1, 0)).toBe('Workflow MathWorkflow from 0.13 s took 3.67 s');
    expect(await told(0.5, 1)).toBe(
      'Call 0 of solver from 0.15 s took 1.10 s before the model request 0.25 s to the first token 0.25 s tokens 61 → 48',
    );
    expect(await told(2.3, 2)).toContain('Call 2 of judge from 2.20 s took 0.20 s');
    expect(await tooltip.innerText()).toContain('The endpoint is overloaded.');
    // Both run at once: they must not cover each other.
    expect(await told(3.4, 2)).toContain('Call 3 of judge');
    expect(await told(3.4, 3)).toContain('Call 4 of judge');
    expect(await told(1.5, 4)).toBe(
      'Tool calculate from 1.25 s took at most 0.65 s called by call 0 answer in call 1 It ran at some time between the call and its answer.',
    );
    expect(await told(1.25, 5)).toBe('Tool look_up from 1.25 s called by call 0 answer in no request so far');
    expect(await told(0.05, 6)).toContain('Environment create');
    expect(await told(3.9, 7)).toContain('It was away.');
    expect(await told(4, 8)).toContain('Judge MathJudge');
    await picture(page, 'axis-tooltip');
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'detached' });
  });

  test('opens a call with a click, and only selects what has no place of its own', async () => {
    const { page } = await openAxis();
    const call = await pointOf(page, 2.1, 1);
    await page.mouse.click(call.x, call.y);
    await page.getByRole('region', { name: 'Call 1' }).waitFor();
    const judge = await pointOf(page, 4, 8);
    await page.mouse.click(judge.x, judge.y);
    await expect.poll(() => selectedOf(page).innerText()).toContain('Judge MathJudge: 0.25 s');
    await page.getByRole('region', { name: 'Call 1' }).waitFor();
  });

  test('zooms where it is with Ctrl and the wheel, and pans with a drag and a sideways wheel', async () => {
    const { page } = await openAxis();
    const { x, y } = await pointOf(page, 2.3, 2);
    const told = async (): Promise<string> => {
      await page.mouse.move(x + 1, y);
      await page.mouse.move(x, y);
      return (await page.getByRole('tooltip').allInnerTexts()).join();
    };
    await page.mouse.move(x, y);
    await page.keyboard.down('Control');
    for (let times = 0; times < 8; times += 1) await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    await expect.poll(told).toContain('Call 2 of judge');
    // So near that nothing else of the lane is in view: a little aside is the same call still.
    await page.mouse.move(x + 60, y);
    await expect.poll(() => page.getByRole('tooltip').innerText()).toContain('Call 2 of judge');
    await page.mouse.down();
    await page.mouse.move(x + 1_000, y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(told).toBe('');
    await page.mouse.wheel(1_000, 0);
    await expect.poll(told).toContain('Call 2 of judge');
    await page.getByRole('button', { name: 'Show the whole episode (0)' }).click();
    await page.mouse.move(x + 60, y);
    await expect.poll(() => page.getByRole('tooltip').count()).toBe(0);
  });

  test('goes along the overview, and what is in view outlives a reload', async () => {
    const { page } = await openAxis('episode=1&call=0');
    await axisOf(page).focus();
    await page.keyboard.press('f');
    const strip = await page.locator('.axis-overview').boundingBox();
    if (!strip) throw new Error('There is no overview.');
    // The middle of call 1.
    const x = strip.x + gutter + ((1.9 + 0.45) / whole) * (strip.width - gutter);
    await page.mouse.click(x, strip.y + strip.height / 2);
    const { y } = await pointOf(page, 0, 1);
    const middle = strip.x + gutter + (strip.width - gutter) / 2;
    const told = async (): Promise<string> => {
      await page.mouse.move(middle, y);
      await page.mouse.move(middle + 2, y);
      return (await page.getByRole('tooltip').allInnerTexts()).join();
    };
    await expect.poll(told).toContain('Call 1 of solver');
    await page.reload();
    await axisOf(page).waitFor();
    await expect.poll(told).toContain('Call 1 of solver');
  });
});

describe('the keys', () => {
  test('lead from span to span in the order of time, and Enter opens the call', async () => {
    const { page } = await openAxis();
    await axisOf(page).focus();
    const names: string[] = [];
    for (let times = 0; times < 12; times += 1) {
      await page.keyboard.press(times === 0 ? 'Home' : ']');
      const name = await selectedOf(page).innerText();
      names.push(name.split(':')[0] ?? '');
    }
    expect(names).toEqual([
      'Environment create',
      'Workflow MathWorkflow',
      'Call 0 of solver',
      'Tool calculate, called by call 0',
      'Tool look_up, called by call 0',
      'Call 1 of solver',
      'Call 2 of judge',
      'Call 3 of judge',
      'Call 4 of judge',
      'Judge MathJudge',
      'Helper LLM',
      'Environment release',
    ]);
    for (let times = 0; times < 8; times += 1) await page.keyboard.press('[');
    await page.keyboard.press('Enter');
    // Of a tool: the call whose reply calls it.
    await page.getByRole('region', { name: 'Call 0' }).waitFor();
  });

  test('lead from lane to lane, to the nearest in time', async () => {
    const { page } = await openAxis('episode=1&call=1');
    await axisOf(page).focus();
    await page.keyboard.press('ArrowDown');
    expect(await selectedOf(page).innerText()).toContain('Call 2 of judge: 0.20 s, failed with 503');
    await page.keyboard.press('ArrowDown');
    expect(await selectedOf(page).innerText()).toContain('Tool calculate');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowDown');
    expect(await selectedOf(page).innerText()).toContain('Helper LLM');
  });

  test('are in the list of keys, and the list of parts moves the selection, too', async () => {
    const { page } = await openAxis('episode=1&call=1');
    expect(await selectedOf(page).innerText()).toContain(
      'Call 1 of solver: 0.90 s, 130 → 51 tokens, from 1.90 s',
    );
    await page
      .getByRole('option', { name: /^Call 3/ })
      .last()
      .click();
    await expect.poll(() => selectedOf(page).innerText()).toContain('Call 3 of judge');
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Zoom to the selection').waitFor();
  });

  test('zoom and pan', async () => {
    const { page } = await openAxis('episode=1&call=1');
    await axisOf(page).focus();
    const { x, y } = await pointOf(page, 2.35, 1);
    const told = async (): Promise<string> => {
      await page.mouse.move(x, y + 1);
      await page.mouse.move(x, y);
      return (await page.getByRole('tooltip').innerText()).split('\n')[0] ?? '';
    };
    for (const key of ['w', '+', 'w', '+', 'w', '+']) await page.keyboard.press(key);
    // Zoomed around what is selected, whose call is as wide as the lane then.
    const { x: left } = await pointOf(page, 1.2, 1);
    await page.mouse.move(left, y);
    await expect.poll(() => page.getByRole('tooltip').innerText()).toContain('Call 1 of solver');
    for (let times = 0; times < 12; times += 1) await page.keyboard.press('a');
    await expect.poll(told).toBe('Call 0 of solver');
    for (let times = 0; times < 12; times += 1) await page.keyboard.press('ArrowRight');
    await expect.poll(told).toBe('Call 1 of solver');
    await page.keyboard.press('0');
    await page.mouse.move(left, y);
    await expect.poll(() => page.getByRole('tooltip').innerText()).toContain('Call 0 of solver');
  });
});

describe('where the time went', () => {
  test('is told in one line, and for each agent, tool and judge', async () => {
    const { page } = await openAxis();
    const summary = page.locator('.lanes-summary');
    expect((await summary.innerText()).split('\n')).toEqual([
      'waiting for the model 2.85 s (50 %)',
      'of that, 0.25 s before the request',
      'services 0.32 s (6 %)',
      'judge 0.25 s (4 %)',
      'working 0.82 s (15 %)',
      'tools at most 0.65 s',
    ]);
    await page.getByText('Time by agent, tool and judge').click();
    const rows = page.getByRole('row');
    expect((await rows.nth(3).innerText()).split(/\s*\t\s*/)).toEqual([
      'Calls of judge',
      '3',
      '1',
      '1.60 s',
      '0.53 s',
      '0.80 s',
      '19 %',
    ]);
    expect(await rows.nth(4).innerText()).toContain('≤ 0.65 s');
    expect(await rows.nth(5).innerText()).not.toContain('≤');
    expect(await violations(page)).toEqual([]);
    await picture(page, 'axis-totals');
  });
});

describe('an episode that runs', () => {
  test('shows the call under way, follows time, and keeps what is selected', async () => {
    const startedAt = Date.now() - 4_000;
    const going = { state: 'running', seconds: null, reward: null, startedAt } as const;
    const row = episodeRow({ episode: 1, ...going, trains: null, calls: 1, timelines: 0 });
    const call = callRow({ call: 0, startedAt: startedAt + 100, seconds: 1 });
    const running = spanRow({
      kind: 'call',
      name: 'solver',
      call: 1,
      startedAt: startedAt + 2_000,
      seconds: null,
      state: 'running',
    });
    const base = richEpisode(1);
    const before = { ...base, view: { row, calls: [call], timelines: [] }, spans: [running] };
    const { page, trace, server } = await open(runOf(before), { place: 'episode=1' });
    await unfold(page);
    const soFar = async (): Promise<number> => {
      const text = await selectedOf(page).innerText();
      return Number(/Call 1 of solver: runs, ([\d.]+) s so far/.exec(text)?.[1]);
    };
    // A page that is still drawn anew may lose the key.
    const selected = async (): Promise<number> => {
      await axisOf(page).press('End');
      return soFar();
    };
    await expect.poll(selected).toBeGreaterThan(1.9);
    const first = await soFar();
    await expect.poll(soFar).toBeGreaterThan(first + 0.2);
    const ended = { ...call, call: 1, startedAt: startedAt + 2_000, seconds: 3 };
    const after = { ...before, view: { row, calls: [call, ended], timelines: [] } };
    trace.run = runOf(after);
    server.notify();
    await expect.poll(() => selectedOf(page).innerText()).toContain('Call 1 of solver: 3.00 s');
  });
});

describe('an episode of ten thousand spans', () => {
  const many = 10_000;
  function long(): EpisodeRecord {
    const base = richEpisode(0);
    const calls = Array.from({ length: many / 2 }, (_, call) =>
      callRow({ call, agent: `agent ${call % 7}`, startedAt: dayZero + call * 1_000, seconds: 0.7 }),
    );
    const spans = Array.from({ length: many / 2 }, (_, call) =>
      spanRow({
        kind: 'tool',
        name: `tool ${call % 5}`,
        call,
        answeredBy: call + 1,
        startedAt: dayZero + call * 1_000 + 700,
        seconds: 0.3,
      }),
    );
    const row = episodeRow({ episode: 0, calls: calls.length, seconds: many / 2 });
    return { ...base, view: { row, calls, timelines: [] }, spans };
  }

  test('is no more of a page than a short one, and each span is within reach', async () => {
    const { page } = await open(runOf(long()), { place: 'episode=0' });
    await unfold(page);
    await axisOf(page).locator(`[aria-setsize="${many}"]`).first().waitFor({ state: 'attached' });
    expect(await nodesOf(page)).toBeLessThan(400);
    await axisOf(page).focus();
    await page.keyboard.press('End');
    expect(await selectedOf(page).getAttribute('aria-posinset')).toBe(String(many));
    await page.keyboard.press('f');
    await page.keyboard.press('[');
    expect(await selectedOf(page).innerText()).toContain('Call 4999 of agent 1');
    await picture(page, 'axis-many');
    await page.keyboard.press('0');
    await picture(page, 'axis-many-whole');
    expect(await violations(page)).toEqual([]);
  });
});
