/** The trace of a run in its viewer: opened by F5, beside a held run, in a second window, and again later. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import type { Frame, Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { screenshotFile } from '../harness/artifacts.ts';
import { violations } from '../../webview/harness/accessibility.ts';
import { startRun } from '../harness/commandLine.ts';
import { titleButton, useEditor } from '../harness/index.ts';
import { extensionUnderTest } from '../harness/session.ts';

const editor = useEditor({ suite: 'trace', workspace: 'media/examples/math_agent', each: 'window' });

/** What `goToLine` and the like act upon stays where it was: the viewer must not take the focus. */
const activeTab = '.editor-group-container.active .tab.active';

async function lineOf(text: string): Promise<number> {
  const lines = (await readFile(editor().file('workflow.ts'), 'utf8')).split('\n');
  const found = lines.findIndex((line) => line.includes(text));
  expect(found, `the workflow has a line with ${text}`).toBeGreaterThanOrEqual(0);
  return found + 1;
}

/** The only trace below the workspace, absolute. */
async function traceFile(): Promise<string> {
  const files = await readdir(editor().session.workspace, { recursive: true });
  const traces = files.filter((file) => file.endsWith('.ajtrace'));
  expect(traces).toHaveLength(1);
  return editor().file(traces[0] ?? '');
}

/** The episodes' table, once it has rows. */
async function seeRows(viewer: Frame | Page): Promise<void> {
  await viewer.getByRole('grid').waitFor();
  await viewer.locator('.body-row').first().waitFor();
}

async function seeStatus(viewer: Frame | Page, status: string): Promise<void> {
  await viewer.locator('[role="status"]', { hasText: status }).waitFor();
}

/** Opens the first timeline of an episode, whose tokens then show. */
async function openTimeline(viewer: Frame | Page, episode: number): Promise<void> {
  await viewer.locator('.body-row').nth(episode).click();
  await viewer.getByRole('option', { name: 'Timeline 0' }).click();
  await viewer.getByRole('region', { name: 'Timeline 0' }).waitFor();
  await tokens(viewer).first().waitFor();
}

/** From the code to the viewer, which then has the focus: keys pressed before it has would go where it was. */
async function bringToFront(): Promise<void> {
  await editor().press('ControlOrMeta+1');
  await editor().see(activeTab, 'math_agent.yaml');
  await editor().command('AgentJet: Open Last Trace');
  await editor().see(activeTab, '.ajtrace');
  await editor().until('the viewer has the focus', () =>
    editor().page.evaluate(() => document.activeElement?.matches('iframe.webview') === true),
  );
}

/** The tokens of the timeline that shows; the legend's samples are not among them. */
function tokens(viewer: Frame | Page): Locator {
  return viewer.getByRole('listbox', { name: 'Tokens' }).locator('[data-token]');
}

/** Lines of tokens that can be seen in the viewer. */
function linesInSight(viewer: Frame): Promise<number> {
  return tokens(viewer).evaluateAll((all) => {
    const tops = all.flatMap((token) => {
      const [rect] = token.getClientRects();
      return rect && rect.top >= 0 && rect.bottom <= window.innerHeight ? [Math.round(rect.top / 8)] : [];
    });
    return new Set(tops).size;
  });
}

/** Hovers a token and reads its id. */
async function idOfToken(viewer: Frame, text: string): Promise<number> {
  let id = Number.NaN;
  const look = async (): Promise<number> => {
    // Scrolling takes away what is told: it is asked again.
    await editor().page.mouse.move(0, 0);
    await tokens(viewer).filter({ hasText: text }).first().hover();
    const told = await viewer.getByRole('tooltip').allInnerTexts();
    return (id = Number(/id\s+(\d+)/.exec(told.join())?.[1]));
  };
  await expect.poll(look, { interval: 500 }).not.toBeNaN();
  return id;
}

test('F5 ends with the trace open beside the code: in any theme, every episode, and every token with its id', async () => {
  await editor().openFile('math_agent.yaml');
  await editor().see(titleButton);
  await editor().startDebugging();
  const viewer = await editor().webview(60_000);
  await seeRows(viewer);
  await seeStatus(viewer, 'completed');
  await editor().see(activeTab, 'math_agent.yaml');
  await viewer.getByText(/episodes would train/).waitFor();
  await editor().screenshot('after-f5');
  await openTimeline(viewer, 0);
  // Beside the code and above the console there is not much room: the tokens have most of it.
  await editor().see('.part.panel .repl');
  await expect.poll(() => linesInSight(viewer)).toBeGreaterThanOrEqual(8);
  // The built-in tokenizer has the ids of Qwen2.5.
  expect(await idOfToken(viewer, ' careful')).toBe(16585);
  await editor().screenshot('token');
  await viewer.getByRole('button', { name: 'Back' }).click();
  await viewer.getByRole('region', { name: 'Overview' }).waitFor();
  await viewer.getByRole('button', { name: 'Back' }).click();
  await seeRows(viewer);
  await followsThemes(viewer);
});

test('while a breakpoint holds the run, the viewer answers, in this window and in a second one', async () => {
  const line = await lineOf('return { reward: null, metadata: { final_answer: reply.content');
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await editor().see(titleButton);
  await editor().startDebugging();
  await editor().stoppedAt(line);
  await editor().press('F5');
  await editor().see('.repl', 'repeat 1: started');
  await editor().stoppedAt(line);
  await editor().command('AgentJet: Open Last Trace');
  const viewer = await editor().webview();
  await seeStatus(viewer, 'held by the debugger');
  await editor().screenshot('held-run');
  await openTimeline(viewer, 0);
  await editor().screenshot('held');
  await viewer.getByRole('button', { name: 'Back' }).click();

  const window = await openInBrowser(await traceFile());
  const second = window.page;
  await seeStatus(second, 'running');
  await openTimeline(second, 0);
  await second.screenshot({ path: screenshotFile('trace', 'second-window') });
  await second.getByRole('button', { name: 'Back' }).click();

  await editor().command('Remove All Breakpoints');
  await editor().press('F5');
  await editor().seeNo('.debug-toolbar', undefined, 60_000);
  for (const page of [viewer, second]) {
    await page.getByRole('button', { name: 'Back' }).click();
    await seeStatus(page, 'completed');
  }
  await editor().screenshot('after-held');
  await editor().command('AgentJet: Compare Runs');
  await viewer.getByRole('heading', { name: 'Runs' }).waitFor();
  await viewer.locator('.body-row', { hasText: '(this run)' }).waitFor();
  await editor().screenshot('runs');
  await window.close();
});

/** What stands in the status bar about runs. */
const runStatus = /math_agent\S* \d+\/\d+ · \d+:\d\d/;
const statusItem = '.part.statusbar .statusbar-item';

test('a run is followed while it goes on, and its code and its viewer lead to each other', async () => {
  const line = await lineOf('const reply = completion.choices[0]?.message;');
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await editor().see(titleButton);
  await editor().seeNo(statusItem, runStatus);
  await editor().startDebugging();
  await editor().stoppedAt(line);
  await (await editor().see(statusItem, runStatus)).click();
  const viewer = await editor().webview();
  await seeStatus(viewer, 'held by the debugger');
  await viewer.locator('.body-row').first().waitFor();
  const current = viewer.locator('.body-row.current');
  // The place is kept while episodes come, and left for the newest once that is wanted.
  const news = viewer.getByRole('button', { name: /Follow latest \d+ new/ });
  // By its button, which is there while something stands still: a stop takes the keys from the palette.
  const go = editor().page.locator('.debug-toolbar .codicon-debug-continue');
  await editor().until('another episode has begun', async () => {
    if ((await news.count()) > 0) return true;
    if ((await go.count()) > 0) await go.click();
    return false;
  });
  await expect.poll(() => current.getAttribute('aria-rowindex')).toBe('2');
  await editor().screenshot('news');
  await news.click();
  await expect.poll(() => current.getAttribute('aria-rowindex')).not.toBe('2');
  await editor().screenshot('following');
  await go.waitFor();
  await editor().command('Remove All Breakpoints');
  await go.click();
  await editor().seeNo('.debug-toolbar', undefined, 60_000);
  await editor().seeNo(statusItem, runStatus);
  await seeStatus(viewer, 'completed');

  // From the code to the calls, and from an episode of theirs to the debugger.
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await (await editor().see('.codelens-decoration a', /calls · .*tokens\/call/)).click();
  const calls = await editor().webview();
  const filter = calls.getByRole('combobox', { name: 'Filter' });
  await expect.poll(() => filter.inputValue()).toBe(`source:workflow.ts:${line - 5}`);
  await editor().screenshot('lens');
  await calls.locator('.body-row').first().click();
  await calls.getByRole('option', { name: 'Call 0' }).click();
  await calls.getByRole('region', { name: 'Call 0' }).waitFor();
  await calls.getByRole('button', { name: 'Debug this episode' }).click();
  await editor().stoppedAt(line - 5);
  await go.click();
  await editor().stoppedAt(line);
  await editor().screenshot('debugged-again');
});

/** A part of the path to where one is. */
function crumb(viewer: Frame, name: string): Locator {
  return viewer.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('button', { name });
}

test('each level is a click or a key away; two repeats are compared, and a task with that of another run', async () => {
  await startRun(editor(), 'math_agent.yaml', '--tasks', '1', '--repeat', '2').ended;
  const [first = ''] = await readdir(editor().file('saved_experiments'));
  await editor().openFile('math_agent.yaml');
  await editor().see(titleButton);
  await editor().startDebugging();
  const viewer = await editor().webview(60_000);
  await seeRows(viewer);
  await seeStatus(viewer, 'completed');
  // Room for all that a level has.
  await editor().command('View: Hide Panel');
  await editor().seeNo('.part.panel .repl');
  await viewer.getByRole('button', { name: 'Groups', exact: true }).click();
  await viewer.getByRole('grid', { name: '4 groups' }).waitFor();
  await editor().screenshot('level groups');
  await viewer.locator('.body-row').first().click();
  await viewer.getByRole('grid', { name: '4 repeats' }).waitFor();
  await editor().screenshot('level group');

  await viewer.getByRole('checkbox', { name: 'Mark repeat 0' }).click();
  await viewer.getByRole('checkbox', { name: 'Mark repeat 3' }).click();
  await viewer.getByRole('button', { name: 'Compare repeats 0 and 3' }).waitFor();
  await editor().press('c');
  await viewer.getByRole('heading', { name: 'Episode 0 and episode 3' }).waitFor();
  await viewer.getByRole('region', { name: 'First difference' }).waitFor();
  await editor().screenshot('level compare');
  await viewer.getByRole('button', { name: 'Back' }).click();
  await viewer.getByRole('grid', { name: '4 repeats' }).waitFor();
  await viewer.getByRole('button', { name: 'Forward' }).click();
  await viewer.getByRole('heading', { name: 'Episode 0 and episode 3' }).waitFor();

  await crumb(viewer, 'repeat 0').click();
  await viewer.getByRole('region', { name: 'Overview' }).waitFor();
  await viewer.getByRole('region', { name: 'Time of the episode' }).waitFor();
  await viewer.getByRole('button', { name: 'Merging' }).click();
  await viewer.getByText('2 calls became one timeline.').waitFor();
  await viewer.getByRole('button', { name: 'Outcome' }).click();
  await viewer.getByText('Expected answer').waitFor();
  await editor().screenshot('level episode');
  const calls = viewer.getByRole('listbox', { name: 'Calls' });
  await calls.getByRole('option', { name: 'Call 0' }).click();
  const call = viewer.getByRole('region', { name: 'Call 0' });
  await call.locator('.message').first().waitFor();
  await editor().screenshot('level call');
  await call.getByRole('button', { name: 'Timeline 0' }).click();
  await tokens(viewer).first().waitFor();
  await editor().screenshot('level tokens');
  await editor().press('m');
  await viewer.locator('.conversation .message').first().waitFor();
  await editor().screenshot('level conversation');
  await editor().press('m');
  await tokens(viewer).first().waitFor();
  await editor().press('u');
  await viewer.getByRole('region', { name: 'Overview' }).waitFor();
  await crumb(viewer, 'train-001').click();
  await viewer.getByRole('grid', { name: '4 repeats' }).waitFor();

  await viewer.getByRole('button', { name: 'Compare with another run' }).click();
  await editor().pick(first);
  await viewer.getByRole('heading', { name: `(${first}.ajtrace), episode` }).waitFor();
  await viewer.locator('.compare-row').first().waitFor();
  await editor().screenshot('level compare runs');
  // What was chosen may be read again once the page was unloaded.
  await bringToFront();
  await editor().openFile('judge.ts');
  await editor().seeNo('iframe.webview');
  await editor().command('AgentJet: Open Last Trace');
  await (await editor().webview()).locator('.compare-row').first().waitFor();
});

/** Ids of themes by the names that the editor lists them under. */
const themes = {
  'Light 2026': 'Light 2026',
  'Dark 2026': 'Dark 2026',
  'Dark High Contrast': 'Default High Contrast',
  'Light High Contrast': 'Default High Contrast Light',
};

/** The theme that the viewer has, and how its page looks beside what the theme says. */
function looks(viewer: Frame) {
  return viewer.evaluate(() => {
    const probe = document.createElement('i');
    probe.style.cssText = `padding: 0; font-family: var(--vscode-font-family); color: var(--vscode-foreground);
      background-color: var(--vscode-editor-background)`;
    document.body.append(probe);
    const looksOf = (element: Element) => {
      const { padding, fontFamily, color, backgroundColor } = getComputedStyle(element);
      return { padding, fontFamily, color, backgroundColor };
    };
    const found = {
      theme: document.body.dataset['vscodeThemeId'],
      is: looksOf(document.body),
      should: looksOf(probe),
    };
    probe.remove();
    return found;
  });
}

/** The page of the run in each theme, and its other pages in the last one. */
async function followsThemes(viewer: Frame): Promise<void> {
  for (const [name, theme] of Object.entries(themes)) {
    await editor().press('ControlOrMeta+k', 'ControlOrMeta+t');
    await editor().pick(name);
    await expect.poll(() => looks(viewer)).toMatchObject({ theme });
    const { is, should } = await looks(viewer);
    expect(is).toEqual(should);
    await editor().screenshot(`run ${name}`);
    expect(await violations(viewer)).toEqual([]);
  }
  // One of a task whose rewards are all equal.
  await openTimeline(viewer, 12);
  await viewer.getByText('Would not train: All repeats of the task').waitFor();
  await viewer.getByRole('listbox', { name: 'Tokens' }).focus();
  await viewer.getByRole('tooltip').waitFor();
  await editor().screenshot('timeline');
  expect(await violations(viewer)).toEqual([]);
  await viewer.getByRole('button', { name: 'Back' }).click();
  await viewer.getByRole('region', { name: 'Overview' }).waitFor();
  await editor().screenshot('episode');
  expect(await violations(viewer)).toEqual([]);
}

/** A second window: the viewer that the command line serves, in a browser context of its own. */
async function openInBrowser(trace: string): Promise<{ page: Page; close: () => Promise<void> }> {
  const cli = path.join(extensionUnderTest(), 'dist/cli.mjs');
  const server = spawn(process.execPath, [cli, 'trace', trace], {
    env: { ...process.env, BROWSER: 'none' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  onTestFinished(() => void server.kill());
  let said = '';
  const address = await new Promise<string>((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /viewer: (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    void ended.then(() => reject(new Error(`The viewer ended:\n${said}`)));
  });
  const browser = editor().page.context().browser();
  if (browser === null) throw new Error('The page has no browser.');
  const page = await (await browser.newContext({ viewport: { width: 1200, height: 800 } })).newPage();
  await page.goto(address);
  const close = async (): Promise<void> => {
    server.kill('SIGINT');
    await ended;
  };
  return { page, close };
}
