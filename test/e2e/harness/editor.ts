/** The keys that a user presses, and the waits for what they bring about. */
import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errors, type Frame, type Locator, type Page } from 'playwright-core';
import { screenshotFile } from './artifacts.ts';
import { describeWindow } from './describeWindow.ts';
import { countRetry } from './retries.ts';
import { tidyKey } from './server.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';

const waitMs = 45_000;
/** The pause between two probes of a state that is not on the page. Listing all processes is expensive. */
const pollMs = 100;
/** How long the effect of an action may take. After that, the action counts as lost and is repeated. */
const effectMs = 10_000;

/** The Run button in the title of an editor. It shows once the extension knows the active editor, which F5 needs too. */
export const titleButton = '.editor-actions .action-label[aria-label*="Episodes"]';

/** Opens an editor and waits until its workbench accepts keys. */
export async function openEditor(options: SessionOptions): Promise<Editor> {
  const session = await openSession(options);
  try {
    const editor = new Editor(session, options.suite);
    await editor.ready();
    return editor;
  } catch (error) {
    await session.keepEvidence('start');
    await session.close();
    throw error;
  }
}

/** Maps Playwright's timeout to false. Rethrows any other error. */
function isTimeout(error: unknown): false {
  if (error instanceof errors.TimeoutError) return false;
  throw error;
}

export class Editor {
  readonly session: Session;
  readonly page: Page;
  readonly #suite: string;

  constructor(session: Session, suite: string) {
    this.session = session;
    this.page = session.page;
    this.#suite = suite;
  }

  /** The file's path in the open workspace. */
  file(name: string): string {
    return path.join(this.session.workspace, name);
  }

  /** Waits until the commands of all extensions are registered and the extension host answers. */
  async ready(): Promise<void> {
    await this.see('.monaco-workbench .part.statusbar .statusbar-item');
    await this.see(
      '.monaco-workbench .part.sidebar .explorer-folders-view, .monaco-workbench .editor-instance',
    );
    await this.page.waitForFunction(
      (marks) => marks.every((mark) => performance.getEntriesByName(mark).length > 0),
      // The last: VS Code sets `isWorkspaceTrusted`, on which commands depend, in an idle moment after the start.
      ['code/didStartWorkbench', 'code/didLoadExtensions', 'code/didCreateWorkbenchContributions/3'],
      { timeout: waitMs },
    );
    await this.seeNo('.part.statusbar .statusbar-item', 'Activating Extensions');
  }

  /**
   * Resets the window: closes dialogs, debug sessions and editors, removes breakpoints and output, and gives the
   * workspace the files that it had when the window was opened.
   */
  async startOver(): Promise<void> {
    await this.press('Escape');
    const toolbar = this.page.locator('.debug-toolbar');
    if (await toolbar.isVisible()) await this.stopDebugging();
    const dontSave = this.page.locator('.monaco-dialog-box .monaco-button', { hasText: /^Don't Save$/ });
    // A webview that is still loading drops keys.
    await this.page.evaluate(() => {
      if (document.activeElement instanceof HTMLIFrameElement) document.activeElement.blur();
    });
    await this.press(tidyKey);
    await dontSave
      .or(this.page.locator('.editor-group-container.empty'))
      .first()
      .waitFor({ timeout: waitMs });
    if (await dontSave.isVisible()) await dontSave.click();
    await this.seeNo('.editor-group-container .tab');
    await this.seeNo('.part.panel');
    await this.seeNo('.notification-toast');
    await this.session.restoreWorkspace();
  }

  /** See {@link Session.renew}. */
  async renew(): Promise<Editor> {
    const renewed = new Editor(await this.session.renew(), this.#suite);
    await renewed.ready();
    return renewed;
  }

  /** Opens another window of this editor, on the same workspace. Each window has its own extension host. */
  async anotherWindow(): Promise<Editor> {
    const page = await this.page.context().newPage();
    await page.goto(this.page.url());
    const other = new Editor({ ...this.session, page }, this.#suite);
    await other.ready();
    return other;
  }

  /** Resolves to the window that `act` makes the editor open, on a folder. */
  async windowOpenedBy(act: () => Promise<void>): Promise<Editor> {
    const [page] = await Promise.all([this.page.context().waitForEvent('page', { timeout: waitMs }), act()]);
    await page.waitForURL(/[?&]folder=/, { timeout: waitMs });
    const workspace = new URL(page.url()).searchParams.get('folder') ?? '';
    const other = new Editor({ ...this.session, page, workspace }, this.#suite);
    await other.ready();
    return other;
  }

  /** Waits until an element that matches `selector` and contains `text` is visible. */
  async see(selector: string, text?: string | RegExp, timeoutMs = waitMs): Promise<Locator> {
    const found = this.page.locator(selector, text === undefined ? {} : { hasText: text }).first();
    await found.waitFor({ state: 'visible', timeout: timeoutMs }).catch(async (error: unknown) => {
      if (timeoutMs < waitMs || !(error instanceof errors.TimeoutError)) throw error;
      throw await this.#timeout(error.message, error);
    });
    return found;
  }

  /** Waits until no element that matches is visible. */
  async seeNo(selector: string, text?: string | RegExp, timeoutMs = waitMs): Promise<void> {
    const found = this.page.locator(selector, text === undefined ? {} : { hasText: text }).first();
    await found.waitFor({ state: 'hidden', timeout: timeoutMs });
  }

  /** Presses keys in Playwright's notation; `ControlOrMeta` is the main modifier of the system. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** Runs a command by its title, as the command palette shows it. */
  async command(title: string): Promise<void> {
    await this.#takeCommand(title);
    await this.seeNo('.quick-input-widget');
  }

  /** Runs a command that asks something in the same quick input. */
  async commandThatAsks(title: string): Promise<void> {
    const row = await this.#takeCommand(title);
    await row.waitFor({ state: 'hidden' });
  }

  /** Runs a command that asks, and answers with a row. */
  async commandWith(title: string, label: string): Promise<void> {
    await this.commandThatAsks(title);
    await this.pick(label);
  }

  /** Answers the dialog for a folder, which is a quick input in a browser. */
  chooseFolder(folder: string, button: string): Promise<void> {
    return this.#answerFileDialog(folder, `${folder}/`, button);
  }

  /** Answers the dialog for a file, which is a quick input in a browser. */
  chooseFile(file: string, button: string): Promise<void> {
    return this.#answerFileDialog(path.dirname(file), file, button);
  }

  /** Takes a row of a quick pick that is open or opens soon. */
  async pick(label: string): Promise<void> {
    await this.#firstRow(label, label);
    await this.press('Enter');
    await this.seeNo('.quick-input-widget');
  }

  /** Takes a row that leads to another question in the same quick input. */
  async pickThatAsks(label: string): Promise<void> {
    const row = await this.#firstRow(label, label);
    await this.press('Enter');
    await row.waitFor({ state: 'hidden' });
  }

  /**
   * Opens a file of the workspace and waits until its content shows, by default its text. Types the absolute path: for a
   * name, VS Code may search the file list of the previous search, in which a new file is missing.
   */
  async openFile(name: string, content = '.editor-group-container.active .view-line'): Promise<void> {
    await this.#take('ControlOrMeta+p', this.file(name), path.basename(name));
    await this.seeNo('.quick-input-widget');
    await this.see('.tab.active', path.basename(name));
    await this.see(content);
  }

  /** Trusts the folder of an editor that was opened with `workspaceTrust`. */
  async trustWorkspace(): Promise<void> {
    await this.command('Workspaces: Manage Workspace Trust');
    const button = await this.see('.workspace-trust-editor .monaco-button', /^Trust$/);
    await button.click();
    await this.seeNo('.part.statusbar .statusbar-item', 'Restricted Mode');
  }

  /** Moves the cursor of the active editor. Lines and columns count from 1. */
  async goToLine(line: number, column = 1): Promise<void> {
    await this.#take('ControlOrMeta+g', `:${line}:${column}`, new RegExp(`line ${line}\\b`));
    await this.seeNo('.quick-input-widget');
    await this.see('.part.statusbar .statusbar-item', `Ln ${line}, Col ${column}`);
  }

  /**
   * Opens the menu of quick fixes at a marked position of the active editor. One retry is allowed: each change of the
   * markers makes VS Code look up fixes for the light bulb, and that lookup cancels a menu that is about to open.
   */
  async openFixes(line: number, column: number): Promise<void> {
    await this.goToLine(line, column);
    await this.see('.monaco-editor [class*="lightbulb"]');
    await this.retry('the menu of fixes shows', async () => {
      await this.press('ControlOrMeta+.');
      return this.#showsSoon('.action-widget .monaco-list-row');
    });
  }

  /**
   * Rests the mouse on a text until the editor shows `explanation`. One retry is allowed: VS Code closes a hover when
   * the line or the row under the mouse is rendered again.
   */
  async hover(selector: string, text: RegExp, explanation: string | RegExp): Promise<void> {
    await this.retry(`the hover has ${String(explanation)}`, async () => {
      await this.page.mouse.move(720, 450);
      await (await this.see(selector, text)).hover();
      return this.#showsSoon('.monaco-hover', explanation);
    });
  }

  /**
   * Clicks on a row of a tree and waits until it is selected. One retry is allowed: a row that is rendered again
   * between the press and the release of the button gets no click.
   */
  async select(row: string, text: RegExp, ...modifiers: 'ControlOrMeta'[]): Promise<void> {
    await this.retry(`${String(text)} is selected`, async () => {
      await (await this.see(row, text)).click({ modifiers });
      return this.#showsSoon(`${row}.selected`, text);
    });
  }

  /** Sets a breakpoint in the active editor and waits for its dot. Lines count from 1. */
  async setBreakpoint(line: number): Promise<void> {
    await this.goToLine(line);
    const dots = this.page.locator('.editor-group-container.active .codicon-debug-breakpoint');
    const before = await dots.count();
    await this.press('F9');
    await this.until('a breakpoint shows', async () => (await dots.count()) > before);
  }

  /** Starts debugging as F5 does and waits for the debug toolbar. */
  async startDebugging(): Promise<void> {
    // The page looks in every animation frame, because a short run ends soon.
    const started = this.page.waitForFunction(
      () => document.querySelector('.debug-toolbar')?.checkVisibility() === true,
      undefined,
      { polling: 'raf', timeout: waitMs },
    );
    await this.press('F5');
    await started;
  }

  /** Waits until the debugger has stopped on a line of the active editor. */
  async stoppedAt(line: number, timeoutMs = waitMs): Promise<void> {
    await this.see('.debug-top-stack-frame-line, .codicon-debug-stackframe', undefined, timeoutMs);
    await this.see('.part.statusbar .statusbar-item', new RegExp(`Ln ${line}, Col`), timeoutMs);
  }

  /** Shows the debug console and waits until it has the focus, which would else close a quick input that opens next. */
  async showConsole(): Promise<void> {
    await this.press('ControlOrMeta+Shift+y');
    await this.see('.repl-input-wrapper .monaco-editor.focused');
  }

  async stopDebugging(): Promise<void> {
    await this.press('Shift+F5');
    await this.seeNo('.debug-toolbar');
  }

  /** Resolves to the document inside a webview, which is two frames deep. */
  async webview(timeoutMs = waitMs): Promise<Frame> {
    const outer = await this.see('iframe.webview', undefined, timeoutMs);
    const inner = outer.contentFrame().locator('#active-frame');
    await inner.waitFor({ state: 'attached', timeout: timeoutMs });
    const handle = await inner.elementHandle({ timeout: timeoutMs });
    const frame = await handle.contentFrame();
    if (!frame) throw new Error('The webview has no document.');
    return frame;
  }

  /** Polls until `probe` resolves to true. It must not act. `what` names the awaited state in the error. */
  async until(what: string, probe: () => Promise<boolean>, timeoutMs = waitMs): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await probe())) {
      if (Date.now() > deadline) throw await this.#timeout(`Not within ${timeoutMs / 1000} s: ${what}.`);
      await delay(pollMs);
    }
  }

  /** Acts until `attempt` resolves to true. Each further attempt counts as a retry of the test: see `useEditor`. */
  async retry(what: string, attempt: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + waitMs;
    while (!(await attempt())) {
      if (Date.now() > deadline) throw await this.#timeout(`Not within ${waitMs / 1000} s: ${what}.`);
      countRetry(what, await describeWindow(this.page));
    }
  }

  /** Saves a picture of the whole window to .artifacts/screenshots/<suite>/<name>.png. */
  async screenshot(name: string): Promise<string> {
    const file = screenshotFile(this.#suite, name);
    await mkdir(path.dirname(file), { recursive: true });
    await this.page.screenshot({ path: file });
    return file;
  }

  close(): Promise<void> {
    return this.session.close();
  }

  #takeCommand(title: string): Promise<Locator> {
    return this.#take('F1', `>${title}`, title);
  }

  /** Opens a quick input by its key, types into it, and takes its first row once that has `label`. */
  async #take(key: string, query: string, label: string | RegExp): Promise<Locator> {
    await this.press(key);
    const row = await this.#firstRow(query, label);
    await this.press('Enter');
    return row;
  }

  /**
   * Types an answer into the file dialog and clicks on its button. One retry is allowed: the dialog ignores the button
   * while it reads a folder, and shows that only after 0.8 s.
   */
  async #answerFileDialog(folder: string, answer: string, button: string): Promise<void> {
    const input = await this.see('.quick-input-widget input');
    // The dialog first fills in the folder where it starts, and lists that.
    await this.see('.quick-input-widget .monaco-list-row', '..');
    await input.fill(answer);
    const rows = this.page.locator('.quick-input-widget .monaco-list-row');
    const names = new Set(['..', ...(await readdir(folder))]);
    await this.until(`the dialog lists ${folder}`, async () => {
      const listed = await rows.allInnerTexts();
      return listed.length > 0 && listed.every((name) => names.has(name.trim()));
    });
    const accept = this.page.locator('.quick-input-widget .monaco-button', { hasText: button });
    await this.retry('the dialog has its answer', async () => {
      await accept.click();
      return this.seeNo('.quick-input-widget', undefined, effectMs).then(() => true, isTimeout);
    });
  }

  /** Types into the open quick input and waits until its first row has `label`. */
  async #firstRow(query: string, label: string | RegExp): Promise<Locator> {
    const input = await this.see('.quick-input-widget input');
    await input.fill(query);
    return this.see('.quick-input-widget .monaco-list-row.focused', label);
  }

  #showsSoon(selector: string, text?: string | RegExp): Promise<boolean> {
    return this.see(selector, text, effectMs).then(() => true, isTimeout);
  }

  async #timeout(message: string, cause?: unknown): Promise<errors.TimeoutError> {
    return new errors.TimeoutError(`${message}\nInstead: ${await describeWindow(this.page)}`, { cause });
  }
}
