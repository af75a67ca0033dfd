/**
 * Makes the README's pictures of the viewer, media/readme/run.png and tokens.png, of a real run of an example in the
 * viewer that the command line serves. Needs `node esbuild.mjs` first.
 *
 *   node test/tools/readmePictures.mjs
 */
import { execFileSync, spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { chromium } from 'playwright-core';
import { root } from './commands.mjs';
import { ensureBrowser } from './vscodeServer.mjs';

const cli = path.join(root, 'dist/cli.mjs');
const config = path.join(root, 'media/examples/math_agent/math_agent.yaml');
const temp = mkdtempSync(path.join(tmpdir(), 'agentjet-pictures-'));

/** What is done on the page before each picture, and the size of its window. */
const pictures = [
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
      // A token of the last reply, with what is told of it.
      await page.keyboard.press('End');
      await tokens.locator('.token.current:not([data-token="0"])').waitFor();
      await page.keyboard.press('ArrowUp');
      await tokens.locator('.token.trained.current').waitFor();
      await page.getByRole('tooltip').waitFor();
    },
  },
];

/** The address of a viewer that ends with the returned process. */
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
    for (const { name, viewport, prepare } of pictures) {
      const context = await browser.newContext({
        viewport,
        colorScheme: 'light',
        locale: 'en-GB',
        timezoneId: 'UTC',
      });
      const page = await context.newPage();
      await page.goto(address);
      await prepare(page);
      await page.screenshot({ path: path.join(root, `media/readme/${name}.png`) });
      await context.close();
    }
  } finally {
    await browser.close();
  }
}

try {
  const run = ['--conf', config, '--backbone', 'debug', '--exp-dir', temp];
  execFileSync(process.execPath, [cli, ...run], { stdio: 'ignore' });
  const [trace] = globSync('**/*.ajtrace', { cwd: temp });
  const { server, address } = await serve(path.join(temp, trace));
  await take(address);
  server.kill('SIGINT');
} finally {
  rmSync(temp, { recursive: true, force: true });
}
