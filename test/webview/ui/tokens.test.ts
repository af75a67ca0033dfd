/** The tokens of a timeline: what they look like, what is told of them, and a hundred thousand of them. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { largestWindow } from '../../../src/traces/core/protocol/traceRpc.ts';
import { aCall, anEpisode, aResult, aRun } from '../../unit/traces/samples.ts';
import { violations } from '../harness/accessibility.ts';
import { RealTrace } from '../harness/realTrace.ts';
import { hugeTimeline, smallRun } from '../harness/samples.ts';
import { nodesOf, picture, useViewer } from '../harness/viewer.ts';
import { Words } from '../harness/words.ts';

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
    const token = page.locator('.token.trained', { hasText: ' spider' }).first();
    // Scrolling hides what is told, so the list must stand still first.
    await token.evaluate(async (element) => {
      element.scrollIntoView({ block: 'center' });
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
    });
    await token.hover();
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
    for (const part of [
      '"<|im_start|>"',
      'no logprob',
      'not trained',
      'chat template, around system',
      'special token',
    ])
      await seeTooltip(page, part);
    await page.keyboard.press('ArrowRight');
    await seeTooltip(page, '"system"');
    // Down leads to the word below it, up leads back.
    await page.keyboard.press('ArrowDown');
    await seeTooltip(page, /" (solve|math|problems)"/);
    await page.keyboard.press('ArrowUp');
    await seeTooltip(page, /position\s*[012](\D|$)/);
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
    // The list may still be on its way to the end, where a key sent it.
    const middle = () =>
      list.evaluate((element) => {
        element.scrollTo(0, element.scrollHeight / 2);
        const drawn = [...element.querySelectorAll<HTMLElement>('[data-token]')];
        return drawn.some(({ dataset }) => Math.abs(Number(dataset['token']) - 50_000) < 10_000);
      });
    await expect.poll(middle).toBe(true);
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
    const first = async () => Number(await map.getAttribute('aria-valuenow'));
    // A pixel of the map is worth some hundred tokens, and what is picked comes into view wherever it is nearest.
    await expect
      .poll(async () => {
        const at = await first();
        return Math.abs(at - 0.75 * all) < 2_000 && (await page.locator(`#token-${at}`).isVisible());
      })
      .toBe(true);
  });
});

describe('of a real trace', () => {
  /** One timeline: a question, and a reply with what hides in it. */
  function hiding(): RealTrace {
    const words = new Words();
    const messages = [
      words.message('user', ['Hi', ' there']),
      words.message('assistant', ['A', '\u202e', '\0', '\u200b', '\u001b[31m', 'שלום', ' ok']),
    ];
    return new RealTrace(aRun({ repeat: 1 }), (writer) => {
      writer.episodeStarted(anEpisode(0));
      writer.callEnded(
        aCall(0, 0),
        messages.map((message, position) => ({ position, message })),
        words.tokens,
      );
      const timeline = { calls: [0], messages: [0, 1], tokens: 19, trainableTokens: 8 };
      writer.episodeEnded({ result: aResult(0), timelines: [timeline] }, []);
    });
  }

  test('what hides has a box with its name, turns nothing around it, and is copied as it is', async () => {
    const context = { permissions: ['clipboard-read', 'clipboard-write'] };
    const { page } = await open(hiding(), { place: 'episode=0&timeline=0', context });
    const list = page.getByRole('listbox', { name: 'Tokens' });
    const box = list.locator('.hidden-character[data-name="RLO"]');
    await box.waitFor();
    expect(await box.evaluate((element) => getComputedStyle(element, '::before').content)).toBe('"RLO"');
    expect(await box.evaluate((element) => element.textContent)).toBe('\u202e');
    // Each token stands to the right of the one before it.
    const lefts = await list
      .locator('.token')
      .evaluateAll((tokens) => tokens.slice(10, 17).map((token) => token.getBoundingClientRect().left));
    expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
    await list.focus();
    await page.keyboard.press('Control+a');
    await page.getByText('19 tokens are selected, from 0 to 18').waitFor();
    await page.getByRole('button', { name: 'Copy text' }).click();
    await page.getByText(/Copied: \d+ characters/).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toBe(
      '<|im_start|>user\nHi there<|im_end|>\n<|im_start|>assistant\nA\u202e\0\u200b\u001b[31mשלום ok<|im_end|>\n',
    );
    await picture(page, 'tokens-hidden');
    expect(await violations(page)).toEqual([]);
  });

  test('the author of a token is told, and what the template adds', async () => {
    const { page } = await open(hiding(), { place: 'episode=0&timeline=0' });
    await page.getByLabel('Colors').selectOption('Author');
    const shades = await page
      .locator('.token')
      .evaluateAll((tokens) =>
        tokens.map((token) => /shade-(\w)/.exec(token.getAttribute('class') ?? '')?.[1]).join(''),
      );
    expect(shades).toBe('ttteett' + 'tttlllllllltt'.slice(0, -1));
    await page.locator('#token-1').hover();
    await seeTooltip(page, 'chat template, around user');
    await page.locator('#token-10').hover();
    await seeTooltip(page, /callgenerated by call 0/);
  });

  test('text, patterns and ids are found, and errors told', async () => {
    const { page, complaints } = await open(hiding(), { place: 'episode=0&timeline=0' });
    const list = page.getByRole('listbox', { name: 'Tokens' });
    await list.focus();
    await page.keyboard.press('Control+f');
    const bar = page.getByRole('search', { name: 'Find in the tokens' });
    await bar.waitFor();
    await page.keyboard.type('ASSISTANT');
    await page.keyboard.press('Enter');
    await bar.getByText('1 of 1').waitFor();
    await page.locator('#token-8.found-current.current').waitFor();
    await bar.getByLabel('Kind of search').selectOption('Regular expression');
    await bar.getByLabel('Text to find').fill('<\\|im_\\w+\\|>');
    await page.keyboard.press('Enter');
    await bar.getByText('4 of 4').waitFor();
    await page.keyboard.press('Shift+Enter');
    await bar.getByText('3 of 4').waitFor();
    await page.locator('#token-7.found-current').waitFor();
    await bar.getByLabel('Text to find').fill('(');
    await page.keyboard.press('Enter');
    await bar.getByText('is not a valid regular expression').waitFor();
    await bar.getByLabel('Kind of search').selectOption('Token id');
    await bar.getByText('A token id is a whole number.').waitFor();
    await bar.getByLabel('Text to find').fill('100');
    await page.keyboard.press('Enter');
    await bar.getByText('2 of 2').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'detached' });
    expect(await list.evaluate((element) => element === document.activeElement)).toBe(true);
    expect(complaints.splice(0).filter((text) => !text.includes('500'))).toEqual([]);
  });

  test('the layer and the place are kept across a reload, and keys lead to both', async () => {
    const { page } = await open(hiding(), { place: 'episode=0&timeline=0' });
    await page.locator('#token-0').waitFor();
    await page.keyboard.press('c');
    await expect.poll(() => page.getByLabel('Colors').inputValue()).toBe('author');
    await page.keyboard.press('g');
    await page.getByText('A number from 0 to 18').waitFor();
    await page.keyboard.type('99');
    const position = page.getByLabel('Position of the token');
    await expect.poll(() => position.getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Position of the token').fill('12');
    await page.keyboard.press('Enter');
    await page.locator('#token-12.current').waitFor();
    await page.reload();
    await page.locator('#token-12.current').waitFor();
    expect(await page.getByLabel('Colors').inputValue()).toBe('author');
  });
});

describe('of a training', () => {
  const place = { place: 'episode=0&timeline=0' };

  /** A reply of which the trainer has other log probabilities, unless it compares with the base model as well. */
  function trained(comparesWithBase: boolean): RealTrace {
    const words = new Words();
    const pieces = [
      'Twelve',
      ' spiders',
      ' have',
      ' 96',
      ' legs',
      ',',
      ' three',
      ' cats',
      ' have',
      ' 12',
      '.',
    ];
    const messages = [
      words.message('user', ['How', ' many', ' legs', '?']),
      words.message('assistant', pieces),
    ];
    const [question, reply] = messages.map(({ tokenIds }) => tokenIds.length);
    const sampler = Array.from(messages[1]?.logprobs ?? []);
    const moved = (by: readonly number[]): Float32Array =>
      Float32Array.from([
        ...Array<number>(question ?? 0).fill(NaN),
        ...sampler.map((logprob, at) => logprob + (by[at % by.length] ?? 0)),
      ]);
    const training = { step: 12, weights: 11, checkpoint: 'tinker://run/sampler_weights/step-11' };
    return new RealTrace(aRun({ repeat: 1, training }), (writer) => {
      writer.episodeStarted(anEpisode(0));
      writer.callEnded(
        aCall(0, 0),
        messages.map((message, position) => ({ position, message })),
        words.tokens,
      );
      const tokens = (question ?? 0) + (reply ?? 0);
      const timeline = { calls: [0], messages: [0, 1], tokens, trainableTokens: pieces.length + 1 };
      writer.episodeEnded({ result: aResult(0, { reward: 1 }), timelines: [timeline] }, []);
      writer.trained([
        {
          ...{ episode: 0, timeline: 0, advantage: 0.866, clip: { low: 0.8, high: 1.28 } },
          logprobs: moved([0, 0.05, 0.12, 0.3, -0.02, -0.1, -0.4]),
          baseLogprobs: comparesWithBase ? moved([0, 0.1, -0.3, 0.8, -2.5]) : null,
        },
      ]);
    });
  }

  test('the ratio and what is clipped, the KL divergence, the advantage and the step are shown', async () => {
    const { page } = await open(trained(true), place);
    await page.getByText('used by the training').waitFor();
    await page.getByLabel('Colors').selectOption('Ratio');
    await page.getByText('outside of the clip range 0.8–1.28').waitFor();
    const shades = await page
      .locator('.token')
      .evaluateAll((tokens) =>
        tokens.map((token) => /shade-(\w+-\d)/.exec(token.getAttribute('class') ?? '')?.[1] ?? '').join(' '),
      );
    const ofReply = ['', 'better-1', 'better-2', 'better-5', 'worse-1', 'worse-2', 'worse-5'];
    expect(shades.trim()).toContain(ofReply.join(' ').trim());
    const clipped = page.locator('.token.clipped');
    expect(await clipped.count()).toBe(4);
    await page.locator('.map-better-5').waitFor();
    await clipped.first().hover();
    for (const part of [/trainer\s*−\d\.\d{3}/, /ratio\s*1\.350, outside of the clip range/, /KL\s*\d/])
      await seeTooltip(page, part);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await picture(page, `tokens-ratio-${colorScheme}`);
      expect(await violations(page)).toEqual([]);
    }
    await page.getByLabel('Colors').selectOption('KL divergence');
    await page.locator('.map-heat-5').waitFor();
    await page.getByLabel('Colors').selectOption('Advantage');
    await page.locator('.legend').getByText('0.866').waitFor();
    await page.goto(page.url().replace(/&episode.*/, ''));
    await page.getByText('step 12, answered by the weights after step 11').waitFor();
    await picture(page, 'run-of-training');
  });

  test('a layer without values says why', async () => {
    const { page } = await open(trained(false), place);
    await page.getByLabel('Colors').selectOption('KL divergence');
    await page.getByText('Training did not compare with the base model.').waitFor();
    const untrained = await open(smallRun(), timeline);
    await untrained.page.getByLabel('Colors').selectOption('Ratio');
    await untrained.page.getByText('No training used this timeline.').waitFor();
  });
});

describe('a million tokens of a real trace', () => {
  const million = 1_000_000;

  /** A reply of a million tokens: words, with one that is there once. */
  function huge(): RealTrace {
    const words = new Words();
    const ids = ['One', ' and', ' two', '\n'].map((text) => words.id(text));
    const needle = words.id(' needle');
    const tokenIds = Int32Array.from({ length: million }, (_, at) =>
      at === 765_432 ? needle : (ids[at % 4] ?? 0),
    );
    const question = words.message('user', ['Count']);
    const reply = {
      ...words.message('assistant', []),
      tokenIds,
      lossMask: new Uint8Array(million).fill(1),
      logprobs: Float32Array.from(tokenIds, (_, at) => -(at % 5)),
    };
    return new RealTrace(aRun({ repeat: 1 }), (writer) => {
      writer.episodeStarted(anEpisode(0));
      writer.callEnded(
        aCall(0, 0),
        [question, reply].map((message, position) => ({ position, message })),
        words.tokens,
      );
      const timeline = { calls: [0], messages: [0, 1], tokens: million + 6, trainableTokens: million };
      writer.episodeEnded({ result: aResult(0), timelines: [timeline] }, []);
    });
  }

  test('is searched, gone through by the map, and chosen, a window at a time', async () => {
    const { page, trace } = await open(huge(), { place: 'episode=0&timeline=0' });
    const list = page.getByRole('listbox', { name: 'Tokens' });
    await page.locator('#token-0').waitFor();
    const map = page.getByRole('slider', { name: 'Position in the timeline' });
    await map.focus();
    await page.keyboard.press('PageUp');
    await page.waitForFunction(() => {
      const first = document.querySelector('.timeline-map')?.getAttribute('aria-valuenow');
      return Number(first) > 90_000 && Number(first) < 110_000;
    });
    await list.focus();
    await page.keyboard.press('f');
    await page.getByLabel('Text to find').waitFor();
    await page.keyboard.type('needle');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1').waitFor();
    await page.locator('#token-765438.found-current').waitFor();
    expect(await nodesOf(page)).toBeLessThan(6_000);
    expect(trace.count('find')).toBeGreaterThan(5);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+End');
    await page.getByText('234,568 tokens are selected, from 765,438 to 1,000,005').waitFor();
    await page.locator('#token-1000005').waitFor();
    expect(await nodesOf(page)).toBeLessThan(6_000);
    await page.getByLabel('Colors').selectOption('Log probability');
    await page.locator('.map-heat-4').waitFor();
    await picture(page, 'tokens-million');
  });
});
