import path from 'node:path';
import { expect, it } from 'vitest';
import { resolveFile } from '../../../../src/backbone/core/launcher/userClasses.ts';
import { memoryFiles } from '../../configs/memoryFiles.ts';

const request = { cwd: '/cwd', config: '/project/conf/exp.yaml' };

it.each([
  ['both have it', ['/cwd/a.ts', '/project/conf/a.ts'], '/cwd/a.ts'],
  ['only the working directory has it', ['/cwd/a.ts'], '/cwd/a.ts'],
  ['only the folder of the config has it', ['/project/conf/a.ts'], '/project/conf/a.ts'],
  ['neither has it', [], '/project/conf/a.ts'],
])('%s', async (_, files, found) => {
  const ports = {
    files: memoryFiles(Object.fromEntries(files.map((file) => [file, '']))),
    paths: path.posix,
  };
  expect(await resolveFile('a.ts', request, ports)).toBe(found);
});

it('takes an absolute path as it is', async () => {
  const ports = { files: memoryFiles({}), paths: path.posix };
  expect(await resolveFile('/data/a.jsonl', request, ports)).toBe('/data/a.jsonl');
});
