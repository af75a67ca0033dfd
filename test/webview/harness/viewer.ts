/** The built page in a real browser. A violation of its policy, an error on its console or in its script fails the test. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { screenshotFile } from '../../e2e/harness/artifacts.ts';
import { ensureBrowser, scriptsOfTests } from '../../tools/vscodeServer.mjs';
import { ScriptedTrace, type ScriptedRun } from './scriptedTrace.ts';
import { replyTo, startViewerServer, type ViewerServer } from './server.ts';

export interface OpenViewer {
  readonly page: Page;
  readonly trace: ScriptedTrace;
  readonly server: ViewerServer;
  /** What the page complained of so far. A test that provokes something empties it. */
  readonly complaints: string[];
}

export interface OpenOptions {
  /** Added to the fragment, e.g. `episode=3`. */
  readonly place?: string;
  readonly context?: BrowserContextOptions;
  /** As the page of a webview: the editor's function is there, with this state kept. */
  readonly editorState?: unknown;
  /** Done to the trace before the page opens. */
  readonly prepare?: (trace: ScriptedTrace) => void;
}

/** Starts one browser for a file's tests; the returned function opens a viewer that is closed after the test. */
export function useViewer(): (
  run: ScriptedRun | ScriptedTrace,
  options?: OpenOptions,
) => Promise<OpenViewer> {
  const pages = usePages();
  return async (run, options = {}) => {
    const trace = run instanceof ScriptedTrace ? run : new ScriptedTrace(run);
    options.prepare?.(trace);
    const server = await startViewerServer(trace);
    pages.closeAfterTest(server);
    // What acts as the editor stays with its page.
    const isEditor = 'editorState' in options;
    const { page, complaints } = await pages.take(options.context, { once: isEditor });
    if (isEditor) {
      await actAsEditor(page, trace, options.editorState);
      await page.goto(server.editorAddress);
    } else {
      const place = options.place === undefined ? '' : `&${options.place}`;
      await page.goto(`${server.address}${place}`);
    }
    return { page, trace, server, complaints };
  };
}

interface TakenPage {
  readonly page: Page;
  readonly complaints: string[];
  /** Nothing was done to it yet. */
  readonly isNew: boolean;
}

interface Pages {
  /** A page of these options until the test ends; `once`: never to be given to another test. */
  take(options?: BrowserContextOptions, how?: { readonly once: boolean }): Promise<TakenPage>;
  closeAfterTest(server: { close(): Promise<void> }): void;
}

/**
 * One browser for a file's tests. A page that complained of nothing is emptied and given to the next test that wants
 * the same, as a new one costs more than most tests do. Nothing of a test is found by another: each has a server, and
 * so storage, of its own.
 */
export function usePages(): Pages {
  let browser: Browser;
  const idle = new Map<string, Omit<TakenPage, 'isNew'>[]>();
  const taken: { readonly key: string | undefined; readonly page: Page; readonly complaints: string[] }[] =
    [];
  const servers: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: await ensureBrowser(),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--disable-background-networking',
        scriptsOfTests,
      ],
    });
  });
  afterEach(async ({ task }) => {
    const failed = task.result?.state === 'fail';
    const ended = taken.splice(0);
    for (const { key, page } of ended) {
      if (failed || key === undefined) await page.context().close();
      else await empty(page);
    }
    for (const server of servers.splice(0)) await server.close();
    for (const { complaints } of ended) expect(complaints).toEqual([]);
    for (const { key, ...page } of ended) {
      if (!failed && key !== undefined) idle.set(key, [...(idle.get(key) ?? []), page]);
    }
  });
  afterAll(() => browser.close());
  return {
    take: async (options = {}, { once } = { once: false }) => {
      const key = once ? undefined : JSON.stringify(options);
      const again = key === undefined ? undefined : idle.get(key)?.pop();
      const page = again ?? (await newPage(browser, options));
      taken.push({ ...page, key });
      return { ...page, isNew: again === undefined };
    },
    closeAfterTest: (server) => void servers.push(server),
  };
}

/** What a pointer is over would look so on the next page, too. */
async function empty(page: Page): Promise<void> {
  await page.mouse.move(-1, -1);
  await page.goto('about:blank');
}

/** A page that is as slow as it is asked to be, and what it complains of. */
async function newPage(browser: Browser, options: BrowserContextOptions): Promise<Omit<TakenPage, 'isNew'>> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 860 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    ...options,
  });
  const page = await context.newPage();
  if (process.env['AGENTJET_SLOW_PAGE'] !== undefined) await page.addInitScript(slowDown);
  return { page, complaints: await complaintsOf(page) };
}

/**
 * What a busy machine does now and then: frames, timers and answers come late. A test that reads the page before it has
 * drawn what it was asked for fails then each time, not once in a hundred.
 */
function slowDown(): void {
  const late = 150;
  const wait = window.setTimeout.bind(window);
  const frame = window.requestAnimationFrame.bind(window);
  const request = window.fetch.bind(window);
  const pause = () => new Promise((done) => wait(done, late));
  window.requestAnimationFrame = (callback) => wait(() => frame(callback), late);
  // By the number of the timer: as that of a frame it would be some other one's.
  window.cancelAnimationFrame = (timer) => window.clearTimeout(timer);
  window.fetch = async (...call: Parameters<typeof fetch>) => {
    const answer = await request(...call);
    await pause();
    return answer;
  };
  Reflect.set(window, 'setTimeout', (callback: () => void, delay = 0) => wait(callback, delay + late));
}

async function complaintsOf(page: Page): Promise<string[]> {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  await page.exposeFunction('policyViolated', (what: string) => complaints.push(what));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report = Reflect.get(window, 'policyViolated') as (what: string) => void;
      report(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
  return complaints;
}

/** The editor's side of a webview: messages there and back, and a state that outlives the page. */
async function actAsEditor(page: Page, trace: ScriptedTrace, state: unknown): Promise<void> {
  let kept = state;
  await page.exposeFunction('askEditor', (call: unknown) => replyTo(trace, call));
  await page.exposeFunction('keepState', (next: unknown) => {
    kept = next;
  });
  await page.exposeFunction('keptState', () => kept);
  await page.addInitScript((initial) => {
    const host = window as unknown as {
      askEditor: (call: unknown) => Promise<unknown>;
      keepState: (state: unknown) => void;
    };
    Reflect.set(window, 'acquireVsCodeApi', () => ({
      postMessage: (call: unknown) => void host.askEditor(call).then((reply) => window.postMessage(reply)),
      getState: () => initial,
      setState: (next: unknown) => host.keepState(next),
    }));
  }, state);
}

/** Elements of the page. */
export function nodesOf(page: Page): Promise<number> {
  return page.evaluate(() => document.querySelectorAll('*').length);
}

export async function picture(page: Page, name: string): Promise<void> {
  const file = screenshotFile('webview', name);
  await mkdir(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file });
}
