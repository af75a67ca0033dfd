/** The messages of a call as they are read: Markdown and text, tools, long ones, and what is found in them. */
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { violations } from '../harness/accessibility.ts';
import { longText, richConversation, richText, seenConversation } from '../harness/conversations.ts';
import { forkedEpisode } from '../harness/merging.ts';
import { smallRun } from '../harness/samples.ts';
import { picture, useViewer } from '../harness/viewer.ts';

const open = useViewer();
const place = 'episode=0&call=0';

const card = (page: Page, index: number) => page.locator(`[data-message="${index}"]`);

describe('a message in Markdown', () => {
  test('is drawn as such, its HTML as text', async () => {
    const { page } = await open(richConversation(), { place });
    const shown = card(page, 1);
    await shown.getByText('Legs of animals').waitFor();
    expect(await shown.locator('strong').innerText()).toBe('eight');
    expect(await shown.locator('td').allInnerTexts()).toEqual(['spider', '8']);
    expect(await shown.locator('.code-block pre').innerText()).toBe('print("<b>12 * 8</b>")\n');
    await shown.getByText('<script>window.ran = true</script>').waitFor();
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(await shown.locator('img').count()).toBe(0);
  });

  test('links lead to the web, in a tab that knows nothing of this one; other addresses are text', async () => {
    const { page } = await open(richConversation(), { place });
    const links = card(page, 1).locator('a');
    await links.first().waitFor();
    const told = await links.evaluateAll((all) =>
      all.map((link) => [
        link.textContent,
        link.getAttribute('href'),
        link.getAttribute('target'),
        link.getAttribute('rel'),
      ]),
    );
    const tab = ['_blank', 'noopener noreferrer'];
    expect(told).toEqual([
      ['the list', 'https://example.org/legs?a=1', ...tab],
      ['image: a chart', 'https://example.org/chart.png', ...tab],
    ]);
    await card(page, 1).getByText('(mailto:ada@example.org)').waitFor();
  });

  test('is its text at a press of a button, all of them at a press of a key', async () => {
    const { page } = await open(richConversation(), { place });
    const shown = card(page, 1);
    await shown.getByRole('button', { name: 'As text' }).click();
    expect(await shown.locator('.text-block').innerText()).toBe(richText);
    await card(page, 0).focus();
    await page.keyboard.press('t');
    expect(await card(page, 0).locator('.text-block').innerText()).toBe('You solve *math* problems.');
    await page.keyboard.press('t');
    await card(page, 0).locator('em').waitFor();
  });

  test('folds its reasoning, also where that has no end', async () => {
    const { page } = await open(richConversation(), { place });
    const reasoning = card(page, 2).locator('.reasoning');
    await reasoning.getByText('Reasoning, 20 characters').waitFor();
    expect(await reasoning.getByText('A spider has 8 legs.').isVisible()).toBe(false);
    await reasoning.locator('summary').click();
    expect(await reasoning.getByText('A spider has 8 legs.').isVisible()).toBe(true);
    await card(page, 5).getByText('Unfinished reasoning').waitFor();
  });
});

describe('tool calls', () => {
  test('have readable arguments, as exact as they were sent, or say that they are no JSON', async () => {
    const { page } = await open(richConversation(), { place });
    const calls = card(page, 2).locator('.tool-call');
    await calls.first().waitFor();
    expect(await calls.nth(0).locator('pre').innerText()).toBe('{\n  "a": 12,\n  "b": 8,\n  "exact": 1.0\n}');
    expect(await calls.nth(1).locator('pre').innerText()).toBe('{"a":3, "b":');
    await calls.nth(1).getByText('arguments are not valid JSON').waitFor();
  });

  test('are tied to their answers, there and back', async () => {
    const { page } = await open(richConversation(), { place });
    const second = card(page, 2).locator('.tool-answer').nth(1);
    await second.getByText('12', { exact: true }).waitFor();
    await second.getByRole('button', { name: 'Answered by message 3' }).click();
    const focused = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset['message']);
    await expect.poll(focused).toBe('3');
    // A number is what was sent, not what a number of JavaScript can hold.
    await card(page, 3).getByText('"id": 12345678901234567890').waitFor();
    await card(page, 3).getByRole('button', { name: 'answers multiply of message 2' }).first().click();
    await expect.poll(focused).toBe('2');
  });
});

describe('a long message', () => {
  test('is read part by part, and the page holds no more than one', async () => {
    const { page, trace } = await open(richConversation(), { place });
    const shown = card(page, 4);
    await shown.getByRole('button', { name: /Read all \d{3},\d{3} characters/ }).click();
    await shown.getByText(`Characters 1 to 65,536 of`).waitFor();
    await shown.getByRole('button', { name: 'Last' }).click();
    await shown.getByText('line 29999 of the log').waitFor();
    expect((await shown.locator('.text-block').innerText()).length).toBeLessThanOrEqual(65_537);
    expect(trace.count('text')).toBe(2);
  });

  test('is searched where nothing of it is drawn', async () => {
    const { page } = await open(richConversation(), { place });
    await card(page, 0).focus();
    await page.keyboard.press('/');
    await page.keyboard.type('LINE 29998 of');
    await page.getByText('1 found').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1').waitFor();
    const mark = card(page, 4).locator('mark');
    await expect.poll(() => mark.innerText()).toBe('line 29998 of');
    await expect
      .poll(() =>
        mark.evaluate(
          (node) =>
            node.getBoundingClientRect().top > 0 && node.getBoundingClientRect().bottom < window.innerHeight,
        ),
      )
      .toBe(true);
    await page.getByRole('button', { name: 'Match case' }).click();
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    expect(longText).toContain('line 29998 of');
  });

  test('finds in tool calls and goes round', async () => {
    const { page } = await open(richConversation(), { place });
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByRole('textbox', { name: 'Find in all messages' }).fill('multiply');
    await page.getByText('2 found').waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.getByText('2 of 2').waitFor();
    await card(page, 2).locator('mark').waitFor();
    await page.getByRole('button', { name: 'Next match' }).click();
    await page.getByText('1 of 2').waitFor();
  });
});

describe('what training leaves out', () => {
  test('is shown as it was sent: pixels as thumbnails, nothing else of data', async () => {
    const { page, trace } = await open(seenConversation(), { place });
    const left = page.getByRole('article', { name: 'Message that training excludes, user' });
    await left.getByText('excluded from training').waitFor();
    expect(await left.locator('strong').innerText()).toBe('this');
    const image = left.getByRole('img');
    await left.getByText('image cannot be shown').waitFor();
    expect(
      await image.evaluateAll((all) => all.map((one) => (one as HTMLImageElement).naturalWidth)),
    ).toEqual([1]);
    await left.getByText('image/svg+xml').waitFor();
    expect(await left.getByRole('link').getAttribute('href')).toBe('https://example.org/cat.png');
    expect(await page.locator('body').innerText()).not.toMatch(/[A-Za-z0-9+/]{40}/);
    // An SVG is never asked for.
    expect(trace.count('binary')).toBe(2);
    await left.getByRole('button', { name: 'Image' }).click();
    await left.locator('.thumbnail-large').waitFor();
    expect(await violations(page)).toEqual([]);
    await picture(page, 'messages-left-out');
  });
});

test.each(['light', 'dark'] as const)('looks as it should in %s', async (colorScheme) => {
  const { page } = await open(richConversation(), { place, context: { colorScheme } });
  await card(page, 1).locator('table').waitFor();
  await card(page, 2).locator('summary').click();
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  expect(await violations(page)).toEqual([]);
  await card(page, 1).scrollIntoViewIfNeeded();
  await picture(page, `messages-${colorScheme}`);
  await card(page, 2).scrollIntoViewIfNeeded();
  await picture(page, `messages-tools-${colorScheme}`);
});

describe('a timeline as a conversation', () => {
  const messages = (page: Page) => page.getByRole('region', { name: 'Timeline 0' }).locator('.message');

  test('tells who wrote each message and what of it trains, and leads to its tokens and back', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1&timeline=0' });
    await page.locator('.token').first().waitFor();
    await page.getByRole('button', { name: 'Messages', exact: true }).click();
    await page.getByText('5 messages, 2 with trained tokens').waitFor();
    expect(await messages(page).locator('.author').allInnerTexts()).toEqual([
      'by env',
      'by env',
      'by llm',
      'by env',
      'by llm',
    ]);
    expect(await messages(page).locator('.message-tokens', { hasText: 'trained' }).count()).toBe(2);
    await page.getByRole('button', { name: 'Tokens of message 4' }).click();
    const token = page.locator('.tokens .token.current');
    await token.waitFor();
    await page.getByRole('listbox', { name: 'Tokens' }).focus();
    await page.keyboard.press('m');
    await page.locator('[data-message="4"]:focus').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('m');
    await token.waitFor();
    await page.locator('.token-heading', { hasText: 'by env' }).first().click();
    await page.locator('[data-message]:focus').waitFor();
  });

  test('does not take the focus in a page that does not have it', async () => {
    const { page } = await open(forkedEpisode(), { place: 'episode=0&timeline=0&message=4' });
    await page.locator('[data-message="4"]:focus').waitFor();
    await page.keyboard.press('m');
    await page.locator('.tokens .token.current').waitFor();
    await page.getByRole('listbox', { name: 'Tokens' }).focus();
    await page.evaluate(() => void (document.hasFocus = () => false));
    await page.keyboard.press('m');
    await page.locator('[data-message="4"]').waitFor();
    expect(await page.evaluate(() => document.activeElement?.localName)).toBe('body');
  });

  test('is found in, and accessible', async () => {
    const { page } = await open(forkedEpisode(), { place: 'episode=0&timeline=0&message=' });
    await messages(page).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('/');
    await page.getByRole('textbox', { name: 'Find in all messages' }).fill('96');
    await page.getByText(/\d found/).waitFor();
  });

  test('has its keys in the list of keys', async () => {
    const { page } = await open(smallRun(), { place: 'episode=1&timeline=0&message=' });
    await messages(page).first().waitFor();
    await page.keyboard.press('?');
    const listed = page.getByRole('dialog').locator('dl > div');
    await listed.filter({ hasText: 'Tokens of the message' }).filter({ hasText: 'm' }).waitFor();
    await listed.filter({ hasText: 'Find in all messages' }).filter({ hasText: '/' }).waitFor();
    await listed.filter({ hasText: 'All messages as text' }).filter({ hasText: 't' }).waitFor();
  });
});
