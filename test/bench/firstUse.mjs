/**
 * The seconds from an installed extension, or from a clone, to the first stop at a breakpoint. A real VS Code gets the keys
 * that a new user would press. No path is typed.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { Editor, openEditor, titleButton } from '../e2e/harness/editor.ts';
import { artifacts, root } from '../tools/commands.mjs';
import { ensureBrowser } from '../tools/vscodeServer.mjs';
import { leastRuns } from './measure.mjs';

/** The limits are for two cores and a filled npm cache. */
export const firstUseBenches = [
  firstUse('first-use-vsix', 'the installed VSIX', 30, fromVsix),
  firstUse('first-use-clone', 'git clone', 60, fromClone),
];

function firstUse(name, start, limit, run) {
  return {
    name,
    metric: `s from ${start} to a breakpoint in the example`,
    baselineName: 'the limit',
    target: 1,
    measure: async () => {
      const ours = [];
      let watch;
      while (ours.length < leastRuns) {
        watch = new Stopwatch();
        ours.push(await run(watch));
      }
      return { ours, baseline: ours.map(() => limit), note: `the last: ${watch.steps.join(', ')}` };
    },
  };
}

class Stopwatch {
  steps = [];
  #start;
  #last;

  start() {
    this.#start = this.#last = performance.now();
  }

  /** Notes the seconds since the step before. Returns the seconds since the start. */
  step(text) {
    const now = performance.now();
    this.steps.push(`${text} ${((now - this.#last) / 1000).toFixed(1)} s`);
    this.#last = now;
    return (now - this.#start) / 1000;
  }
}

/** Sets a breakpoint where the cursor is in the first window, and starts. */
async function stopInExample(editor, watch) {
  await editor.see('.editor-group-container.active .tab.active', 'workflow.ts');
  await editor.see(titleButton);
  watch.step('workflow shown');
  await editor.press('F9');
  await editor.see('.codicon-debug-breakpoint');
  watch.step('breakpoint set');
  await editor.startDebugging();
  await editor.see('.debug-top-stack-frame-line, .codicon-debug-stackframe');
  return watch.step('run stopped');
}

async function fromVsix(watch) {
  execFileSync(process.execPath, [path.join(root, 'test/tools/package.mjs')], { stdio: 'pipe' });
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  const extension = path.join(artifacts, `agentjet-${version}.vsix`);
  const editor = await openEditor({ suite: 'first-use', extension });
  try {
    watch.start();
    await editor.commandThatAsks('AgentJet: Open Example');
    await editor.pickThatAsks('math_agent');
    await editor.pickThatAsks('TypeScript');
    watch.step('example chosen');
    const example = await editor.windowOpenedBy(async () => {
      await editor.see('.quick-input-widget .monaco-list-row', '..');
      await (await editor.see('.quick-input-widget .monaco-button', 'Create math_agent Here')).click();
    });
    watch.step('window open');
    return await stopInExample(example, watch);
  } finally {
    await editor.close();
  }
}

async function fromClone(watch) {
  const temp = await mkdtemp(path.join(tmpdir(), 'agentjet-first-use-'));
  const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: ['--no-sandbox'] });
  const clone = path.join(temp, 'clone');
  let server;
  try {
    watch.start();
    execFileSync('git', ['clone', '--quiet', root, clone]);
    watch.step('cloned');
    server = spawn('npm', ['start', '--', '--browser'], {
      cwd: clone,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const address = await addressOf(server);
    watch.step('npm start printed its address');
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(address);
    return await stopInExample(new Editor({ page, workspace: clone, temp }, 'first-use'), watch);
  } finally {
    await browser.close();
    if (server !== undefined) process.kill(-server.pid, 'SIGINT');
    await rm(temp, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
}

/** Resolves to the address that `npm start` prints. */
async function addressOf(server) {
  for await (const line of createInterface(server.stdout)) {
    const address = /http:\S+/.exec(line)?.[0];
    if (address !== undefined) return address;
  }
  throw new Error('npm start ended without an address.');
}
