import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { localFiles } from '../../../src/base/node/files.ts';
import { localCodeFiles } from '../../../src/configs/node/classFinder.ts';
import { launcherFor } from '../../../src/training/node/client/dispatch.ts';

function temporary(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'agentjet-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function linesOf(file: string, most = Infinity): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of localFiles.lines(file)) if (lines.push(line) >= most) break;
  return lines;
}

test('lines are those of the file, without their ends', async () => {
  const file = path.join(temporary(), 'tasks.jsonl');
  writeFileSync(file, 'a\r\nb\n\nc');
  expect(await linesOf(file)).toEqual(['a', 'b', '', 'c']);
  expect(await linesOf(file, 2)).toEqual(['a', 'b']);
  await expect(linesOf(path.join(temporary(), 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a pipe or a device is read by nobody', async () => {
  const pipe = path.join(temporary(), 'pipe.yaml');
  execFileSync('mkfifo', [pipe]);
  for (const file of [pipe, '/dev/zero']) {
    await expect(localFiles.readText(file)).rejects.toMatchObject({ code: 'EFTYPE' });
    await expect(linesOf(file)).rejects.toMatchObject({ code: 'EFTYPE' });
    await expect(localCodeFiles([]).readText(file)).rejects.toMatchObject({ code: 'EFTYPE' });
    await expect(launcherFor(file)).rejects.toMatchObject({ code: 'dispatch/unreadable' });
  }
});
