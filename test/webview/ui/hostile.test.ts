/**
 * A trace whose every field tries to get out, in a browser, through the door that people use: nothing of it runs,
 * nothing is loaded, and nothing leaves its place.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/base/node/clock.ts';
import { serveOverHttp, type TraceHttpServer } from '../../../src/traces/node/server/httpServer.ts';
import { TraceService } from '../../../src/traces/node/server/service.ts';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import { root } from '../../e2e/harness/artifacts.ts';
import { isDeep } from '../../tools/deep.ts';
import { ensureBrowser } from '../../tools/vscodeServer.mjs';
import { escapes } from '../harness/escapes.ts';
import { hostileTexts } from '../harness/hostileTexts.ts';
import { openHostile, type HostilePage } from '../harness/hostilePage.ts';
import { cases, comparedEpisodes, hostileRun, mergedEpisode, writeHostile } from '../harness/hostileTrace.ts';
import { picture } from '../harness/viewer.ts';

let browser: Browser;
let door: TraceHttpServer;
let service: TraceService;
let hostile: HostilePage;
let page: Page;
const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-hostile-'));

beforeAll(async () => {
  const writer = openTraceWriter(path.join(folder, '<img src=x onerror=alert(1)>.ajtrace'), hostileRun);
  writeHostile(writer);
  const end = { code: '<b>code</b>', message: '<script>alert(1)</script>', hint: '\u202Ehint' };
  writer.runEnded({ status: 'failed', error: end, endedAt: hostileRun.startedAt + 1e6 });
  service = new TraceService({ open: openTraceReader, stampOf: () => '' }, systemClock);
  door = await serveOverHttp(service, {
    trace: writer.file,
    port: 0,
    webFolder: path.join(root, 'dist/webview'),
    textsFolder: path.join(root, 'media/l10n'),
  });
  browser = await chromium.launch({
    executablePath: await ensureBrowser(),
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
  const { origin } = new URL(door.url);
  const own = ['/', '/trace.js', '/trace.css', '/rpc', '/events'].map((place) => `${origin}${place}`);
  hostile = await openHostile(browser, (address) => own.includes(address));
  ({ page } = hostile);
});
afterAll(async () => {
  await browser.close();
  door.dispose();
  service.dispose();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => expect(hostile.events.splice(0)).toEqual([]));

/** Goes to a place without a new page, as a link of the viewer's own does. */
async function goTo(place: string): Promise<void> {
  await page.goto(`${door.url}&${place}`);
}

const check = (what: string): Promise<void> => hostile.check(what);
const wheelThrough = (selector: string, what: string): Promise<void> => hostile.wheelThrough(selector, what);

test('the cases are many', () => {
  expect(cases).toBeGreaterThanOrEqual(300);
});

test('what must not be there is found where it is', async () => {
  await goTo('');
  await page.getByRole('grid').first().waitFor();
  await page.evaluate(() => {
    document.body.insertAdjacentHTML(
      'beforeend',
      '<img src="http://hostile.invalid/x" onerror="globalThis.hostile=1"><a href="javascript:1">x</a>' +
        '<div>a<u>\u202Eb</u></div><button><s>out</s></button>',
    );
    const out = document.querySelector('s');
    // Styles in attributes are refused, too.
    if (out) Object.assign(out.style, { position: 'relative', left: '90px' });
  });
  const found = (await escapes(page)).join('\n');
  for (const what of [
    'has onerror',
    'has src',
    'has href',
    'reaches its neighbours',
    'reaches beyond button',
  ]) {
    expect(found).toContain(what);
  }
  await expect.poll(() => hostile.events.join('\n')).toContain('policy: img-src');
  expect(hostile.events.splice(0).join('\n')).toContain('policy: script-src');
  await page.reload();
});

test('the run and its list', async () => {
  await goTo('');
  await page.getByRole('grid').first().waitFor();
  await check('the run');
  await picture(page, 'hostile-run');
  await wheelThrough('[role=grid]', 'the list of episodes');
});

test('a filter out of the address', async () => {
  await goTo(`filter=${encodeURIComponent('<img src=x onerror="globalThis.hostile=[0]">')}`);
  await page.reload();
  await page.locator('main').first().waitFor();
  await check('a filter');
});

test('an episode, its calls and its parts', async () => {
  await goTo('episode=0');
  await page.getByRole('listbox').first().waitFor();
  await check('an episode');
  await picture(page, 'hostile-episode');
  await wheelThrough('[role=listbox]', 'the parts');
});

test('episodes that failed', async () => {
  for (let episode = 3; episode < cases; episode += isDeep ? 16 : 48) {
    await goTo(`episode=${episode}`);
    await page.locator('.notice-error').first().waitFor();
    await check(`episode ${episode}`);
  }
});

test('a conversation of all of them', async () => {
  await goTo('episode=0&call=0');
  await page.getByRole('article').first().waitFor();
  for (let pageOfMessages = 0; pageOfMessages < cases / 50; pageOfMessages++) {
    await check(`messages, page ${pageOfMessages}`);
    const earlier = page.getByRole('button', { name: /^Show \d+ earlier messages/ });
    if (await earlier.isDisabled()) break;
    await earlier.click();
  }
  await picture(page, 'hostile-messages');
  for (const details of await page.locator('summary').all()) {
    if (await details.isVisible()) await details.click();
  }
  await check('what unfolds');
});

test('calls whose options, tools and tool calls are no JSON', async () => {
  for (const call of [1, 2, 3, 5, 9, 15, 19]) {
    await goTo(`episode=0&call=${call}`);
    await page.getByRole('article').first().waitFor();
    for (const details of await page.locator('summary').all()) {
      if (await details.isVisible()) await details.click();
    }
    await check(`call ${call}`);
  }
});

test('tokens', async () => {
  await goTo('episode=0&timeline=0');
  const tokens = page.getByRole('listbox', { name: 'Tokens' });
  await tokens.waitFor();
  await tokens.focus();
  for (let token = 0; token < 90; token++) {
    if (token % (isDeep ? 6 : 18) === 0) await check(`token ${token}`);
    await page.keyboard.press('ArrowRight');
  }
  await picture(page, 'hostile-tokens');
  await wheelThrough('[aria-label=Tokens]', 'the tokens');
});

test('a message of 50 MB is shown in part, and soon', async () => {
  await goTo('episode=1&call=0');
  await page.getByRole('article').first().waitFor();
  await check('a huge message');
  expect(await page.evaluate(() => document.body.textContent.length)).toBeLessThan(3_000_000);
});

test('groups', async () => {
  for (const group of [0, 1, 2, 3, 8, 21, 34, 55, 89, 144]) {
    await goTo(`group=${group}`);
    await page.getByRole('grid').first().waitFor();
    await check(`group ${group}`);
  }
  await picture(page, 'hostile-group');
  await goTo('list=groups');
  await page.getByRole('grid').first().waitFor();
  await wheelThrough('[role=grid]', 'the list of groups');
});

test('two episodes beside each other, and the parts of their rewards', async () => {
  await goTo(`episode=${comparedEpisodes[0]}&compare=${comparedEpisodes[1]}`);
  await page.locator('.compare-row').first().waitFor();
  for (const details of await page.locator('summary').all()) {
    if (await details.isVisible()) await details.click();
  }
  await check('a comparison');
  await picture(page, 'hostile-compare');
  for (let difference = 0; difference < 12; difference++) {
    await page.keyboard.press('n');
    await check(`difference ${difference}`);
  }
});

test('a message of 50 MB beside another', async () => {
  await goTo('episode=0&compare=1');
  await page.locator('.compare-row').first().waitFor();
  await check('a huge comparison');
  expect(await page.evaluate(() => document.body.textContent.length)).toBeLessThan(3_000_000);
});

test('how calls became timelines', async () => {
  await goTo(`episode=${mergedEpisode}&merging=`);
  const merging = page.getByRole('region', { name: 'Merging' });
  await merging.locator('.merge-branch').first().waitFor();
  for (const choice of await merging.getByRole('radio').all()) {
    await choice.click();
    await merging.locator('.merge-branch').first().waitFor();
    for (const details of await merging.locator('details:not([open]) > summary').all()) {
      if (await details.isVisible()) await details.click();
    }
    await check('the merge explainer');
  }
  await picture(page, 'hostile-merging');
});

test('what an episode did on the axis of time', async () => {
  await goTo('episode=0');
  await page.getByRole('button', { name: 'Time axis' }).click();
  const axis = page.getByRole('listbox', { name: 'The activities of the episode' });
  await axis.waitFor();
  await axis.focus();
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press('ArrowRight');
    if (step % (isDeep ? 5 : 15) === 0) await check(`on the axis, step ${step}`);
  }
  await picture(page, 'hostile-axis');
});

test('where calls and rewards come from', async () => {
  for (const call of [1, 2, 7, 30]) {
    await goTo(`episode=0&call=${call}`);
    await page.getByRole('article').first().waitFor();
    await page.keyboard.press('s');
    await check(`the source of call ${call}`);
  }
});

test('filters, typed and out of the address', async () => {
  for (let id = 0; id < cases; id += isDeep ? 7 : 49) {
    await goTo(`filter=${encodeURIComponent(hostileTexts[id] ?? '')}`);
    await page.locator('main').first().waitFor();
    await check(`filter ${id} of the address`);
  }
  await goTo('');
  const field = page.getByRole('combobox').or(page.getByRole('searchbox')).first();
  await field.waitFor();
  for (const text of [
    '"<img src=x onerror=alert(1)>',
    'task:"\u202Ex"',
    '\u0000',
    'javascript:alert(1)',
    '{{1}} or (',
  ]) {
    await field.fill(text);
    await check(`the filter ${JSON.stringify(text)}`);
  }
  await page.reload();
  await page.locator('main').first().waitFor();
  await check('the filter that was kept');
});
