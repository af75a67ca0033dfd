import { mkdirSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { expect, test, vi } from 'vitest';
import { withProgress } from '../../../../src/traces/cli/traceCommand.ts';
import { temporaryFolder } from '../folder.ts';
import { importFixture } from '../import.ts';

test('imported traces are in a folder of the user, not in one that another user can make first', async () => {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  mkdirSync(path.join(folder, `agentjet-imports-${userInfo().username}`), { mode: 0o777 });
  const home = path.join(folder, 'home');
  const output = { colour: false, write: () => undefined };
  const imported = await withProgress(importFixture('traces.jsonl'), {
    ...{ stdout: output, stderr: output, readStdin: () => Promise.resolve(''), cwd: folder },
    env: { ...process.env, AGENTJET_HOME: home },
  });
  expect(path.dirname(path.dirname(imported))).toBe(path.join(home, 'imports'));
  for (const one of [home, path.join(home, 'imports')]) expect(statSync(one).mode & 0o777).toBe(0o700);
});
