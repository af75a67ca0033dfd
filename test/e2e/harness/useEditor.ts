/** One editor for all tests of a vitest file. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { openEditor, type Editor } from './editor.ts';
import type { SessionOptions } from './session.ts';

/**
 * Opens an editor before the file's tests and closes it after them; a failed test leaves its evidence in
 * .artifacts/failures. Returns how to get at the editor from within a test.
 */
export function useEditor(options: SessionOptions): () => Editor {
  let editor: Editor | undefined;
  beforeAll(async () => {
    editor = await openEditor(options);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail' || editor === undefined) return;
    console.error(`Evidence: ${await editor.session.keepEvidence(task.name)}`);
  });
  afterAll(async () => {
    await editor?.close();
  });
  return () => {
    if (editor === undefined) throw new Error('The editor is open only while tests run.');
    return editor;
  };
}
