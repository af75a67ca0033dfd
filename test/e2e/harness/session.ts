/**
 * A real editor for one test or suite: server, browser and page on a copy of a workspace, everything below one
 * temporary folder. Closing it ends all processes and proves that none is left.
 */
import { appendFileSync, existsSync } from 'node:fs';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { ensureBrowser, ensureVscode } from '../../tools/vscodeServer.mjs';
import { evidenceFolder, root } from './artifacts.ts';
import { pathWithProjectNode, pathWithoutNode } from './nodeOnPath.ts';
import { startServer, type Server } from './server.ts';
import { makeTemp, removeTemp } from './temp.ts';

export interface SessionOptions {
  /** Names the folders of screenshots and evidence. */
  readonly suite: string;
  /** A folder that is copied; the editor opens the copy. Without one it opens an empty folder. */
  readonly workspace?: string | undefined;
  /** Folders by name, each of which is copied, for a workspace of several; instead of `workspace`. */
  readonly roots?: Readonly<Record<string, string>> | undefined;
  /** What `node` means to the debuggee. Default: the project's own, Node 24. */
  readonly node?: 'project' | 'none' | undefined;
  /** With true a folder starts out restricted until the user trusts it. Default: everything is trusted. */
  readonly workspaceTrust?: boolean | undefined;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** Added to the environment of server, extension host and debuggees; undefined removes. */
  readonly env?: NodeJS.ProcessEnv | undefined;
  /** See `ServerOptions.tests`. */
  readonly tests?: string | undefined;
  /** Default: the folder in the environment variable AGENTJET_E2E_EXTENSION, else the project. */
  readonly extension?: string | undefined;
  /** Called with the new page before the editor is opened in it. */
  readonly onPage?: ((page: Page) => Promise<unknown>) | undefined;
}

export interface Session {
  readonly page: Page;
  /** The copy of the workspace that the editor has open: a folder, or the file that lists its `roots`. */
  readonly workspace: string;
  /** An empty folder for a test's own files; it goes with the session. */
  readonly temp: string;
  /** Gives the workspace the files that it had at first, and no others. */
  restoreWorkspace(): Promise<void>;
  /** Rejects when the server or the page dies before {@link close}. Never resolves. */
  readonly failure: Promise<never>;
  /** Saves the server's and the browser's logs and a picture to .artifacts/failures; resolves to the folder. */
  keepEvidence(name: string): Promise<string>;
  /** Ends everything. Rejects when a process outlives it. */
  close(): Promise<void>;
}

/** The extension under test: set AGENTJET_E2E_EXTENSION to test another folder, such as an unpacked .vsix. */
export const extensionUnderTest = (): string => process.env['AGENTJET_E2E_EXTENSION'] ?? root;

const browserArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function openSession(options: SessionOptions): Promise<Session> {
  const [vscode, executablePath] = await Promise.all([ensureVscode(), ensureBrowser()]);
  const temp = await makeTemp();
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    // Whatever fails to close is found, ended and reported when its folder is removed.
    await Promise.allSettled(closers.splice(0).map((closer) => closer()));
    await removeTemp(temp);
  };
  try {
    const workspace = options.roots
      ? await copyRoots(options.roots, temp)
      : await copyWorkspace(options.workspace, temp);
    const server = await startServer({
      vscode,
      node: process.execPath,
      temp,
      extension: options.extension ?? extensionUnderTest(),
      tests: options.tests,
      settings: options.settings,
      workspaceTrust: options.workspaceTrust,
      env: await environment(options, temp),
    });
    closers.push(() => server.stop());
    const browser = await launchBrowser(executablePath, temp);
    closers.push(() => browser.close());
    const page = await openPage(browser, temp, options);
    await page.goto(server.url(workspace));
    return {
      page,
      workspace,
      temp,
      close,
      restoreWorkspace: async () => {
        const entries = await readdir(workspace);
        await Promise.all(entries.map((entry) => rm(path.join(workspace, entry), { recursive: true })));
        await copyWorkspace(options.workspace, temp);
      },
      failure: failureOf(server, page),
      keepEvidence: (name) => keepEvidence(evidenceFolder(options.suite, name), temp, server, page),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function copyWorkspace(source: string | undefined, temp: string): Promise<string> {
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

/** The marker is how the leak check knows every descendant. */
async function environment(options: SessionOptions, temp: string): Promise<NodeJS.ProcessEnv> {
  const none = options.node === 'none';
  const searchPath = none ? await pathWithoutNode(temp) : pathWithProjectNode(root);
  return { ...process.env, PATH: searchPath, AGENTJET_E2E_TEMP: temp, ...options.env };
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

async function openPage(browser: Browser, temp: string, options: SessionOptions): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.on('console', (message) =>
    appendFileSync(consoleLog(temp), `[${message.type()}] ${message.text()}\n`),
  );
  page.on('pageerror', (error) =>
    appendFileSync(consoleLog(temp), `[uncaught] ${error.stack ?? error.message}\n`),
  );
  await options.onPage?.(page);
  return page;
}

function consoleLog(temp: string): string {
  return path.join(temp, 'browser.log');
}

function failureOf(server: Server, page: Page): Promise<never> {
  const failure = new Promise<never>((_, reject) => {
    server.process.once('exit', (code) =>
      reject(new Error(`The VS Code server ended with code ${String(code)}.`)),
    );
    page.once('crash', () => reject(new Error('The page of the editor crashed.')));
  });
  // Whoever waits for it learns of it; closing the session, which ends the server too, is no failure.
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
