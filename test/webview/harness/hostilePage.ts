/** A page that shows what is hostile, in a real browser that notes all that must not happen. */
import type { Browser, Page } from 'playwright-core';
import { escapes } from './escapes.ts';

export interface HostilePage {
  readonly page: Page;
  /** What happened that must not; whoever looks at it empties it. */
  readonly events: string[];
  /** Looks for what got out. */
  check(what: string): Promise<void>;
  /** Wheels down over an element until nothing new comes. */
  wheelThrough(selector: string, what: string, most?: number): Promise<void>;
}

/** @param mayAsk whether the page may ask for an address, the fragment apart */
export async function openHostile(
  browser: Browser,
  mayAsk: (address: string) => boolean,
): Promise<HostilePage> {
  const events: string[] = [];
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  const page = await context.newPage();
  context.on('request', (request) => {
    const address = request.url().replace(/#.*/s, '');
    if (address !== 'data:,' && !mayAsk(address)) events.push(`request: ${request.url().slice(0, 200)}`);
  });
  context.on('page', (another) => events.push(`window: ${another.url()}`));
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) events.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    events.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('download', (download) => events.push(`download: ${download.url()}`));
  page.on('pageerror', (error) => events.push(`error: ${error.message}`));
  await page.exposeFunction('policyViolated', (what: string) => events.push(`policy: ${what}`));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const report = Reflect.get(window, 'policyViolated') as (what: string) => void;
      report(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
  const check = async (what: string): Promise<void> => {
    await settle(page);
    const found = await escapes(page);
    events.push(...found.map((one) => `${what}: ${one}`));
  };
  return {
    page,
    events,
    check,
    wheelThrough: async (selector, what, most = 60) => {
      const list = page.locator(selector).first();
      await list.waitFor();
      const box = await list.boundingBox();
      await page.mouse.move((box?.x ?? 0) + 50, (box?.y ?? 0) + Math.min(60, (box?.height ?? 0) / 2));
      let before = '';
      for (let step = 0; step < most; step++) {
        await check(`${what}, step ${step}`);
        const now = await list.evaluate((element) => element.textContent);
        if (now === before && step > 2) return;
        before = now;
        await page.mouse.wheel(0, 500);
        await settle(page);
      }
    },
  };
}

async function settle(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(null)))),
  );
}
