import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  openRegular,
  readRegular,
  readRegularSync,
  type RegularFileOptions,
} from '../../../src/base/node/regularFile.ts';

function temporary(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'agentjet-regular-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Read = (file: string, options?: RegularFileOptions) => Promise<Buffer>;

const opening: Read = async (file, options) => {
  const handle = await openRegular(file, options);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
};

describe.each<[string, Read]>([
  ['openRegular', opening],
  ['readRegular', readRegular],
  ['readRegularSync', (file, options) => Promise.resolve().then(() => readRegularSync(file, options))],
])('%s', (_, read) => {
  test('reads a file up to its limit', async () => {
    const file = path.join(temporary(), 'a.yaml');
    writeFileSync(file, 'ajet: {}\n');
    expect(String(await read(file))).toBe('ajet: {}\n');
    expect(String(await read(file, { maxBytes: 9 }))).toBe('ajet: {}\n');
    await expect(read(file, { maxBytes: 8 })).rejects.toMatchObject({ code: 'EFBIG' });
    writeFileSync(file, '');
    expect(await read(file)).toHaveLength(0);
  });

  test('refuses what is not a file, also behind a link, and waits for nobody', async () => {
    const folder = temporary();
    const pipe = path.join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const link = path.join(folder, 'link');
    symlinkSync('/dev/zero', link);
    for (const file of [pipe, link, '/dev/zero', '/dev/null']) {
      await expect(read(file), file).rejects.toMatchObject({
        code: 'EFTYPE',
        message: `EFTYPE: not a regular file, open '${file}'`,
      });
    }
    await expect(read(folder)).rejects.toMatchObject({ code: 'EISDIR' });
    await expect(read(path.join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('follows a link', async () => {
    const folder = temporary();
    mkdirSync(path.join(folder, 'in'));
    const file = path.join(folder, 'in', 'a.txt');
    const link = path.join(folder, 'link.txt');
    writeFileSync(file, 'text');
    symlinkSync(file, link);
    expect(String(await read(link))).toBe('text');
  });
});

test.each<[string, Read]>([
  ['readRegular', readRegular],
  ['readRegularSync', (file) => Promise.resolve().then(() => readRegularSync(file))],
])('%s has a limit of its own', async (_, read) => {
  const file = path.join(temporary(), 'large');
  writeFileSync(file, '');
  truncateSync(file, 2 ** 26 + 1);
  await expect(read(file)).rejects.toMatchObject({ code: 'EFBIG' });
});
