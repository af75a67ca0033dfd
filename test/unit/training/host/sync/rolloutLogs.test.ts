import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openRolloutLogs } from '../../../../../src/training/node/host/sync/hostFiles.ts';
import { neverCancelled } from '../../../../../src/base/core/cancellation.ts';
import { collected } from '../../../../tools/collected.ts';
import type { ByteSource, RunFiles } from '../../../../../src/training/core/contracts.ts';
import { fuzz } from '../../../fuzz.ts';

const run = '20260101-120000-abcdef';
const experiment = 'saved_experiments/first/2026_01_01_12_00/box';
const newest = `${experiment}/rollout/rollout.json.log`;
const older = `${experiment}/rollout/rollout.json.2026-01-01_12-00-03_000001.log`;
let folder = '';
let code = '';
let files: RunFiles;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-rollout-logs-'));
  code = path.join(folder, 'code');
  await write('code', { [newest]: 'logged', [older]: 'logged' });
  files = openRolloutLogs(() => code);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(below: string, texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [inside, text] of Object.entries(texts)) {
    const file = path.join(folder, below, inside);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

async function textOf({ pieces }: ByteSource): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

const secrets = {
  'workflow.py': 'secret',
  'rollout.json.log': 'secret',
  'saved_experiments/rollout.json.log': 'secret',
  'saved_experiments/first/yaml_backup.yaml': 'secret',
  'saved_experiments/companion_logs/companion/ray.0.box.log': 'secret',
  [`${experiment}/regular/regular.log`]: 'secret',
  [`${experiment}/rollout/rollout.log`]: 'secret',
  [`${experiment}/rollout/rollout.json`]: 'secret',
  [`${experiment}/rollout/rollout.json.log/rollout.json.log`]: 'secret',
  [`${experiment}/rollout.json.log`]: 'secret',
  [`saved_experiments/a/b/c/d/rollout/rollout.json.log`]: 'secret',
};

describe('logs of rollouts', () => {
  test('are listed with those that were set aside, and read', async () => {
    const listed = await collected(files.list(run, ''));
    expect(listed.map((file) => [file.path, file.bytes])).toEqual([
      [older, 6],
      [newest, 6],
    ]);
    expect(await collected(files.list(run, 'saved_experiments'))).toEqual(listed);
    expect(await textOf(await files.open(run, newest, 2, 3))).toBe('gge');
    expect(await files.sum(run, older, neverCancelled)).toMatchObject({ bytes: 6 });
  });

  test('are none where the run has not begun', async () => {
    await rm(code, { recursive: true });
    await expect(collected(files.list(run, ''))).rejects.toMatchObject({ code: 'host/no-job-folder' });
  });

  test('are all that is seen of a launcher’s folder', async () => {
    await rm(path.join(code, newest));
    await write('code', secrets);
    await write('outside', { 'rollout.json.log': 'secret' });
    const links = ['saved_experiments/x/y/z', 'saved_experiments/links'];
    for (const link of links) await mkdir(path.join(code, link), { recursive: true });
    await symlink(path.join(folder, 'outside'), path.join(code, 'saved_experiments/x/y/z/rollout'));
    expect((await collected(files.list(run, ''))).map((file) => file.path)).toEqual([older]);
    const others = [...Object.keys(secrets), 'saved_experiments/x/y/z/rollout/rollout.json.log'];
    for (const asked of others) {
      await expect(files.open(run, asked, 0, 9), asked).rejects.toMatchObject({ code: 'host/no-file' });
      await expect(files.sum(run, asked, neverCancelled), asked).rejects.toMatchObject({
        code: 'host/no-file',
      });
    }
    for (const asked of Object.keys(secrets))
      expect(await collected(files.list(run, asked)), asked).toEqual([]);
    const names = [...new Set([...others, newest, '..'].flatMap((one) => one.split('/')))];
    const paths = fc.array(fc.constantFrom(...names), { maxLength: 7 }).map((parts) => parts.join('/'));
    await fc.assert(
      fc.asyncProperty(paths, async (asked) => {
        const source = await files.open(run, asked, 0, 9).catch(() => undefined);
        if (source !== undefined) expect(await textOf(source)).toBe('logged');
      }),
      fuzz(22, 2_000),
    );
  });
});
