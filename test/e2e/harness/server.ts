/** A VS Code server with separate data folders, a port on loopback, and a process group. */
import { randomUUID } from 'node:crypto';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { endWithUs, stopGroup } from './processes.ts';

const execFileAsync = promisify(execFile);

export interface ServerOptions {
  /** The folder of VS Code. */
  readonly vscode: string;
  /** The Node.js that runs the server and its extension hosts. */
  readonly node: string;
  /** An empty folder for all files of the server. Its path must be short, because it contains sockets. */
  readonly temp: string;
  /** The extension to install: a folder with a package.json, or a .vsix. */
  readonly extension: string;
  /** The folder of another extension to install. */
  readonly otherExtension?: string | undefined;
  /**
   * A CommonJS file whose `run()` runs tests in the extension host. The extension is then loaded as one under
   * development, and the editor skips dialogs and notifications.
   */
  readonly tests?: string | undefined;
  /** User settings, which override the quiet defaults. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** The display language. The texts of VS Code stay English, because no language pack is installed. */
  readonly language?: string | undefined;
  /** With true, a folder is restricted until the user trusts it. Default: every folder is trusted. */
  readonly workspaceTrust?: boolean | undefined;
  /** The whole environment of the server. The extension host and debuggees inherit it. */
  readonly env: NodeJS.ProcessEnv;
}

export interface Server {
  readonly process: ChildProcess;
  /** Returns the URL, with the access token, that opens a folder or a .code-workspace. */
  url(workspace: string): string;
  /** Returns everything that the server has printed so far. */
  output(): string;
  /** Removes the user data, settings included. No window may be open. */
  forget(): Promise<void>;
  stop(): Promise<void>;
}

const quietSettings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  'security.workspace.trust.startupPrompt': 'never',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'chat.disableAIFeatures': true,
  'git.openRepositoryInParentFolders': 'never',
};

/** For tests in the extension host, whose window nobody looks at: without these parts it takes a third less CPU time. */
const unseenSettings = {
  'workbench.statusBar.visible': false,
  'workbench.activityBar.location': 'hidden',
  'workbench.editor.showTabs': 'none',
  'workbench.layoutControl.enabled': false,
  'window.commandCenter': false,
  'breadcrumbs.enabled': false,
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  'editor.stickyScroll.enabled': false,
  'editor.bracketPairColorization.enabled': false,
  'debug.toolBarLocation': 'hidden',
  'debug.showInStatusBar': 'never',
  'debug.inlineValues': 'off',
  'debug.internalConsoleOptions': 'neverOpen',
  'debug.openDebug': 'neverOpen',
  'scm.diffDecorations': 'none',
  'explorer.autoReveal': false,
};

/** The key, in Playwright's notation, that resets a window. VS Code still asks about unsaved files. */
export const tidyKey = 'Control+Alt+F12';

const tidying = [
  'workbench.debug.viewlet.action.removeAllBreakpoints',
  // VS Code clears the debug console only while it is visible.
  'workbench.panel.repl.view.focus',
  'workbench.debug.panel.action.clearReplAction',
  'workbench.action.closePanel',
  'workbench.view.explorer',
  'notifications.clearAll',
  'workbench.action.closeAllEditors',
];

/** Resolves when the server listens. Rejects with its output if it exits or does not listen within 30 s. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const user = path.join(options.temp, 'user');
  const extensions = path.join(options.temp, 'exts');
  await mkdir(path.join(options.temp, 'tmp'), { recursive: true });
  await writeSettings(user, options);
  if (options.language !== undefined) await writeLanguagePack(user, options.language);
  if (options.tests === undefined) await installExtension(options, extensions);
  if (options.otherExtension !== undefined) await copyExtension(options.otherExtension, extensions);
  const token = randomUUID();
  await writeFile(tokenFile(options), token, { mode: 0o600 });
  const child = spawn(options.node, serverArguments(options, user, extensions), {
    cwd: options.temp,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: serverEnv(options),
  });
  endWithUs(child);
  const output = collect(child);
  try {
    const port = await listeningPort(child, output);
    return {
      process: child,
      url: (workspace) => editorUrl(`127.0.0.1:${port}`, token, workspace, options),
      output,
      forget: async () => {
        await rm(path.join(user, 'User'), { recursive: true, maxRetries: 10, retryDelay: 100 });
        await writeSettings(user, options);
      },
      stop: () => stopGroup(child),
    };
  } catch (error) {
    await stopGroup(child);
    throw error;
  }
}

async function writeSettings(user: string, options: ServerOptions): Promise<void> {
  await mkdir(path.join(user, 'User'), { recursive: true });
  const settings = {
    ...quietSettings,
    ...(options.tests !== undefined && unseenSettings),
    'security.workspace.trust.enabled': options.workspaceTrust === true,
    ...options.settings,
  };
  await writeFile(path.join(user, 'User/settings.json'), JSON.stringify(settings, undefined, 2));
  const keys = [{ key: 'ctrl+alt+f12', command: 'runCommands', args: { commands: tidying } }];
  await writeFile(path.join(user, 'User/keybindings.json'), JSON.stringify(keys));
}

/** Registers a language pack that has no texts. */
async function writeLanguagePack(user: string, language: string): Promise<void> {
  const messages = path.join(user, 'main.i18n.json');
  await writeFile(messages, JSON.stringify({ version: '1.0.0', contents: {} }));
  const extensions = [{ extensionIdentifier: { id: 'agentjet-tests.language-pack' }, version: '1.0.0' }];
  const pack = { hash: language, extensions, translations: { vscode: messages }, label: language };
  await writeFile(path.join(user, 'languagepacks.json'), JSON.stringify({ [language]: pack }));
}

/** Installs a .vsix with the command of VS Code. Of a folder, copies the files that a package contains. */
async function installExtension(options: ServerOptions, extensions: string): Promise<void> {
  if (!options.extension.endsWith('.vsix')) return copyExtension(options.extension, extensions);
  const data = path.join(options.temp, 'server');
  await execFileAsync(options.node, [
    path.join(options.vscode, 'out/server-main.js'),
    ...['--install-extension', options.extension, '--extensions-dir', extensions],
    ...['--server-data-dir', data, '--accept-server-license-terms'],
  ]);
}

/** Copies the extension. A link would not do, because VS Code identifies extensions by the real paths of modules. */
async function copyExtension(extension: string, extensions: string): Promise<void> {
  const manifest = JSON.parse(await readFile(path.join(extension, 'package.json'), 'utf8')) as {
    readonly publisher: string;
    readonly name: string;
    readonly version: string;
  };
  const target = path.join(extensions, `${manifest.publisher}.${manifest.name}-${manifest.version}`);
  if (existsSync(target)) return;
  await mkdir(target, { recursive: true });
  for (const name of await readdir(extension)) {
    if (/^package(\.nls.*)?\.json$/.test(name)) await cp(path.join(extension, name), path.join(target, name));
  }
  for (const folder of ['dist', 'docs', 'media', 'syntaxes']) {
    const source = path.join(extension, folder);
    if (existsSync(source)) await cp(source, path.join(target, folder), { recursive: true });
  }
}

function serverArguments(options: ServerOptions, user: string, extensions: string): readonly string[] {
  return [
    path.join(options.vscode, 'out/server-main.js'),
    ...['--host', '127.0.0.1', '--port', '0', '--accept-server-license-terms'],
    ...['--connection-token-file', tokenFile(options)],
    ...['--disable-telemetry', '--telemetry-level', 'off'],
    // By default, extension hosts outlive their page by hours.
    ...['--reconnection-grace-time', '1'],
    ...['--server-data-dir', path.join(options.temp, 'server'), '--user-data-dir', user],
    ...['--extensions-dir', extensions],
    ...(options.language === undefined ? [] : ['--locale', options.language]),
    ...(options.tests === undefined ? [] : ['--enable-smoke-test-driver']),
    ...(options.workspaceTrust === true ? [] : ['--disable-workspace-trust']),
  ];
}

/**
 * Returns the environment of the server. `VSCODE_CLI` stops the server from reading PATH from a login shell. Temporary
 * files and sockets go below `temp`. Variables of another VS Code, as in its terminal, are removed.
 */
function serverEnv({ env, temp }: ServerOptions): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name));
  const tmp = path.join(temp, 'tmp');
  return { ...Object.fromEntries(own), VSCODE_CLI: '1', TMPDIR: tmp, XDG_RUNTIME_DIR: tmp };
}

/** Returns the file of the access token. Without a token, other users of the machine could open a shell. */
function tokenFile({ temp }: ServerOptions): string {
  return path.join(temp, 'token');
}

function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder('utf8');
    stream?.on('data', (data: Buffer) => (text += decoder.write(data)));
  }
  return () => text;
}

async function listeningPort(child: ChildProcess, output: () => string): Promise<number> {
  const signal = AbortSignal.timeout(30_000);
  const failed = async () => {
    await once(child, 'exit', { signal }).catch(() => undefined);
    throw new Error(`The VS Code server did not start.\n${output()}`);
  };
  const started = async () => {
    for (;;) {
      const port = /Extension host agent listening on (\d+)/.exec(output())?.[1];
      if (port !== undefined) return Number(port);
      if (child.stdout === null) return failed();
      await once(child.stdout, 'data', { signal });
    }
  };
  return Promise.race([started(), failed()]);
}

function editorUrl(authority: string, token: string, workspace: string, options: ServerOptions): string {
  const url = new URL(`http://${authority}/`);
  url.searchParams.set('tkn', token);
  const kind = workspace.endsWith('.code-workspace') ? 'workspace' : 'folder';
  url.searchParams.set(kind, asUrlPath(workspace));
  if (options.tests !== undefined) {
    const remote = (file: string) => `vscode-remote://${authority}${asUrlPath(file)}`;
    const payload = [
      ['extensionDevelopmentPath', remote(options.extension)],
      ['extensionTestsPath', remote(options.tests)],
      ['skipWelcome', 'true'],
      ['skipReleaseNotes', 'true'],
    ];
    url.searchParams.set('payload', JSON.stringify(payload));
  }
  return url.href;
}

/** Returns the path as part of a URL: `C:\x` becomes `/C:/x`. */
function asUrlPath(file: string): string {
  const slashes = file.replaceAll('\\', '/');
  return slashes.startsWith('/') ? slashes : `/${slashes}`;
}
