/** The keys a user presses, and the waits that tell that the editor has followed. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errors, type Frame, type Locator, type Page } from 'playwright-core';
import { screenshotFile } from './artifacts.ts';
import { inFront } from './inFront.ts';
import { tidyKey } from './server.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';

const waitMs = 45_000;
/** Between two looks at what is not on the page: a look at all processes is dear. */
const pollMs = 100;
/** How long a dialog may take to close once it has its answer. */
const acceptMs = 1_000;
/** How long something that was opened by a key may take to show what it should before it is opened anew. */
const openMs = 3_000;
/** The same for a file, whose editor may be the first of a window. */
const fileMs = 10_000;

/** Shows once the extension has told the editor what is in front, on which F5 depends as well. */
export const titleButton = '.editor-actions .action-label[aria-label*="Episodes"]';

/** Opens an editor and waits until its workbench is ready for keys. */
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

/** Playwright's time is up: there is another try. Anything else is a failure. */
function giveUp(error: unknown): undefined {
  if (error instanceof errors.TimeoutError) return undefined;
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

  async ready(): Promise<void> {
    await this.see('.monaco-workbench .part.statusbar .statusbar-item');
    await this.see(
      '.monaco-workbench .part.sidebar .explorer-folders-view, .monaco-workbench .editor-instance',
    );
    await this.page.locator('.monaco-workbench').click({ position: { x: 720, y: 450 } });
  }

  /**
   * Leaves nothing of a test in the window: no dialog, session, breakpoint, output of a run or editor, and no other files
   * in the workspace than it had when the window was opened.
   */
  async startOver(): Promise<void> {
    await this.press('Escape');
    const toolbar = this.page.locator('.debug-toolbar');
    if (await toolbar.isVisible()) await this.stopDebugging();
    const dontSave = this.page.locator('.monaco-dialog-box .monaco-button', { hasText: /^Don't Save$/ });
    const tidied = dontSave.or(this.page.locator('.editor-group-container.empty')).first();
    // A key that is pressed while the focus moves is lost.
    await this.until('the window is tidied', async () => {
      await this.press(tidyKey);
      return (await tidied.waitFor({ timeout: openMs }).then(() => true, giveUp)) === true;
    });
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

  /** Another window of this editor, on the same workspace and with an extension host of its own. */
  async anotherWindow(): Promise<Editor> {
    const page = await this.page.context().newPage();
    await page.goto(this.page.url());
    const other = new Editor({ ...this.session, page }, this.#suite);
    await other.ready();
    return other;
  }

  /** The window that `act` makes the editor open. */
  async windowOpenedBy(act: () => Promise<void>): Promise<Editor> {
    const opened = this.page.context().waitForEvent('page', { timeout: waitMs });
    await act();
    const other = new Editor({ ...this.session, page: await opened }, this.#suite);
    await other.ready();
    return other;
  }

  /** Waits until something that matches `selector`, and has `text` in it, shows. */
  async see(selector: string, text?: string | RegExp, timeoutMs = waitMs): Promise<Locator> {
    const found = this.page.locator(selector, text === undefined ? {} : { hasText: text }).first();
    await found.waitFor({ state: 'visible', timeout: timeoutMs }).catch(async (error: unknown) => {
      if (timeoutMs < waitMs || !(error instanceof errors.TimeoutError)) throw error;
      throw new errors.TimeoutError(`${error.message}\nInstead: ${await inFront(this.page)}`, {
        cause: error,
      });
    });
    return found;
  }

  /** Waits until nothing that matches shows any more. */
  async seeNo(selector: string, text?: string | RegExp, timeoutMs = waitMs): Promise<void> {
    const found = this.page.locator(selector, text === undefined ? {} : { hasText: text }).first();
    await found.waitFor({ state: 'hidden', timeout: timeoutMs });
  }

  /** Presses keys in Playwright's notation; `ControlOrMeta` is the main modifier of the system. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Presses keys, again and again, until what they bring for a while only shows. */
  async seeAfter(keys: readonly string[], selector: string, text?: string | RegExp): Promise<void> {
    await this.until(`${keys.join(', ')} brings ${selector}`, async () => {
      const shows = this.see(selector, text, openMs).catch(giveUp);
      await this.press(...keys);
      return (await shows) !== undefined;
    });
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }

  /** Runs a command by its title, as the command palette shows it. */
  async command(title: string): Promise<void> {
    await this.#takeCommand(title);
    await this.seeNo('.quick-input-widget');
  }

  /** Runs a command that goes on to ask in the same quick input. */
  async commandThatAsks(title: string): Promise<void> {
    const row = await this.#takeCommand(title);
    await row.waitFor({ state: 'hidden' });
  }

  /**
   * Runs a command that asks, and answers with a row. Whatever takes the focus closes the question as well, and would be
   * given the answer: it is asked again.
   */
  async commandWith(title: string, label: string): Promise<void> {
    await this.until(`"${title}" is answered with ${label}`, async () => {
      await this.commandThatAsks(title);
      const row = await this.#firstRow(label, label, fileMs).catch(giveUp);
      const isTaken = row !== undefined && (await this.#enter());
      if (!isTaken) await this.press('Escape');
      await this.seeNo('.quick-input-widget');
      return isTaken;
    });
  }

  /** Answers the dialog for a folder, which is a quick input where there is no native one. */
  chooseFolder(folder: string, button: string): Promise<void> {
    return this.#answerFileDialog(`${folder}/`, button);
  }

  /** Answers the dialog for a file, likewise. */
  chooseFile(file: string, button: string): Promise<void> {
    return this.#answerFileDialog(file, button);
  }

  /** Takes a row of the quick pick that is, or is about to be, open. */
  async pick(label: string): Promise<void> {
    await this.#firstRow(label, label);
    await this.press('Enter');
    await this.seeNo('.quick-input-widget');
  }

  /** The same for a row that goes on to ask in the same quick input. */
  async pickThatAsks(label: string): Promise<void> {
    const row = await this.#firstRow(label, label);
    await this.press('Enter');
    await row.waitFor({ state: 'hidden' });
  }

  /**
   * Opens a file of the workspace by its name and waits until it is in front. A file that was put there a moment ago may
   * be refused, which is told in its place: it is opened again.
   */
  async openFile(name: string): Promise<void> {
    await this.until(`the text of ${name} shows`, async () => {
      await this.#take('ControlOrMeta+p', name, path.basename(name));
      await this.seeNo('.quick-input-widget');
      const tab = await this.see('.tab.active', path.basename(name), fileMs).catch(giveUp);
      const line = this.see('.editor-group-container.active .view-line', undefined, fileMs);
      if ((await line.catch(giveUp)) !== undefined && tab !== undefined) return true;
      console.warn(`Not opened at once: ${await inFront(this.page)}`);
      return false;
    });
  }

  /** Trusts the folder of an editor that was opened with `workspaceTrust`. */
  async trustWorkspace(): Promise<void> {
    await this.command('Workspaces: Manage Workspace Trust');
    const button = await this.see('.workspace-trust-editor .monaco-button', /^Trust$/);
    await button.click();
    await this.seeNo('.part.statusbar .statusbar-item', 'Restricted Mode');
  }

  /** Puts the cursor into the file in front. Lines and columns count from 1. */
  async goToLine(line: number, column = 1): Promise<void> {
    await this.#take('ControlOrMeta+g', `:${line}:${column}`, new RegExp(`line ${line}\\b`));
    await this.seeNo('.quick-input-widget');
    await this.see('.part.statusbar .statusbar-item', `Ln ${line}, Col ${column}`);
  }

  /**
   * Opens the menu of fixes for what is in the file in front at a place that is marked. The editor looks for fixes by
   * itself soon after the cursor has moved, and then forgets that it was asked to show them: it is asked again.
   */
  async openFixes(line: number, column: number): Promise<void> {
    await this.goToLine(line, column);
    await this.see('.monaco-editor [class*="lightbulb"]');
    await this.until('the menu of fixes shows', async () => {
      await this.press('ControlOrMeta+.');
      return (
        (await this.see('.action-widget .monaco-list-row', undefined, openMs).catch(giveUp)) !== undefined
      );
    });
  }

  /** Holds the mouse over a text until the editor explains it; an edit of what surrounds it takes a hover away. */
  async hover(selector: string, text: RegExp, explanation: string): Promise<void> {
    await this.until('the hover shows', async () => {
      await this.page.mouse.move(0, 0);
      await (await this.see(selector, text)).hover();
      return (await this.see('.monaco-hover', explanation, openMs).catch(giveUp)) !== undefined;
    });
  }

  /** Sets a breakpoint in the file in front and waits for its dot. Lines count from 1. */
  async setBreakpoint(line: number): Promise<void> {
    await this.goToLine(line);
    const dots = this.page.locator('.editor-group-container.active .codicon-debug-breakpoint');
    const before = await dots.count();
    await this.press('F9');
    await this.until('a breakpoint shows', async () => (await dots.count()) > before);
  }

  /** Starts debugging as F5 does and waits for the debug toolbar. */
  async startDebugging(): Promise<void> {
    // Looked for by the page itself, in every frame: a short run is soon over.
    const started = this.page.waitForFunction(
      () => document.querySelector('.debug-toolbar')?.checkVisibility() === true,
      undefined,
      { polling: 'raf', timeout: waitMs },
    );
    await this.press('F5');
    await started;
  }

  /** Waits until the debugger has stopped on a line of the file in front. */
  async stoppedAt(line: number, timeoutMs = waitMs): Promise<void> {
    await this.see('.debug-top-stack-frame-line, .codicon-debug-stackframe', undefined, timeoutMs);
    await this.see('.part.statusbar .statusbar-item', new RegExp(`Ln ${line}, Col`), timeoutMs);
  }

  async stopDebugging(): Promise<void> {
    await this.press('Shift+F5');
    await this.seeNo('.debug-toolbar');
  }

  /** The document inside a webview: it lies two frames deep. */
  async webview(timeoutMs = waitMs): Promise<Frame> {
    const outer = await this.see('iframe.webview', undefined, timeoutMs);
    const inner = outer.contentFrame().locator('#active-frame');
    await inner.waitFor({ state: 'attached', timeout: timeoutMs });
    const handle = await inner.elementHandle({ timeout: timeoutMs });
    const frame = await handle.contentFrame();
    if (!frame) throw new Error('The webview has no document.');
    return frame;
  }

  /** Waits for something that is not on the page: a file, a process, a count. `what` is for the failure. */
  async until(what: string, probe: () => Promise<boolean>, timeoutMs = waitMs): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await probe())) {
      if (Date.now() > deadline) {
        const shown = await inFront(this.page);
        throw new Error(`Waited ${timeoutMs / 1000} s in vain until ${what}.\nInstead: ${shown}`);
      }
      await delay(pollMs);
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

  /**
   * Opens a quick input by its key, types into it, and takes its first row once that has `label`. An open palette does not
   * notice commands that an extension brings meanwhile, and whatever takes the focus closes a quick input, as a window
   * that still starts does, or a page that opens by itself: it is opened again until the row is there and is taken.
   */
  async #take(key: string, query: string, label: string | RegExp): Promise<Locator> {
    let row: Locator | undefined;
    await this.until(`"${query}" is answered by ${String(label)}`, async () => {
      await this.press(key);
      row = await this.#firstRow(query, label, openMs).catch(giveUp);
      if (row !== undefined && (await this.#enter())) return true;
      await this.press('Escape');
      await this.seeNo('.quick-input-widget');
      return false;
    });
    if (row === undefined) throw new Error(`Nothing is called ${String(label)}.`);
    return row;
  }

  /** Presses Enter for the open quick input; false: something else has taken the keyboard meanwhile. */
  async #enter(): Promise<boolean> {
    const heard = await this.page.evaluateHandle(() => {
      const [key, listening] = [{ isTaken: false }, new AbortController()];
      const hear = (event: KeyboardEvent): void => {
        key.isTaken = event.target instanceof Element && event.target.closest('.quick-input-widget') !== null;
        if (!key.isTaken) event.preventDefault();
      };
      addEventListener('keydown', hear, { capture: true, signal: listening.signal });
      return { key, listening };
    });
    await this.press('Enter');
    try {
      return await heard.evaluate(({ key, listening }) => {
        listening.abort();
        return key.isTaken;
      });
    } catch (error) {
      // A command may have the window load anew.
      if (String(error).includes('context was destroyed')) return true;
      throw error;
    }
  }

  /** The dialog takes no answer while it still lists the folder that it has left. */
  async #answerFileDialog(answer: string, button: string): Promise<void> {
    const input = await this.see('.quick-input-widget input');
    // It puts in where it begins, and lists that, on its own.
    await this.see('.quick-input-widget .monaco-list-row', '..');
    await input.fill(answer);
    const accept = this.page.locator('.quick-input-widget .monaco-button', { hasText: button });
    await this.until('the dialog has its answer', async () => {
      await accept.click({ timeout: openMs }).catch(giveUp);
      const closed = await this.seeNo('.quick-input-widget', undefined, acceptMs).then(() => true, giveUp);
      return closed === true;
    });
  }

  /** Types into the open quick input and waits until its first row has `label`. */
  async #firstRow(query: string, label: string | RegExp, timeoutMs = waitMs): Promise<Locator> {
    const input = await this.see('.quick-input-widget input', undefined, timeoutMs);
    await input.fill(query, { timeout: timeoutMs });
    return this.see('.quick-input-widget .monaco-list-row.focused', label, timeoutMs);
  }
}
