import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { packFolder } from '../../../../../src/training/node/host/ray/rayPackage.ts';
import { temporaryFolder } from '../../../traces/folder.ts';

/** Lists an archive as Python reads it: mode, name and content of each file. */
const list = `
import io, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert archive.testzip() is None
for entry in archive.infolist():
    print(oct(entry.external_attr >> 16), entry.filename, archive.read(entry).decode(), sep='|')
`;

test('the code of a run is an archive with modes, links and names beyond ASCII, the same each time', async () => {
  const folder = temporaryFolder();
  mkdirSync(path.join(folder, 'code'));
  writeFileSync(path.join(folder, 'code/train.sh'), 'echo hi');
  chmodSync(path.join(folder, 'code/train.sh'), 0o755);
  writeFileSync(path.join(folder, '数据.txt'), '数');
  writeFileSync(path.join(folder, 'empty'), '');
  symlinkSync('数据.txt', path.join(folder, 'link'));
  symlinkSync('/etc/hostname', path.join(folder, 'outside'));
  const { uri, bytes } = await packFolder(folder);
  const options = { input: bytes, env: { ...process.env, PYTHONIOENCODING: 'utf8' } };
  const listed = execFileSync('python3', ['-c', list], options).toString().trim().split('\n');
  expect(listed).toEqual([
    '0o100755|code/train.sh|echo hi',
    '0o100644|empty|',
    '0o100644|link|数',
    '0o100644|数据.txt|数',
  ]);
  expect(uri).toMatch(/^gcs:\/\/_ray_pkg_[0-9a-f]{32}\.zip$/);
  expect((await packFolder(folder)).uri).toBe(uri);
});
