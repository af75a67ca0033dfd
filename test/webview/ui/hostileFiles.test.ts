/** Files that leave the trace: what other tools wrote, in the viewer, and the page that a trace is exported to, by itself. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { systemClock } from '../../../src/base/node/clock.ts';
import { exportTrace } from '../../../src/traces/node/export/exportFile.ts';
import { traceOf } from '../../../src/traces/node/import/importTrace.ts';
import { serveOverHttp } from '../../../src/traces/node/server/httpServer.ts';
import { TraceService } from '../../../src/traces/node/server/service.ts';
import { openTraceReader } from '../../../src/traces/node/store/openReader.ts';
import { openTraceWriter } from '../../../src/traces/node/store/openWriter.ts';
import { root } from '../../e2e/harness/artifacts.ts';
import { casesOf } from '../../tools/deep.ts';
import { ensureBrowser } from '../../tools/vscodeServer.mjs';
import { violations } from '../harness/accessibility.ts';
import { writeHostileImports, type ImportFormat } from '../harness/hostileImports.ts';
import { openHostile, type HostilePage } from '../harness/hostilePage.ts';
import { hostileRun, mergedEpisode, writeHostile } from '../harness/hostileTrace.ts';
import { picture } from '../harness/viewer.ts';

/** A database and a file of lines. What is read of the others goes the same way from there. */
const importFormats = casesOf<ImportFormat>(
  ['trinity-db', 'openai-log'],
  ['trinity-lines', 'ajet-trajectory', 'beast-log', 'verifiers', 'otlp'],
);

let browser: Browser;
let hostile: HostilePage;
/** The addresses that the page may ask for. */
let own: readonly string[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'agentjet-hostile-files-'));
let imports: ReadonlyMap<ImportFormat, string>;

beforeAll(async () => {
  imports = writeHostileImports(folder);
  browser = await chromium.launch({
    executablePath: await ensureBrowser(),
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
  hostile = await openHostile(browser, (address) => own.includes(address));
});
afterEach(async () => {
  await hostile.page.mouse.move(-1, -1);
  await hostile.page.goto('about:blank');
  hostile.events.length = 0;
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

function importOf(format: ImportFormat): Promise<string> {
  const options = { cacheFolder: path.join(folder, 'cache'), cancellation: neverCancelled };
  return traceOf(imports.get(format) ?? '', options);
}

/** The viewer of a trace, at a place. */
async function viewerOf(trace: string): Promise<{ goTo: (place: string) => Promise<void> }> {
  const service = new TraceService({ open: openTraceReader, stampOf: () => '' }, systemClock);
  const folders = { webFolder: path.join(root, 'dist/webview'), textsFolder: path.join(root, 'media/l10n') };
  const door = await serveOverHttp(service, { trace, port: 0, ...folders });
  const { origin } = new URL(door.url);
  own = ['/', '/trace.js', '/trace.css', '/rpc', '/events'].map((place) => `${origin}${place}`);
  onTestFinished(() => {
    door.dispose();
    service.dispose();
  });
  const goTo = async (place: string): Promise<void> => {
    await hostile.page.goto(`${door.url}&${place}`);
  };
  return { goTo };
}

describe('what another tool recorded', () => {
  test.each(importFormats)('as %s is text, on every level', async (format) => {
    const { goTo } = await viewerOf(await importOf(format));
    const { page } = hostile;
    await goTo('');
    await page.getByRole('grid').first().waitFor();
    await hostile.check('the run');
    await hostile.wheelThrough('[role=grid]', 'its episodes', 20);
    await goTo('episode=0');
    await page.getByRole('listbox').first().waitFor();
    await hostile.check('an episode');
    await goTo('episode=1');
    await page.locator('main h1, main .notice-error').first().waitFor();
    await hostile.check('another');
    await goTo('episode=0&timeline=0');
    await page.locator('main h1').first().waitFor();
    await hostile.check('a timeline');
    await goTo('episode=0&call=0');
    await page.locator('main h1').first().waitFor();
    await hostile.check('a call');
    for (const details of await page.locator('summary').all()) {
      if (await details.isVisible()) await details.click();
    }
    await hostile.check('what unfolds of it');
    await picture(page, `hostile-import-${format}`);
    expect(hostile.events).toEqual([]);
  });

  test('runs nothing of a pickle, and is told of it', async () => {
    const reader = openTraceReader(await importOf('trinity-db'));
    onTestFinished(() => reader.close());
    const { imported } = reader.read((views) => views.run());
    expect(imported?.skips.map(({ why }) => why)).toContain('its experience cannot be read: it is os.system');
    expect(existsSync('/tmp/agentjet-unpickled')).toBe(false);
  });
});

describe('an exported page', () => {
  /** Opened from its file, as whoever gets it by mail does. */
  async function pageOf(trace: string, filter?: Parameters<typeof exportTrace>[2]['filter']): Promise<void> {
    const file = path.join(folder, `${path.basename(path.dirname(trace))}.html`);
    const redaction = { texts: false, patterns: [] };
    await exportTrace(trace, file, { format: 'html', redaction, cancellation: neverCancelled, filter });
    const { href } = pathToFileURL(file);
    own = [href];
    await hostile.page.goto(href);
  }

  async function unfold(episode: number): Promise<void> {
    await hostile.page.evaluate((number) => {
      const own = document.getElementById(`episode-${number}`)?.parentElement;
      for (const details of document.querySelectorAll('details')) {
        details.open = details === own || own?.contains(details) === true;
      }
      own?.scrollIntoView();
    }, episode);
  }

  test('of all cases in every field runs nothing, loads nothing, and keeps each in its place', async () => {
    const writer = openTraceWriter(path.join(folder, 'hostile.ajtrace'), hostileRun);
    writeHostile(writer);
    writer.runEnded({ status: 'failed', error: null, endedAt: hostileRun.startedAt + 1e6 });
    await pageOf(writer.file);
    await hostile.check('the page');
    await picture(hostile.page, 'hostile-html');
    for (const episode of casesOf([0, mergedEpisode], [1, 3])) {
      await unfold(episode);
      await hostile.check(`episode ${episode}`);
    }
    await unfold(0);
    await picture(hostile.page, 'hostile-html-episode');
    expect(hostile.events).toEqual([]);
  }, 300_000);

  test('shows what hides, and a message of 50 MB in part', () => {
    const file = path.join(folder, `${path.basename(folder)}.html`);
    const text = readFileSync(file, 'utf8');
    expect(text.length).toBeLessThan(60_000_000);
    for (const code of ['0000', '001b', '202e', '2066', '009b']) expect(text).toContain(`<i>\\u${code}</i>`);
    expect(text).not.toMatch(/(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    expect(text).toContain('more characters are in the trace.');
  });

  test.each(importFormats)('of %s does neither', async (format) => {
    await pageOf(await importOf(format));
    await hostile.check('the page');
    for (const episode of [0, 1]) {
      await unfold(episode);
      await hostile.check(`episode ${episode}`);
    }
    expect(hostile.events).toEqual([]);
  });

  test('is accessible, and leads from its table to an episode by a link', async () => {
    const fixture = path.join(root, 'test/fixtures/imports/traces.jsonl');
    const options = { cacheFolder: path.join(folder, 'cache'), cancellation: neverCancelled };
    await pageOf(await traceOf(fixture, options));
    const { page } = hostile;
    onTestFinished(() => page.emulateMedia({ colorScheme: null }));
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await unfold(0);
      expect(await violations(page)).toEqual([]);
      await picture(page, `html-${colorScheme}`);
    }
    await page.reload();
    await page.getByRole('link', { name: '1', exact: true }).click();
    await page.locator('#episode-1').getByRole('heading', { name: 'Timeline 0' }).waitFor();
    expect(hostile.events).toEqual([]);
  });
});
