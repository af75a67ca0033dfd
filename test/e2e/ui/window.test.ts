/** A window that goes away in the middle of a run. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { processesWith, titleButton, useEditor } from '../harness/index.ts';
import type { FoundProcess } from '../harness/processes.ts';

const editor = useEditor({ suite: 'window', workspace: 'media/examples/math_agent', each: 'window' });

const inExecute = 'const completion = await client.chat.completions.create({';

async function stopInExecute(): Promise<void> {
  const lines = (await readFile(editor().file('workflow.ts'), 'utf8')).split('\n');
  const line = lines.findIndex((text) => text.includes(inExecute)) + 1;
  await editor().openFile('workflow.ts');
  await editor().setBreakpoint(line);
  await editor().see(titleButton);
  await editor().startDebugging();
  await editor().stoppedAt(line);
}

async function processesOf(part: string): Promise<readonly FoundProcess[]> {
  const found = await processesWith(editor().session.temp);
  return found.filter(({ command }) => command.includes(part));
}

/** Waits without the page, which may be gone. Resolves to those that were still there in the end. */
async function remaining(part: string): Promise<readonly FoundProcess[]> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const isLast = Date.now() > deadline;
    const found = await processesOf(part);
    if (found.length === 0 || isLast) return found;
    await delay(50);
  }
}

test('closing the tab at a breakpoint leaves no process of the run', async () => {
  await stopInExecute();
  expect(await processesOf('backbone.mjs')).toHaveLength(1);
  await editor().page.close();
  expect(await remaining('--type=extensionHost')).toEqual([]);
  expect(await remaining('backbone.mjs')).toEqual([]);
});

test('an extension host that is killed leaves no process of the run', async () => {
  await stopInExecute();
  const [host] = await processesOf('--type=extensionHost');
  expect(host).toBeDefined();
  if (host !== undefined) process.kill(host.pid, 'SIGKILL');
  expect(await remaining('backbone.mjs')).toEqual([]);
});
