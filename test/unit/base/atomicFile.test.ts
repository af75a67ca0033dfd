import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readJson, writeFileAtomic, writeFileAtomicSync } from '../../../src/base/node/atomicFile.ts';

async function temporary(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-whole-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes one value after the other, each some hundred kilobytes, and tells once it has begun. */
const writer = `
import { writeFileAtomic, writeFileAtomicSync } from ${JSON.stringify(path.resolve(import.meta.dirname, '../../../src/base/node/atomicFile.ts'))};
const [how, file] = process.argv.slice(1);
const write = how === 'writeFileAtomic' ? writeFileAtomic : writeFileAtomicSync;
for (let at = 0; ; at++) {
  await write(file, JSON.stringify(String(at).repeat(200_000)));
  if (at === 3) console.log('writes');
}
`;

describe.each([
  ['writeFileAtomic', writeFileAtomic],
  [
    'writeFileAtomicSync',
    (file: string, text: string) => Promise.resolve().then(() => writeFileAtomicSync(file, text)),
  ],
] as const)('%s', (name, write) => {
  test('replaces a file by one of its owner alone, and leaves nothing beside it', async () => {
    const folder = await temporary();
    const file = path.join(folder, 'a.json');
    await writeFile(file, 'before', { mode: 0o644 });
    await write(file, '{"a":1}');
    expect(await readFile(file, 'utf8')).toBe('{"a":1}');
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
    await mkdir(path.join(folder, 'taken'));
    await expect(write(path.join(folder, 'taken'), 'x')).rejects.toThrow(/EISDIR|EPERM|ENOTEMPTY/);
    await expect(write(path.join(folder, 'none/b'), 'x')).rejects.toThrow('ENOENT');
    expect((await readdir(folder)).sort()).toEqual(['a.json', 'taken']);
  });

  test('leaves a whole file wherever its process is killed', async () => {
    const folder = await temporary();
    const file = path.join(folder, 'a.json');
    for (let kill = 0; kill < 5; kill++) {
      const args = ['--no-warnings', '--input-type=module-typescript', '-e', writer, name, file];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      await once(child.stdout, 'data');
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(await readJson(file)).toBeTypeOf('string');
    }
  });
});

test('what is not whole, or not there, is no value', async () => {
  const folder = await temporary();
  expect(await readJson(path.join(folder, 'none'))).toBeUndefined();
  await writeFile(path.join(folder, 'half'), '{"a":');
  expect(await readJson(path.join(folder, 'half'))).toBeUndefined();
});
