import { expect, test } from 'vitest';
import { useEditor } from '../harness/index.ts';

const editor = useEditor({ suite: 'smoke', workspace: 'media/examples/math_agent' });

test('the workbench opens the example', async () => {
  await editor().openFile('workflow.ts');
  await editor().screenshot('workbench');
  expect(await editor().page.title()).toContain('workflow.ts');
});
