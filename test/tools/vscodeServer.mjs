/**
 * Gets what a test of the real editor needs: a pinned VS Code that runs without a desktop, and a browser to open it
 * in. Both come from package registries, once per user; later calls take milliseconds.
 *
 * The VS Code is the one inside the npm package code-server: workbench, Node extension host and js-debug unchanged.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ToolError, logs, onPath, projectEnv, projectNode, root, runLogged, tail } from './commands.mjs';
import { withLock } from './lock.mjs';

const version = '4.139.1';
const integrity =
  'sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG/d3HV9Yy6ew==';
const attempts = 3;
const log = path.join(logs, 'setup-vscode.log');

/**
 * The folder of the pinned VS Code server, installed first where it is missing.
 * @returns {Promise<string>}
 */
export async function ensureVscode() {
  const cache = path.join(userCacheFolder(), 'agentjet-dev');
  const folder = path.join(cache, `vscode-${version}`);
  if (existsSync(folder)) return folder;
  await withLock(`${folder}.lock`, async () => {
    if (!existsSync(folder)) await installVscode(cache, folder);
  });
  return folder;
}

/** Where the system wants what can be fetched again. */
export function userCacheFolder() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME;
  if (process.platform === 'win32')
    return process.env.LOCALAPPDATA ?? path.join(os.homedir(), 'AppData/Local');
  return path.join(os.homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache');
}

/** Everything happens in a temporary folder beside the target; the rename at the end makes it all or nothing. */
async function installVscode(cache, folder) {
  console.log('Installing VS Code for the tests (once; about half a minute) …');
  await rm(log, { force: true });
  await removeLeftovers(cache);
  const work = await mkdtemp(path.join(cache, leftoverPrefix));
  try {
    await retrying('download VS Code', () => download(work));
    await must('unpack VS Code', 'tar', ['-xzf', await tarball(work), '-C', work, 'package/lib/vscode']);
    const unpacked = path.join(work, 'package/lib/vscode');
    for (const part of [unpacked, path.join(unpacked, 'extensions')]) {
      await retrying("install VS Code's packages", () => installPackages(part));
    }
    await removeUnused(unpacked);
    await rename(unpacked, folder);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const leftoverPrefix = 'installing-';

/** Called with the lock held: whatever an installation that was killed left behind is nobody's. */
async function removeLeftovers(cache) {
  const names = (await readdir(cache)).filter((name) => name.startsWith(leftoverPrefix));
  await Promise.all(names.map((name) => rm(path.join(cache, name), { recursive: true, force: true })));
}

async function download(work) {
  await must('download VS Code', 'npm', ['pack', `code-server@${version}`, '--pack-destination', work], work);
  const file = await tarball(work);
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  if (`sha512-${hash.digest('base64')}` === integrity) return;
  await rm(file);
  throw new ToolError(`The download of code-server ${version} is not the pinned one: its sha512 differs.`);
}

async function tarball(work) {
  const name = (await readdir(work)).find((entry) => entry.endsWith('.tgz'));
  if (name === undefined) throw new ToolError(`\`npm pack code-server@${version}\` left no file.`);
  return path.join(work, name);
}

/**
 * Its shrinkwrap pins nearly every package (`npm ci` refuses it for the one it lacks). No script is run: the native
 * modules that the tests need ship as binaries.
 */
function installPackages(folder) {
  const args = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];
  return must("install VS Code's packages", 'npm', args, folder);
}

/** Copilot, a sandbox for agents, binaries of other systems: a third of the size, and nothing that a test could use. */
const unused = ['extensions/copilot', 'node_modules/@github', 'node_modules/@microsoft/mxc-sdk/bin'];
const perSystem = ['node_modules/node-pty/prebuilds', 'node_modules/@vscode/ripgrep-universal/bin'];

async function removeUnused(vscode) {
  const own = `${process.platform}-${process.arch}`;
  const foreign = perSystem.flatMap((folder) => {
    const names = existsSync(path.join(vscode, folder)) ? readdirSync(path.join(vscode, folder)) : [];
    return names.filter((name) => name !== own).map((name) => path.join(folder, name));
  });
  const entries = [...unused, ...foreign];
  await Promise.all(entries.map((entry) => rm(path.join(vscode, entry), { recursive: true, force: true })));
}

async function must(what, command, args, cwd = root) {
  const code = await runLogged(command, args, { log, cwd, env: projectEnv() });
  if (code === 127) throw new ToolError(`Cannot ${what}: \`${command}\` was not found on PATH.`);
  if (code !== 0) throw new ToolError(`Cannot ${what}: see ${log}\n\n${tail(log, 20)}`);
}

async function retrying(what, action) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (attempt === attempts) throw error;
      console.log(`Could not ${what}; trying again …`);
      await delay(2_000 * attempt);
    }
  }
}

/**
 * The path of a Chromium, by preference one without a user interface: pages cost it a third less. One that is there, else
 * Debian's package (as root), else Playwright's own.
 * @returns {Promise<string>}
 */
export function ensureBrowser() {
  return (browser ??= findOrInstallBrowser());
}

/** An argument of a browser whose pages live for seconds: it saves a quarter of their time. */
export const scriptsOfTests = `--js-flags=${[
  // What is soon gone is not worth compiling well.
  '--no-turbofan --no-maglev',
  // Else each error has the scripts around it parsed again, of the editor's 19 MB, too.
  '--no-enable-lazy-source-positions',
  // Room in which to start without tidying up.
  '--min-semi-space-size=32',
].join(' ')}`;

/** Of this process: what could not be installed is not tried again. */
let browser;

async function findOrInstallBrowser() {
  const found = onPath([shell]) ?? (mayInstall() ? undefined : await findBrowser());
  if (found !== undefined) return found;
  return withLock(path.join(userCacheFolder(), 'agentjet-dev/browser.lock'), async () => {
    console.log('Installing a browser for the tests (once; about a quarter of a minute) …');
    if (mayInstall()) await installPackage(shell);
    if (mayInstall() && (await findBrowser()) === undefined) await installPackage('chromium');
    if ((await findBrowser()) === undefined) await installPlaywrightChromium();
    const installed = await findBrowser();
    if (installed !== undefined) return installed;
    throw new ToolError(
      `No browser was found and none could be installed (see ${log}). Install Chromium or Chrome so that it is on PATH.`,
    );
  });
}

const shell = 'chromium-headless-shell';
const browserNames = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'msedge',
];
const browserPlaces = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
  ],
  win32: ['ProgramFiles', 'ProgramFiles(x86)', 'LOCALAPPDATA'].flatMap((variable) => {
    const folder = process.env[variable];
    if (folder === undefined) return [];
    return [
      path.join(folder, 'Google/Chrome/Application/chrome.exe'),
      path.join(folder, 'Microsoft/Edge/Application/msedge.exe'),
    ];
  }),
};

async function findBrowser() {
  const { chromium } = await import('playwright-core');
  const places = [...(browserPlaces[process.platform] ?? []), chromium.executablePath()];
  return onPath([shell]) ?? onPath(browserNames) ?? places.find((place) => place !== '' && existsSync(place));
}

async function installPackage(name) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const wait = ['-o', 'DPkg::Lock::Timeout=300'];
  await runLogged('apt-get', [...wait, 'update', '-q'], { log, env });
  await runLogged('apt-get', [...wait, 'install', '-y', '-q', '--no-install-recommends', name], {
    log,
    env,
  });
}

/** Root may, of Debian's packages. Ubuntu has none: its Chromium is a snap, which containers cannot run. */
function mayInstall() {
  if (process.getuid?.() !== 0 || !existsSync('/etc/os-release')) return false;
  return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
}

async function installPlaywrightChromium() {
  const cli = path.join(root, 'node_modules/playwright-core/cli.js');
  await runLogged(projectNode, [cli, 'install', 'chromium'], { log, env: projectEnv() });
}
