/** Editors for the tests of a vitest file. */
import { afterAll, afterEach, beforeEach } from 'vitest';
import { openEditor, type Editor } from './editor.ts';
import { resetRetries, retryCount } from './retries.ts';
import type { SessionOptions } from './session.ts';

export interface EditorUse extends SessionOptions {
  /**
   * What is reset before each test. `window` opens a new window without any stored state. `files` keeps the window,
   * closes its editors and restores the workspace. Default: nothing.
   */
  readonly each?: 'window' | 'files';
}

/** How many actions a test may repeat. See `Editor.retry`. */
const mostRetries = 1;

/**
 * Opens an editor for the tests of a file and closes it after them. Returns a function that gives a test its editor.
 * A failed test leaves its evidence in .artifacts/failures, and the next test gets a new editor.
 */
export function useEditor(options: EditorUse): () => Editor {
  let editor: Editor | undefined;
  const settings = {
    ...(options.each === 'files' && { 'workbench.editor.restoreViewState': false }),
    ...options.settings,
  };
  const close = async (): Promise<void> => {
    await editor?.close();
    editor = undefined;
  };
  const leave = async (): Promise<void> => {
    await editor?.session.leave().catch(async (leak: unknown) => {
      await close();
      throw leak;
    });
  };
  beforeEach(async () => {
    resetRetries();
    if (editor === undefined) editor = await openEditor({ ...options, settings });
    else if (options.each === 'files') await editor.startOver();
    else if (options.each === 'window') editor = await editor.renew();
  });
  afterAll(close);
  afterEach(async ({ task }) => {
    const retries = retryCount();
    if (retries > 0) console.warn(`${retries} retries in "${task.name}"`);
    const failed = task.result?.state === 'fail' || retries > mostRetries;
    if (failed && editor !== undefined) {
      console.error(`Evidence: ${await editor.session.keepEvidence(task.name)}`);
    }
    if (failed) await close();
    else if (options.each === 'window') await leave();
    if (retries > mostRetries) {
      throw new Error(
        `The test repeated ${retries} actions; at most ${mostRetries} may be repeated. See "Retry" in its output for the cause.`,
      );
    }
  });
  return () => {
    if (editor === undefined) throw new Error('The editor is open only while tests run.');
    return editor;
  };
}
