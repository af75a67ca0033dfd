import { useEditor } from '../../harness/index.ts';

/** One window for all tests of this folder: to open another takes as much CPU time as two of the tests. */
export const editor = useEditor({
  suite: 'mathAgent',
  workspace: 'media/examples/math_agent',
  settings: { 'files.autoSave': 'off' },
  each: 'files',
});
