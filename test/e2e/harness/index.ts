/** The exports for the suites. */
export { openEditor, Editor, titleButton } from './editor.ts';
export { openSession, type Session, type SessionOptions } from './session.ts';
export { useEditor } from './useEditor.ts';
export { processesWith } from './processes.ts';
