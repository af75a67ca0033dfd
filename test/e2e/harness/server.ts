/** One VS Code server: its own data folders, its own port on loopback, its own process group. */
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
  /** The folder of VS Code itself. */
  readonly vscode: string;
  /** The Node.js that runs the server and its extension hosts. */
  readonly node: string;
  /** An empty folder for everything the server writes. Keep its path short: sockets lie in it. */
  readonly temp: string;
  /** The extension: a folder with a package.json, or a .vsix. It is installed, as for a user. */
  readonly extension: string;
  /**
   * A CommonJS file whose `run()` resolves or rejects: a test run inside the extension host. The extension is then
   * loaded as one under development, and the editor skips dialogs and shows no toasts.
   */
  readonly tests?: string | undefined;
  /** User settings, over ones that keep the editor quiet. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  /** That the editor speaks; its own words stay English, since no language pack can be had here. */
  readonly language?: string | undefined;
  /** With true a folder starts out restricted until the user trusts it; without, everything is trusted. */
  readonly workspaceTrust?: boolean | undefined;
  /** The whole environment of the server, hence of extension host and debuggees. */
  readonly env: NodeJS.ProcessEnv;
}

export interface Server {
  readonly process: ChildProcess;
  /** The address at which the editor opens a folder or a .code-workspace; its token admits the reader. */
  url(workspace: string): string;
  /** Everything the server has printed so far. */
  output(): string;
  /** Forgets what its windows wrote beside the workspace, settings included, while none is open. */
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

/** Pressed by tests, in Playwright's notation: leaves nothing in a window, but asks what becomes of unsaved files. */
export const tidyKey = 'Control+Alt+F12';

const tidying = [
  'workbench.debug.viewlet.action.removeAllBreakpoints',
  // Only a console that shows is cleared.
  'workbench.panel.repl.view.focus',
  'workbench.debug.panel.action.clearReplAction',
  'workbench.action.closePanel',
  'workbench.view.explorer',
  'notifications.clearAll',
  'workbench.action.closeAllEditors',
];

/** Resolves when the server answers; rejects with its output when it ends instead, or stays silent for 30 s. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const user = path.join(options.temp, 'user');
  const extensions = path.join(options.temp, 'exts');
  await mkdir(path.join(options.temp, 'tmp'), { recursive: true });
  await writeSettings(user, options);
  if (options.language !== undefined) await writeLanguagePack(user, options.language);
  if (options.tests === undefined) await installExtension(options, extensions);
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
    'security.workspace.trust.enabled': options.workspaceTrust === true,
    ...options.settings,
  };
  await writeFile(path.join(user, 'User/settings.json'), JSON.stringify(settings, undefined, 2));
  const keys = [{ key: 'ctrl+alt+f12', command: 'runCommands', args: { commands: tidying } }];
  await writeFile(path.join(user, 'User/keybindings.json'), JSON.stringify(keys));
}

/** As if a language pack were installed, which has no word of the editor's own. */
async function writeLanguagePack(user: string, language: string): Promise<void> {
  const messages = path.join(user, 'main.i18n.json');
  await writeFile(messages, JSON.stringify({ version: '1.0.0', contents: {} }));
  const extensions = [{ extensionIdentifier: { id: 'agentjet-tests.language-pack' }, version: '1.0.0' }];
  const pack = { hash: language, extensions, translations: { vscode: messages }, label: language };
  await writeFile(path.join(user, 'languagepacks.json'), JSON.stringify({ [language]: pack }));
}

/** A .vsix the way the editor itself installs one; of a folder what a package contains. */
async function installExtension(options: ServerOptions, extensions: string): Promise<void> {
  if (!options.extension.endsWith('.vsix')) return copyExtension(options.extension, extensions);
  const data = path.join(options.temp, 'server');
  await execFileAsync(options.node, [
    path.join(options.vscode, 'out/server-main.js'),
    ...['--install-extension', options.extension, '--extensions-dir', extensions],
    ...['--server-data-dir', data, '--accept-server-license-terms'],
  ]);
}

/**
 * Copied, not linked: VS Code tells extensions apart by the real paths of their modules, and one behind a
 * link would be nobody's.
 */
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
  for (const folder of ['dist', 'media', 'syntaxes']) {
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
    // Extension hosts outlive their page by hours otherwise.
    ...['--reconnection-grace-time', '1'],
    ...['--server-data-dir', path.join(options.temp, 'server'), '--user-data-dir', user],
    ...['--extensions-dir', extensions],
    ...(options.language === undefined ? [] : ['--locale', options.language]),
    ...(options.tests === undefined ? [] : ['--enable-smoke-test-driver']),
    ...(options.workspaceTrust === true ? [] : ['--disable-workspace-trust']),
  ];
}

/**
 * `VSCODE_CLI` keeps the server from asking a login shell for the environment, whose PATH would replace ours.
 * Temporary files and sockets go below `temp`; other VS Code's variables, as in a terminal of one, stay out.
 */
function serverEnv({ env, temp }: ServerOptions): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !/^(VSCODE_|ELECTRON_|NODE_OPTIONS$)/.test(name));
  const tmp = path.join(temp, 'tmp');
  return { ...Object.fromEntries(own), VSCODE_CLI: '1', TMPDIR: tmp, XDG_RUNTIME_DIR: tmp };
}

/** Whoever has the editor's page has a shell: without the token other users of the machine would. */
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

/** `C:\x` is `/c:/x` in the address of a page. */
function asUrlPath(file: string): string {
  const slashes = file.replaceAll('\\', '/');
  return slashes.startsWith('/') ? slashes : `/${slashes}`;
}
