/** Editors for the tests of a vitest file. */
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openEditor, type Editor } from './editor.ts';
import type { SessionOptions } from './session.ts';

/**
 * Opens an editor for the tests of a file and closes it after them: one for all, or with `each` a new one for every
 * test. A failed test leaves its evidence in .artifacts/failures. Returns how to get at the editor from within a test.
 */
export function useEditor(options: SessionOptions & { readonly each?: boolean }): () => Editor {
  let editor: Editor | undefined;
  const open = async (): Promise<void> => {
    editor = await openEditor(options);
  };
  const close = async (): Promise<void> => {
    await editor?.close();
    editor = undefined;
  };
  if (options.each === true) beforeEach(open);
  else beforeAll(open);
  // After each test hooks run last to first: evidence is taken before the editor closes.
  if (options.each === true) afterEach(close);
  else afterAll(close);
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail' || editor === undefined) return;
    console.error(`Evidence: ${await editor.session.keepEvidence(task.name)}`);
  });
  return () => {
    if (editor === undefined) throw new Error('The editor is open only while tests run.');
    return editor;
  };
}
