/** The page of a training run in a real browser, with the editor's side of its messages. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import { textsFor } from '../../../src/traces/node/server/httpServer.ts';
import { trainingRunBundle, trainingRunPage } from '../../../src/training/core/page/trainingRunPage.ts';
import {
  runPageRequest,
  runPageMessage,
  type RunPageRequest,
  type RunPageMessage,
} from '../../../src/training/core/page/trainingRunRpc.ts';
import { root } from '../../e2e/harness/artifacts.ts';
import { usePages } from './viewer.ts';

export interface OpenRunPage {
  readonly page: Page;
  /** All that the page asked, in order. */
  readonly asked: RunPageRequest[];
  readonly tell: (...messages: readonly RunPageMessage[]) => Promise<void>;
}

/** Starts one browser for a file's tests; the returned function opens a page that is closed after the test. */
export function useRunPage(): (
  messages?: readonly RunPageMessage[],
  context?: BrowserContextOptions,
) => Promise<OpenRunPage> {
  const pages = usePages();
  const asksOf = new WeakMap<Page, RunPageRequest[]>();
  return async (messages = [], context = {}) => {
    const server = await startServer();
    pages.closeAfterTest(server);
    const { page, isNew } = await pages.take(context);
    const asked: RunPageRequest[] = [];
    asksOf.set(page, asked);
    if (isNew) {
      await page.exposeFunction('askEditor', (ask: unknown) => {
        asksOf.get(page)?.push(runPageRequest.parse(ask));
      });
      await page.addInitScript(actAsEditor);
    }
    await page.goto(server.address);
    await expect.poll(() => asked.map(({ type }) => type)).toContain('ready');
    const tell = (...told: readonly RunPageMessage[]) => {
      for (const message of told) runPageMessage.parse(message);
      return page.evaluate((all) => all.forEach((message) => window.postMessage(message)), told);
    };
    await tell(...messages);
    return { page, asked, tell };
  };
}

/** The function that a webview finds; its state outlives the page. */
function actAsEditor(): void {
  const name = 'state of the webview';
  Reflect.set(window, 'acquireVsCodeApi', () => ({
    postMessage: (ask: unknown) => {
      const send = Reflect.get(window, 'askEditor') as (ask: unknown) => Promise<void>;
      void send(ask);
    },
    getState: () => JSON.parse(sessionStorage.getItem(name) ?? 'null') as unknown,
    setState: (state: unknown) => sessionStorage.setItem(name, JSON.stringify(state)),
  }));
}

async function startServer() {
  const server = createServer((request, response) => {
    answer(request.url, request.headers['accept-language'], response).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function answer(
  url: string | undefined,
  languages: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const types: Readonly<Record<string, string>> = { script: 'text/javascript', style: 'text/css' };
  for (const [kind, name] of Object.entries(trainingRunBundle)) {
    if (url !== `/${name}`) continue;
    const content = await readFile(path.join(root, 'dist/webview', name));
    response.writeHead(200, { 'content-type': `${types[kind] ?? ''}; charset=utf-8` }).end(content);
    return;
  }
  const html = trainingRunPage({
    nonce: 'bm9uY2Utb2YtdGhlLXRlc3Q=',
    cspSource: "'self'",
    scriptUri: `/${trainingRunBundle.script}`,
    styleUri: `/${trainingRunBundle.style}`,
    host: 'browser',
    boot: { texts: await textsFor(languages, path.join(root, 'media/l10n')) },
  });
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
}
