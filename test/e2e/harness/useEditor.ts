/** Editors for the tests of a vitest file. */
import { afterAll, afterEach, beforeEach } from 'vitest';
import { openEditor, type Editor } from './editor.ts';
import type { SessionOptions } from './session.ts';

export interface EditorUse extends SessionOptions {
  /**
   * What every test gets anew: a `window` of an editor that remembers nothing, with an extension host of its own, or
   * only the `files`, in a window that has no editor open and does not remember where in a file one was. Default:
   * neither.
   */
  readonly each?: 'window' | 'files';
}

/**
 * Opens an editor for the tests of a file and closes it after them. A failed test leaves its evidence in
 * .artifacts/failures, and its window to nobody. Returns how to get at the editor from within a test.
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
    if (editor === undefined) editor = await openEditor({ ...options, settings });
    else if (options.each === 'files') await editor.startOver();
    else if (options.each === 'window') editor = await editor.renew();
  });
  afterAll(close);
  afterEach(async ({ task }) => {
    const failed = task.result?.state === 'fail';
    if (failed && editor !== undefined) {
      console.error(`Evidence: ${await editor.session.keepEvidence(task.name)}`);
    }
    if (failed) await close();
    else if (options.each === 'window') await leave();
  });
  return () => {
    if (editor === undefined) throw new Error('The editor is open only while tests run.');
    return editor;
  };
}
