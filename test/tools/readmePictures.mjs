/**
 * Makes the pictures of README and docs in media/readme: run.png and tokens.png in the viewer that the command line serves,
 * f5.png and effective.png in a real VS Code.
 *
 *   npm run pictures
 */
import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { chromium } from 'playwright-core';
import { openEditor, titleButton } from '../e2e/harness/editor.ts';
import { root } from './commands.mjs';
import { ensureBrowser } from './vscodeServer.mjs';

const cli = path.join(root, 'dist/cli.mjs');
const config = path.join(root, 'media/examples/math_agent/math_agent.yaml');
const temp = mkdtempSync(path.join(tmpdir(), 'agentjet-pictures-'));

/** The pictures of the viewer. `prepare` brings the page into the state of the picture. */
const viewerPictures = [
  {
    name: 'run',
    viewport: { width: 1180, height: 720 },
    prepare: async (page) => {
      await page.locator('.body-row').first().waitFor();
    },
  },
  {
    name: 'tokens',
    viewport: { width: 1180, height: 720 },
    prepare: async (page) => {
      await page.locator('.body-row').nth(1).click();
      await page.getByRole('option', { name: 'Timeline 0' }).click();
      const tokens = page.getByRole('listbox', { name: 'Tokens' });
      await tokens.focus();
      // A token of the last reply, with its tooltip.
      await page.keyboard.press('End');
      await tokens.locator('.token.current:not([data-token="0"])').waitFor();
      await page.keyboard.press('ArrowUp');
      await tokens.locator('.token.trained.current').waitFor();
      await page.getByRole('tooltip').waitFor();
    },
  },
];

/** The pictures of the editor. */
const editorPictures = [
  {
    name: 'f5',
    workspace: 'media/examples/math_agent',
    prepare: async (editor) => {
      await editor.openFile('math_agent.yaml');
      await editor.openFile('workflow.ts');
      await editor.see(titleButton);
      const call = 28;
      await editor.setBreakpoint(call);
      await editor.startDebugging();
      await editor.stoppedAt(call);
      await editor.see('.debug-view-content .monaco-list-row', 'Local');
      // `messages` with the calls of the model and the tool.
      await editor.goToLine(30, 10);
      await editor.press('ControlOrMeta+k', 'ControlOrMeta+i');
      await editor.see('.debug-hover-tree .monaco-list-row');
    },
  },
  {
    name: 'effective',
    workspace: 'test/fixtures/workspace',
    prepare: async (editor) => {
      await editor.openFile('agent.yaml');
      await editor.see(titleButton);
      await editor.press('ControlOrMeta+b');
      await editor.command('AgentJet: Show Effective Config');
      await editor.see('.tab.active', 'agent (effective).yaml');
      await editor.see('.view-line', '# agent.yaml:2');
    },
  },
];

const pictureFile = (name) => path.join(root, `media/readme/${name}.png`);

/** Serves a trace. Resolves to the address of the viewer, and the process that it ends with. */
async function serve(trace) {
  const server = spawn(process.execPath, [cli, 'trace', trace], {
    env: { ...process.env, BROWSER: 'none' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const address = await new Promise((resolve, reject) => {
    let said = '';
    server.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
      const found = /viewer: (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    server.once('exit', () => reject(new Error(`The viewer ended:\n${said}`)));
  });
  return { server, address };
}

async function take(address) {
  const browser = await chromium.launch({ executablePath: await ensureBrowser(), args: ['--no-sandbox'] });
  try {
    for (const { name, viewport, prepare } of viewerPictures) {
      const context = await browser.newContext({
        viewport,
        colorScheme: 'light',
        locale: 'en-GB',
        timezoneId: 'UTC',
      });
      const page = await context.newPage();
      await page.goto(address);
      await prepare(page);
      await page.screenshot({ path: pictureFile(name) });
      await context.close();
    }
  } finally {
    await browser.close();
  }
}

async function takeEditorPicture({ name, workspace, prepare }) {
  const settings = { 'editor.minimap.enabled': false, 'editor.stickyScroll.enabled': false };
  const editor = await openEditor({ suite: 'pictures', workspace, settings });
  try {
    await prepare(editor);
    await editor.page.screenshot({ path: pictureFile(name) });
  } finally {
    await editor.close();
  }
}

try {
  for (const picture of editorPictures) await takeEditorPicture(picture);
  const run = ['--conf', config, '--backbone', 'debug', '--exp-dir', temp];
  execFileSync(process.execPath, [cli, ...run], { stdio: 'ignore' });
  const [trace] = globSync('**/*.ajtrace', { cwd: temp });
  const { server, address } = await serve(path.join(temp, trace));
  await take(address);
  server.kill('SIGINT');
} finally {
  rmSync(temp, { recursive: true, force: true });
}
