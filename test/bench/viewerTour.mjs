/** One way through the viewer, and what it costs. */
/* global document, MutationObserver, requestAnimationFrame, window -- of the page */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { URLSearchParams } from 'node:url';
import { chromium } from 'playwright-core';
import { root } from '../tools/commands.mjs';
import { ensureBrowser } from '../tools/vscodeServer.mjs';
import { scriptAndLayout } from './viewerFrames.mjs';
import { quantile } from './measure.mjs';

const wheels = 120;

export async function startTour() {
  const browser = await chromium.launch({
    executablePath: await ensureBrowser(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--js-flags=--expose-gc',
    ],
  });
  const servers = [];
  const serve = async (file) => {
    const server = await serveTrace(file);
    servers.push(server);
    return server;
  };
  return {
    take: async (file) => {
      const server = await serve(file);
      try {
        return await takeTour(browser, server);
      } finally {
        server.end();
      }
    },
    filters: async (file) => filtersOf(await serve(file)),
    end: async () => {
      for (const server of servers) server.end();
      await browser.close();
    },
  };
}

/** The reader's own process, as the command line starts it. */
async function serveTrace(file) {
  const script = path.join(root, 'dist/traceServer.mjs');
  const child = spawn(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    script,
    '--http',
    '--trace',
    file,
  ]);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url } = JSON.parse(line);
  return { url, file, pid: child.pid, end: () => child.stdin.end() };
}

async function takeTour(browser, server) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  try {
    const page = await context.newPage();
    const paint = await firstPaint(page, server.url);
    const session = await context.newCDPSession(page);
    const tokens = await framesOf(session, page, () => scrollTokens(page, server.url));
    const axis = await framesOf(session, page, () => panAxis(page, server.url));
    await page.goto(`${server.url}&`);
    await page.getByRole('row').nth(2).waitFor();
    return { paint, tokens, axis, reader: await memoryOf(server.pid), page: await heapOf(session) };
  } finally {
    await context.close();
  }
}

/** Milliseconds until rows of the run's table have been drawn. */
async function firstPaint(page, url) {
  await page.addInitScript(() => {
    const looking = new MutationObserver(() => {
      // The first row is the table's head.
      if (document.querySelectorAll('[role=row]').length < 3) return;
      looking.disconnect();
      requestAnimationFrame(() => setTimeout(() => Reflect.set(window, 'painted', performance.now())));
    });
    looking.observe(document, { childList: true, subtree: true });
  });
  await page.goto(url);
  const painted = await page.waitForFunction(() => Reflect.get(window, 'painted'));
  return painted.jsonValue();
}

async function scrollTokens(page, url) {
  await page.goto(`${url}&episode=0&timeline=0`);
  const list = page.getByRole('listbox', { name: 'Tokens' });
  await list.waitFor();
  await page.locator('.token').first().waitFor();
  await list.hover();
  return () => page.mouse.wheel(0, 600);
}

async function panAxis(page, url) {
  await page.goto(`${url}&episode=0`);
  await page.getByRole('button', { name: 'Time axis' }).click();
  const axis = page.locator('canvas').first();
  await axis.waitFor();
  const box = await axis.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.keyboard.down('Control');
  for (let step = 0; step < 8; step++) await page.mouse.wheel(0, -100);
  await page.keyboard.up('Control');
  let step = 0;
  return () => page.mouse.wheel(step++ % 40 < 20 ? 60 : -60, 0);
}

/** Milliseconds of script and layout per frame, 95th percentile. */
async function framesOf(session, page, begin) {
  const act = await begin();
  const events = [];
  const collect = ({ value }) => events.push(...value);
  session.on('Tracing.dataCollected', collect);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: {
      includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel'],
    },
  });
  for (let step = 0; step < wheels; step++) {
    await act();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => done())));
  }
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  session.off('Tracing.dataCollected', collect);
  return quantile(scriptAndLayout(events), 0.95);
}

async function memoryOf(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_000;
}

async function heapOf(session) {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
}

/** Asks for the first window of filters and orders over all episodes: by rows, by calls and by what the report says. */
function filtersOf({ url, file }) {
  const { origin, hash } = new URL(url);
  const headers = { authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get('token')}` };
  const ask = async ([filter, by]) => {
    const request = {
      method: 'episodes',
      trace: path.basename(file),
      ...{ from: 0, limit: 50, filter, sort: { by, descending: true } },
    };
    const body = JSON.stringify({ id: 1, request });
    const response = await fetch(`${origin}/rpc`, { method: 'POST', headers, body });
    const { result, error } = await response.json();
    if (error !== undefined || result.rows.length === 0)
      throw new Error(`The filter found nothing: ${error?.message}`);
  };
  return async () => {
    const start = performance.now();
    for (const filter of filters) await ask(filter);
    return performance.now() - start;
  };
}

const filters = [
  [{ kind: 'number', field: 'reward', is: '<', value: 0.5 }, 'reward'],
  [{ kind: 'words', value: 'times' }, 'time'],
  [{ kind: 'choice', field: 'trains', value: 'no' }, 'advantage'],
  [{ kind: 'text', field: 'tool', value: 'tool_3' }, 'tokens'],
  [{ kind: 'text', field: 'agent', value: 'helper-1' }, 'calls'],
  [{ kind: 'number', field: 'failures', is: '>', value: 0 }, 'task'],
];
