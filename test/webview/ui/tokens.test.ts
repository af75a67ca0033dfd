/** The tokens of a timeline: what they look like, what is told of them, and a hundred thousand of them. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { largestWindow } from '../../../src/protocol/traceRpc.ts';
import { hugeTimeline, smallRun } from '../harness/samples.ts';
import { nodesOf, picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();
const timeline = { place: 'episode=1&timeline=0' };
const all = 100_000;

/** Waits until the tooltip says this. */
async function seeTooltip(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('tooltip').filter({ hasText: text }).waitFor();
}

describe('a token', () => {
  test('tells by more than colour whether it is trained', async () => {
    const { page } = await open(smallRun(), timeline);
    const list = page.getByRole('listbox', { name: 'Tokens' });
    const underlineOf = (selector: string) =>
      list
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).borderBottomStyle);
    expect(await underlineOf('.token.trained')).toBe('solid');
    expect(await underlineOf('.token:not(.trained, .special)')).toBe('none');
  });

  test('keeps that difference where colours are forced', async () => {
    const context = { forcedColors: 'active' } as const;
    const { page } = await open(smallRun(), { ...timeline, context });
    const style = page.locator('.tokens .token:not(.trained, .special)').first();
    expect(await style.evaluate((element) => getComputedStyle(element).borderBottomWidth)).toBe('0px');
  });

  test('shows whitespace and special tokens as such, and is copied as it is', async () => {
    const { page } = await open(smallRun(), timeline);
    const list = page.getByRole('listbox', { name: 'Tokens' });
    await list.locator('.token.special', { hasText: '<|im_start|>' }).first().waitFor();
    const sign = (selector: string) =>
      list
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element, '::before').content);
    expect(await sign('.token.spaced')).toBe('"·"');
    expect(await sign('.newline')).toBe('"↵"');
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await list.locator('.tab').waitFor();
    expect(await sign('.tab')).toBe('"→"');
    expect(await sign('.space[data-dots="····"]')).toBe('"····"');
    const texts = await list
      .locator('.chunk-tokens')
      .last()
      .evaluate((element) => element.textContent);
    expect(texts).toContain('Let me write it down:\n\n    12 * 8 = 96\n\t3 * 4 = 12\n');
  });

  test('tells its text, id, logprob, mask and author to the pointer', async () => {
    const { page } = await open(smallRun(), timeline);
    await page.locator('.token.trained', { hasText: ' spider' }).first().hover();
    for (const part of ['" spider"', /id\s*\d+/, /logprob\s*−\d\.\d{3}/, /loss\s*trained/, 'llm (assistant)'])
      await seeTooltip(page, part);
    await page.keyboard.press('Escape');
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
  });

  test('tells the same to the keyboard', async () => {
    const { page } = await open(smallRun(), timeline);
    const list = page.getByRole('listbox', { name: 'Tokens' });
    await list.locator('.token').first().waitFor();
    await list.focus();
    for (const part of ['"<|im_start|>"', 'no logprob', 'not trained', 'env (system)', 'special token'])
      await seeTooltip(page, part);
    await page.keyboard.press('ArrowRight');
    await seeTooltip(page, '"system"');
    // Down leads to the word below it, up leads back.
    await page.keyboard.press('ArrowDown');
    await seeTooltip(page, /" (solve|math|problems)"/);
    await page.keyboard.press('ArrowUp');
    await seeTooltip(page, /position\s*[012]$/);
    await page.keyboard.press('End');
    await seeTooltip(page, '"\\n"');
  });
});

describe('a hundred thousand tokens', () => {
  test('are drawn and asked for in part, wherever one is', async () => {
    const { page, trace } = await open(hugeTimeline(all), { place: 'episode=0&timeline=0' });
    const list = page.getByRole('listbox', { name: 'Tokens' });
    await page.locator('#token-0').waitFor();
    expect(await nodesOf(page)).toBeLessThan(6_000);
    await list.focus();
    await page.keyboard.press('End');
    await page.locator(`#token-${all - 1}`).waitFor();
    await seeTooltip(page, '99,999');
    expect(await nodesOf(page)).toBeLessThan(6_000);
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight / 2));
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLElement>('[data-token]')].some((token) => {
        const position = Number(token.dataset['token']);
        return position > 40_000 && position < 60_000;
      }),
    );
    expect(await nodesOf(page)).toBeLessThan(6_000);
    await picture(page, 'timeline-huge');
    for (const request of trace.requests) {
      if (request.method === 'tokens') expect(request.limit).toBeLessThanOrEqual(largestWindow.tokens);
    }
    expect(trace.mostAtOnce.get('tokens')).toBe(1);
  });

  test('are reached through the map of the timeline', async () => {
    const { page } = await open(hugeTimeline(all), { place: 'episode=0&timeline=0' });
    await page.locator('#token-0').waitFor();
    const map = page.locator('.timeline-map');
    const box = await map.boundingBox();
    await map.click({ position: { x: (box?.width ?? 0) * 0.75, y: 8 } });
    await page.locator('#token-75008').waitFor();
  });
});
