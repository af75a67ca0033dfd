/**
 * A real editor for one test or suite: a server, a browser and a page on a copy of a workspace, all in one temporary
 * folder. Closing it ends all processes and checks that none is left.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { ensureBrowser, ensureVscode, scriptsOfTests } from '../../tools/vscodeServer.mjs';
import { evidenceFolder, root } from './artifacts.ts';
import { pathWithProjectNode, pathWithoutNode } from './nodeOnPath.ts';
import { leftovers, type FoundProcess } from './processes.ts';
import { startServer, type Server } from './server.ts';
import { makeTemp, refuseLeak, removeTemp } from './temp.ts';

export interface SessionOptions {
  /** The name of the folders of screenshots and evidence. */
  readonly suite: string;
  /** The folder whose copy the editor opens. Default: an empty folder. */
  readonly workspace?: string | undefined;
  /** The folders, by name, of a multi-root workspace. Each is copied. Replaces `workspace`. */
  readonly roots?: Readonly<Record<string, string>> | undefined;
  /** The `node` on the debuggee's PATH. Default: the project's Node 24. */
  readonly node?: 'project' | 'none' | undefined;
  /** The TypeScript language service of VS Code. Default: off. */
  readonly typescript?: 'on' | undefined;
  /** With true, a folder is restricted until the user trusts it. Default: every folder is trusted. */
  readonly workspaceTrust?: boolean | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** The display language, e.g. `zh-cn`. Default: English. */
  readonly language?: string | undefined;
  /** Added to the environment of the server, extension host and debuggees. Undefined removes a variable. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** See `ServerOptions.tests`. */
  readonly tests?: string | undefined;
  /** Default: the folder in the environment variable AGENTJET_E2E_EXTENSION, else the project. */
  readonly extension?: string | undefined;
  /** The folder of an extension, with its code in `media`, to install in addition. */
  readonly otherExtension?: string | undefined;
  /** Called with each new page before it opens the editor. */
  readonly onPage?: ((page: Page) => Promise<unknown>) | undefined;
}

export interface Session {
  readonly page: Page;
  /** The copy of the workspace: a folder, or the file that lists its `roots`. */
  readonly workspace: string;
  /** A folder for files of a test. It is removed with the session. */
  readonly temp: string;
  /** Restores the original files of the workspace and removes all others. */
  restoreWorkspace(): Promise<void>;
  /** Closes all windows of the editor. Rejects if a process of a window outlives it. */
  leave(): Promise<void>;
  /** Opens a new window without stored state on the restored workspace. All windows must be closed. */
  renew(): Promise<Session>;
  /** Rejects when the server or the page dies before {@link close}. Never resolves. */
  readonly failure: Promise<never>;
  /** Saves the logs of server and browser and a screenshot to .artifacts/failures. Resolves to the folder. */
  keepEvidence(name: string): Promise<string>;
  /** Ends the editor. Rejects if a process outlives it. */
  close(): Promise<void>;
}

/** Returns the extension under test. Set AGENTJET_E2E_EXTENSION to test another folder or a .vsix. */
export const extensionUnderTest = (): string => process.env['AGENTJET_E2E_EXTENSION'] ?? root;

const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  scriptsOfTests,
];

export async function openSession(options: SessionOptions): Promise<Session> {
  const [vscode, executablePath] = await Promise.all([ensureVscode(), ensureBrowser()]);
  const temp = await makeTemp();
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    // `removeTemp` finds, ends and reports what fails to close.
    await Promise.allSettled(closers.splice(0).map((closer) => closer()));
    await removeTemp(temp);
  };
  try {
    const workspace = await copyWorkspace(options, temp);
    const server = await startServer({
      vscode,
      node: process.execPath,
      temp,
      extension: options.extension ?? extensionUnderTest(),
      tests: options.tests,
      otherExtension: options.otherExtension && path.resolve(root, options.otherExtension),
      settings: options.settings,
      language: options.language,
      workspaceTrust: options.workspaceTrust,
      env: await environment(options, temp),
    });
    closers.push(() => server.stop());
    const browser = await launchBrowser(executablePath, temp);
    closers.push(() => browser.close());
    const context = await openContext(browser, options.tests === undefined);
    const serverEnd = endOf(server);
    const kept = new Set(await readdir(temp));
    const open = async (): Promise<Session> => {
      const page = await openPage(context, temp, options);
      if (options.typescript !== 'on') await switchOffTypeScript(page, new URL(server.url(workspace)).origin);
      await page.goto(server.url(workspace));
      return {
        page,
        workspace,
        temp,
        close,
        restoreWorkspace: () => restoreWorkspace(options, temp, workspace),
        leave: () => leave(context, temp),
        renew: async () => {
          const entries = await readdir(temp);
          const own = entries.filter((entry) => !kept.has(entry));
          await Promise.all(own.map((entry) => rm(path.join(temp, entry), busy)));
          await Promise.all([server.forget(), restoreWorkspace(options, temp, workspace)]);
          await forgetPages(context, server.url(workspace));
          return open();
        },
        failure: failureOf(serverEnd, page),
        keepEvidence: (name) => keepEvidence(evidenceFolder(options.suite, name), temp, server, page),
      };
    };
    return await open();
  } catch (error) {
    await close();
    throw error;
  }
}

/** Copies the workspace. Resolves to the folder, or to the file that lists several. */
async function copyWorkspace({ roots, workspace: source }: SessionOptions, temp: string): Promise<string> {
  if (roots !== undefined) return copyRoots(roots, temp);
  const workspace = path.join(temp, 'work', source === undefined ? 'empty' : path.basename(source));
  await mkdir(workspace, { recursive: true });
  if (source !== undefined) await cp(path.resolve(root, source), workspace, { recursive: true });
  return workspace;
}

async function copyRoots(roots: Readonly<Record<string, string>>, temp: string): Promise<string> {
  const file = path.join(temp, 'work/roots.code-workspace');
  for (const [name, source] of Object.entries(roots)) {
    await cp(path.resolve(root, source), path.join(temp, 'work', name), { recursive: true });
  }
  const folders = Object.keys(roots).map((name) => ({ path: name }));
  await writeFile(file, JSON.stringify({ folders }));
  return file;
}

/** Options of `rm` for folders that Git or the cleanup of a run may still write to. */
const busy = { recursive: true, maxRetries: 10, retryDelay: 100 } as const;

/** Replaces the files in the folders. Keeps the folders, because an editor may have them open. */
async function restoreWorkspace(options: SessionOptions, temp: string, workspace: string): Promise<void> {
  const folders = options.roots
    ? Object.keys(options.roots).map((name) => path.join(temp, 'work', name))
    : [workspace];
  for (const folder of folders) {
    const entries = await readdir(folder);
    await Promise.all(entries.map((entry) => rm(path.join(folder, entry), busy)));
  }
  await copyWorkspace(options, temp);
}

/** Closes all windows. The server and the shells of terminals stay. Extension hosts and their children must end. */
async function leave(context: BrowserContext, temp: string): Promise<void> {
  await Promise.all(context.pages().map((page) => page.close()));
  const stays = ['out/server-main.js', '--type=ptyHost', '--type=fileWatcher', '/shellIntegration-'];
  const counts = ({ command }: FoundProcess): boolean => !stays.some((part) => command.includes(part));
  refuseLeak(await leftovers(serverMarker(temp), { counts }));
}

/** Returns the marker in the environment of the server and its descendants. The browser does not have it. */
function serverMarker(temp: string): string {
  return `server of ${temp}`;
}

/** Clears the stored state of the editor in the browser. The cached scripts stay. */
async function forgetPages(context: BrowserContext, url: string): Promise<void> {
  const page = await context.newPage();
  const browser = await context.newCDPSession(page);
  await browser.send('Storage.clearDataForOrigin', { origin: new URL(url).origin, storageTypes: 'all' });
  await page.close();
}

/** Disables the TypeScript extension, as a user does in the Extensions view. It takes a third of a window's time. */
async function switchOffTypeScript(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/nothing`);
  await page.evaluate(
    ([key, value]) =>
      new Promise<void>((resolve, reject) => {
        const opening = indexedDB.open('vscode-web-state-db-global', 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore('ItemTable');
        opening.onerror = reject;
        opening.onsuccess = () => {
          const writing = opening.result.transaction('ItemTable', 'readwrite');
          writing.objectStore('ItemTable').put(value, key);
          writing.onerror = reject;
          writing.oncomplete = () => {
            opening.result.close();
            resolve();
          };
        };
      }),
    ['extensionsIdentifiers/disabled', JSON.stringify([{ id: 'vscode.typescript-language-features' }])],
  );
}

/** Returns the environment of the server. The leak checks find all descendants by its markers. */
async function environment(options: SessionOptions, temp: string): Promise<NodeJS.ProcessEnv> {
  const none = options.node === 'none';
  const searchPath = none ? await pathWithoutNode(temp) : pathWithProjectNode(root);
  const markers = { AGENTJET_E2E_TEMP: temp, AGENTJET_E2E_SERVER: serverMarker(temp) };
  return { ...process.env, PATH: searchPath, ...markers, ...options.env };
}

function launchBrowser(executablePath: string, temp: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: browserArguments,
    env: { ...definedEnv(), XDG_CONFIG_HOME: path.join(temp, 'browser'), AGENTJET_E2E_TEMP: temp },
  });
}

function definedEnv(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Opens the browser context. A smaller window saves CPU time for tests that do not look at it. */
function openContext(browser: Browser, isVisible: boolean): Promise<BrowserContext> {
  return browser.newContext({
    viewport: isVisible ? { width: 1440, height: 900 } : { width: 300, height: 200 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
}

async function openPage(context: BrowserContext, temp: string, options: SessionOptions): Promise<Page> {
  const page = await context.newPage();
  page.on('console', (message) =>
    appendFileSync(consoleLog(temp), `[${message.type()}] ${message.text()}\n`),
  );
  page.on('pageerror', (error) =>
    appendFileSync(consoleLog(temp), `[uncaught] ${error.stack ?? error.message}\n`),
  );
  await page.addInitScript(switchOffAnimations);
  await options.onPage?.(page);
  return page;
}

/** Runs in each document of a page. What spins would be painted 60 times a second, without a GPU. */
function switchOffAnimations(): void {
  document.addEventListener('DOMContentLoaded', () => {
    const style = document.createElement('style');
    style.textContent = '*, *::before, *::after { animation: none !important; transition: none !important; }';
    document.head.append(style);
  });
}

function consoleLog(temp: string): string {
  return path.join(temp, 'browser.log');
}

/** Rejects when the server ends. Never resolves. */
function endOf(server: Server): Promise<never> {
  const end = new Promise<never>((_, reject) => {
    server.process.once('exit', (code) =>
      reject(new Error(`The VS Code server ended with code ${String(code)}.`)),
    );
  });
  return handled(end);
}

function failureOf(serverEnd: Promise<never>, page: Page): Promise<never> {
  const crash = new Promise<never>((_, reject) => {
    page.once('crash', () => reject(new Error('The page of the editor crashed.')));
  });
  return handled(Promise.race([serverEnd, crash]));
}

/** Marks the rejection as handled, because `close` ends the server too. Returns the same promise. */
function handled(failure: Promise<never>): Promise<never> {
  failure.catch(() => undefined);
  return failure;
}

async function keepEvidence(folder: string, temp: string, server: Server, page: Page): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'server.log'), server.output());
  if (existsSync(consoleLog(temp))) await cp(consoleLog(temp), path.join(folder, 'browser.log'));
  if (!page.isClosed()) await page.screenshot({ path: path.join(folder, 'page.png') });
  return folder;
}
