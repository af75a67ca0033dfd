/** Pages as large as an editor's column is: nothing is squeezed, hidden behind something else, or out of reach. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { violations } from '../harness/accessibility.ts';
import { isTooWide, overlaps } from '../harness/layout.ts';
import { hugeTimeline, manyMessages, smallRun } from '../harness/samples.ts';
import { picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();

const sizes = {
  'beside code, above a console': { width: 520, height: 350 },
  'beside code': { width: 520, height: 800 },
  'above a console': { width: 1100, height: 350 },
  'a whole window': { width: 1280, height: 860 },
};
const small = sizes['beside code, above a console'];

const screens = {
  run: { place: '', see: '.body-row' },
  overview: { place: 'episode=5', see: '.detail' },
  call: { place: 'episode=1&call=1', see: '.message' },
  timeline: { place: 'episode=1&timeline=0', see: '.token.trained' },
};

/** Wheels at a point until nothing moves any more. */
async function wheelToEnd(page: Page, at: { readonly x: number; readonly y: number }): Promise<void> {
  await page.mouse.move(at.x, at.y);
  for (let times = 0; times < 10; times += 1) {
    await page.mouse.wheel(0, 400);
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
  }
}

/** Lines of tokens that can be seen, by where they lie on the page. */
function linesInSight(page: Page): Promise<number> {
  return page.evaluate(() => {
    const seen = [...document.querySelectorAll('[data-token]')].flatMap((token) => {
      const [rect] = token.getClientRects();
      if (!rect || rect.top < 0 || rect.bottom > window.innerHeight) return [];
      const hit = document.elementFromPoint(rect.left + rect.width / 2, rect.top + rect.height / 2);
      return token.contains(hit) ? [Math.round(rect.top / 8)] : [];
    });
    return new Set(seen).size;
  });
}

describe.each(Object.entries(sizes))('%s', (_, viewport) => {
  const name = `${viewport.width}x${viewport.height}`;

  test.each(Object.entries(screens))('the %s fits and is accessible', async (screen, { place, see }) => {
    const { page } = await open(smallRun(), { place, context: { viewport } });
    await page.locator(see).first().waitFor();
    await picture(page, `${screen}-${name}`);
    await expect.poll(() => overlaps(page)).toEqual([]);
    await expect.poll(() => isTooWide(page)).toBe(false);
    expect(await violations(page)).toEqual([]);
  });

  test('eight lines of tokens are in sight at once', async () => {
    const { page } = await open(hugeTimeline(2_000), {
      place: 'episode=0&timeline=0',
      context: { viewport },
    });
    await page.locator('#token-0').waitFor();
    await expect.poll(() => linesInSight(page)).toBeGreaterThanOrEqual(8);
  });

  test('the keyboard leads to each token', async () => {
    const { page } = await open(hugeTimeline(2_000), {
      place: 'episode=0&timeline=0',
      context: { viewport },
    });
    await page.locator('#token-0').waitFor();
    await page.getByRole('listbox', { name: 'Tokens' }).focus();
    for (const [keys, token] of [
      [['End'], 1_999],
      [['Home'], 0],
      [Array.from({ length: 40 }, () => 'ArrowDown'), undefined],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key);
      const current = page.locator('.token[aria-selected=true]');
      await current.waitFor();
      if (token !== undefined) expect(await current.getAttribute('id')).toBe(`token-${token}`);
      await expect.poll(() => isInSight(page)).toBe(true);
    }
  });
});

/** Whether the current token can be seen. */
function isInSight(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const token = document.querySelector('.token[aria-selected=true]');
    const rect = token?.getClientRects()[0];
    if (!token || !rect) return false;
    return token.contains(document.elementFromPoint(rect.left + rect.width / 2, rect.top + rect.height / 2));
  });
}

describe('on a low page', () => {
  test('what was folded unfolds, and the wheel still leads to the tokens', async () => {
    const place = 'episode=0&timeline=0';
    const { page } = await open(hugeTimeline(2_000), { place, context: { viewport: small } });
    await page.locator('#token-0').waitFor();
    await page.locator('.lanes-section').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByRole('button', { name: 'Time axis' }).click();
    await page.locator('.lanes').waitFor();
    await page.locator('.legend').waitFor({ state: 'attached' });
    await expect.poll(() => overlaps(page)).toEqual([]);
    await picture(page, 'timeline-unfolded');
    await wheelToEnd(page, { x: 60, y: 60 });
    await expect.poll(() => linesInSight(page)).toBeGreaterThanOrEqual(8);
    await picture(page, 'timeline-unfolded-end');
    expect(await violations(page)).toEqual([]);
  });

  test('the run’s totals and the table’s last row are reached', async () => {
    const { page } = await open(smallRun(), { context: { viewport: small } });
    await page.locator('.body-row').first().waitFor();
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByText('Mean reward').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    const box = await page.locator('#episode-row-15').boundingBox();
    expect(Math.floor((box?.y ?? small.height) + (box?.height ?? 0))).toBeLessThanOrEqual(small.height);
    await picture(page, 'run-unfolded-end');
  });
});

describe('on a narrow page', () => {
  test('another part is chosen with the pointer', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1&timeline=0', context: { viewport: small } });
    await page.locator('.token').first().waitFor();
    await page.getByRole('button', { name: 'Timeline 0 2 calls' }).click();
    await picture(page, 'parts-open');
    expect(await violations(page)).toEqual([]);
    await page.getByRole('option', { name: 'Call 1' }).click();
    await page.getByRole('region', { name: 'Call 1' }).waitFor();
    await page.getByRole('option').first().waitFor({ state: 'detached' });
  });

  test('another part is chosen with the keyboard', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1&call=0', context: { viewport: small } });
    await page.getByRole('region', { name: 'Call 0' }).waitFor();
    const button = page.getByRole('button', { name: 'Call 0 solver' });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('listbox', { name: 'Calls' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Call 2' }).waitFor();
    await page.getByRole('listbox', { name: 'Calls' }).waitFor({ state: 'detached' });
    expect(await page.evaluate(() => document.activeElement?.className)).toBe('part-button');
  });

  test('an episode shows its parts before one is chosen', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1', context: { viewport: small } });
    await page.getByRole('option', { name: 'Timeline 1' }).click();
    await page.getByRole('region', { name: 'Timeline 1' }).waitFor();
  });
});

test('a call with thousands of messages draws the last of them, and leads to the others', async () => {
  const { page } = await open(manyMessages(3_000), { place: 'episode=0&call=0' });
  await page.getByText('2,951 to 3,000 of 3,000').waitFor();
  expect(await page.locator('.message').count()).toBe(51);
  await page.getByRole('button', { name: 'Show 50 earlier messages' }).click();
  await page.getByText('2,901 to 2,950 of 3,000').waitFor();
  await page.getByRole('article', { name: 'Message 2900' }).waitFor();
  await page.getByRole('button', { name: 'First' }).click();
  await page.getByRole('article', { name: 'Message 0' }).waitFor();
  expect(await page.locator('.message').count()).toBe(51);
  await page.getByRole('button', { name: 'Last' }).click();
  await page.getByText('2,951 to 3,000 of 3,000').waitFor();
  expect(await violations(page)).toEqual([]);
});
