import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../../../src/base/core/cancellation.ts';
import { JobFiles } from '../../../../../src/training/node/host/sync/hostFiles.ts';
import { JailedFolder } from '../../../../../src/training/node/host/sync/jailedFolder.ts';
import {
  jobFolderAccess,
  type JobFolderAccess,
} from '../../../../../src/training/node/host/runs/jobFolder.ts';
import type { RunStage } from '../../../../../src/training/core/protocol/runs.ts';
import { trackerFile } from '../../../../../src/training/core/launch/resumeStages.ts';
import { collected } from '../../../../tools/collected.ts';
import type { ByteSource, HostFiles } from '../../../../../src/training/core/contracts.ts';
import { fuzz } from '../../../fuzz.ts';

const run = '20260101-120000-abcdef';
let folder = '';
let job = '';
let files: HostFiles;
let folderAccess: (real: string) => JobFolderAccess;
let stages: RunStage[] | undefined;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-files-'));
  job = path.join(folder, 'job');
  folderAccess = () => ({ kind: 'own' });
  stages = undefined;
  files = new JobFiles({
    jobOf: (id) => ({ jobFolder: id === run ? job : null, stages }),
    folderAccess: (_, real) => folderAccess(real),
    rewardAt: (_, step, stage = 0) => Promise.resolve(step === 20 ? 0.5 + stage : null),
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [inside, text] of Object.entries(texts)) {
    await mkdir(path.dirname(path.join(job, inside)), { recursive: true });
    await writeFile(path.join(job, inside), text);
    await utimes(path.join(job, inside), 1_000, 1_000);
  }
}

async function textOf({ pieces }: ByteSource): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });

describe("files of a run's folder", () => {
  test('are listed, read in parts and summed', async () => {
    await write({ 'log/trainer.log': 'hello', 'a/b/c': '', top: 'x' });
    expect(await collected(files.list(run, ''))).toEqual([
      { path: 'a/b/c', bytes: 0, modifiedAt: 1_000_000 },
      { path: 'log/trainer.log', bytes: 5, modifiedAt: 1_000_000 },
      { path: 'top', bytes: 1, modifiedAt: 1_000_000 },
    ]);
    expect(await collected(files.list(run, 'log'))).toHaveLength(1);
    expect(await collected(files.list(run, 'log/trainer.log'))).toHaveLength(1);
    expect(await collected(files.list(run, 'none'))).toEqual([]);
    const part = await files.open(run, 'log/trainer.log', 1, 3);
    expect(part.bytes).toBe(3);
    expect(await textOf(part)).toBe('ell');
    expect(await textOf(await files.open(run, 'log/trainer.log', 4, 99))).toBe('o');
    expect(await textOf(await files.open(run, 'log/trainer.log', 99, 1))).toBe('');
    const sumOf = (text: string): object => ({
      sha256: createHash('sha256').update(text).digest('hex'),
      bytes: text.length,
    });
    expect(await files.sum(run, 'log/trainer.log', neverCancelled)).toEqual(sumOf('hello'));
    expect(await files.sum(run, 'log/trainer.log', neverCancelled)).toEqual(sumOf('hello'));
    await writeFile(path.join(job, 'log/trainer.log'), 'HELLO');
    expect(await files.sum(run, 'log/trainer.log', neverCancelled)).toEqual(sumOf('HELLO'));
    await expect(collected(files.list('20260101-120000-000000', ''))).rejects.toEqual(
      code('host/no-job-folder'),
    );
    await expect(files.open(run, 'none', 0, 1)).rejects.toEqual(code('host/no-file'));
    await expect(files.open(run, 'log', 0, 1)).rejects.toEqual(code('host/no-file'));
  });

  test('are sorted by path, whatever their names', async () => {
    const names = ['a/x', 'a.b', 'a-b', 'ab', 'a/b/c', 'a0', 'b/a', 'B'];
    await write(Object.fromEntries(names.map((name) => [name, ''])));
    expect((await collected(files.list(run, ''))).map((file) => file.path)).toEqual(names.sort());
  });

  test('are summed only while the client waits', async () => {
    await write({ large: '' });
    await truncate(path.join(job, 'large'), 2 ** 40);
    const client = new CancellationSource();
    const sum = files.sum(run, 'large', client.token);
    client.cancel();
    await expect(sum).rejects.toEqual(code('sync/cancelled'));
  });

  test.each(['..', '../secret', '/etc/passwd', 'a/../../secret', 'a\u0000', 'a\\..\\b', 'x'.repeat(300)])(
    'are none outside: %j',
    async (asked) => {
      await write({ a: '' });
      await writeFile(path.join(folder, 'secret'), 'secret');
      await expect(files.open(run, asked, 0, 9)).rejects.toEqual(code('sync/path-refused'));
      await expect(files.sum(run, asked, neverCancelled)).rejects.toEqual(code('sync/path-refused'));
      await expect(collected(files.list(run, asked))).rejects.toEqual(code('sync/path-refused'));
    },
  );

  test('are not reached through links that the run planted', async () => {
    await write({ real: 'x', 'sub/in': 'y' });
    await mkdir(path.join(folder, 'outside'));
    await writeFile(path.join(folder, 'outside', 'secret'), 'secret');
    await symlink('../outside', path.join(job, 'out'));
    await symlink('../outside/secret', path.join(job, 'file'));
    await symlink('sub', path.join(job, 'within'));
    await symlink('../../outside', path.join(job, 'sub', 'global_step_1'));
    await symlink('../outside', path.join(job, 'global_step_2'));
    expect((await collected(files.list(run, ''))).map((file) => file.path)).toEqual(['real', 'sub/in']);
    for (const asked of ['out/secret', 'file', 'within/in', 'sub/global_step_1/secret']) {
      await expect(files.open(run, asked, 0, 9)).rejects.toEqual(code('host/no-file'));
      await expect(files.sum(run, asked, neverCancelled)).rejects.toEqual(code('host/no-file'));
    }
    expect(await collected(files.list(run, 'out'))).toEqual([]);
    expect(await files.checkpoints(run, neverCancelled)).toEqual([]);
  });

  test('are those of upstream alone where its config leads out of its own code', async () => {
    folderAccess = () => ({ kind: 'elsewhere' });
    await write({ 'log/a.log': 'a', 'config.json': '{}', id_rsa: 'secret', '.ssh/id_rsa': 'secret' });
    await write({ 'global_step_1/actor/x': '', 'latest_checkpointed_iteration.txt': '1' });
    expect((await collected(files.list(run, ''))).map((file) => file.path)).toEqual([
      'config.json',
      'global_step_1/actor/x',
      'latest_checkpointed_iteration.txt',
      'log/a.log',
    ]);
    expect(await files.checkpoints(run, neverCancelled)).toHaveLength(1);
    for (const asked of ['id_rsa', '.ssh', '.ssh/id_rsa']) {
      expect(await collected(files.list(run, asked))).toEqual([]);
      await expect(files.open(run, asked, 0, 9)).rejects.toEqual(code('host/no-file'));
      await expect(files.sum(run, asked, neverCancelled)).rejects.toEqual(code('host/no-file'));
    }
  });

  test("are none where the folder has become a link to the host's data or the home folder", async () => {
    const bounds = { dataFolder: path.join(folder, 'data'), home: path.join(folder, 'home') };
    folderAccess = (real) => jobFolderAccess(real, [run], bounds);
    await mkdir(path.join(folder, 'data', 'runs', run, 'code'), { recursive: true });
    await mkdir(path.join(folder, 'home', 'log'), { recursive: true });
    for (const to of ['data', `data/runs/${run}`, 'home', '.', '/']) {
      await rm(job, { force: true });
      await symlink(path.resolve(folder, to), job);
      await expect(collected(files.list(run, '')), to).rejects.toEqual(code('host/no-job-folder'));
    }
    await rm(job);
    await symlink(path.join(folder, 'data', 'runs', run, 'code'), job);
    expect(await collected(files.list(run, ''))).toEqual([]);
  });

  test('that become links after they were asked for are not read', async () => {
    await write({ 'sub/file': 'x' });
    await mkdir(path.join(folder, 'outside'));
    await writeFile(path.join(folder, 'outside', 'file'), 'secret');
    const source = await files.open(run, 'sub/file', 0, 9);
    await rename(path.join(job, 'sub'), path.join(job, 'moved'));
    await symlink('../outside', path.join(job, 'sub'));
    await expect(textOf(source)).rejects.toEqual(code('host/no-file'));
  });

  test.skipIf(process.platform === 'win32')('are no pipes, which nobody would ever end', async () => {
    await write({ a: '' });
    await promisify(execFile)('mkfifo', [path.join(job, 'pipe')]);
    await expect(files.open(run, 'pipe', 0, 1)).rejects.toEqual(code('host/no-file'));
    expect(await collected(files.list(run, ''))).toHaveLength(1);
  });

  test('are all that any path reaches', async () => {
    await write({ 'a/b': 'inside', c: 'inside' });
    await writeFile(path.join(folder, 'secret'), 'secret');
    await symlink('../..', path.join(job, 'a', 'up'));
    await symlink('..', path.join(job, 'up'));
    const inside = await JailedFolder.of(job);
    const names = fc.constantFrom('..', '.', 'a', 'b', 'c', 'up', 'job', 'secret', '', '\u0000', 'a/b');
    const paths = fc.array(names, { maxLength: 6 }).map((list) => list.join('/'));
    await fc.assert(
      fc.asyncProperty(paths, async (asked) => {
        await using handle = await inside?.open(asked).catch(() => undefined);
        if (handle !== undefined) expect(await handle.readFile('utf8')).toBe('inside');
      }),
      fuzz(21, 2_000),
    );
  });
});

describe('checkpoints', () => {
  const shards = (step: number, ranks: readonly number[], parts = ['model', 'optim', 'extra_state']) =>
    Object.fromEntries(
      ranks.flatMap((rank) =>
        parts.map((part) => [`global_step_${step}/actor/${part}_world_size_2_rank_${rank}.pt`, 'xx']),
      ),
    );
  const facts = async (): Promise<unknown> =>
    (await files.checkpoints(run, neverCancelled)).map((one) => [one.step, one.resumable, one.huggingFace]);

  test('are told with what they hold', async () => {
    await write({
      ...shards(10, [0, 1]),
      'global_step_10/actor/huggingface/config.json': '{}',
      ...shards(20, [0, 1]),
      'global_step_20/actor/huggingface/model.safetensors': 'xxxx',
      'latest_checkpointed_iteration.txt': '20\n',
      'global_step_x/file': '',
      'global_step_007/file': '',
      'log/a.log': '',
    });
    expect(await files.checkpoints(run, neverCancelled)).toEqual([
      {
        ...{ step: 10, path: 'global_step_10', bytes: 14, files: 7, modifiedAt: 1_000_000 },
        ...{ resumable: true, huggingFace: false, reward: null },
      },
      {
        ...{ step: 20, path: 'global_step_20', bytes: 16, files: 7, modifiedAt: 1_000_000 },
        ...{ resumable: true, huggingFace: true, reward: 0.5 },
      },
    ]);
  });

  test('have the path of their weights on a Tinker server', async () => {
    const path = 'tinker://model_1/sampler_weights/maths-first-sampler-8';
    await write({
      'global_step_4/.full_checkpoint': '',
      'global_step_4/remote_checkpoint_path.txt': 'tinker://model_1/weights/maths-first-state-4',
      'global_step_8/.full_checkpoint': '',
      'global_step_8/remote_sampler_path.txt': path,
      'global_step_9/remote_sampler_path.txt': 'https://example.com',
      'latest_checkpointed_iteration.txt': '8',
    });
    const found = await files.checkpoints(run, neverCancelled);
    expect(found.map(({ step, resumable, sampler }) => [step, resumable, sampler])).toEqual([
      [4, true, undefined],
      [8, true, path],
      [9, false, undefined],
    ]);
  });

  test('are those of each stage, in their order, also in a folder that it was given in place of another', async () => {
    folderAccess = () => ({ kind: 'elsewhere' });
    const folders = ['sft', 'rl_20260314092653'];
    stages = folders.map((name) => ({ name: name.slice(0, 3), folder: name, totalSteps: null }));
    const inside = (folder: string, texts: Record<string, string>): Record<string, string> =>
      Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${folder}/${name}`, text]));
    await write(inside('rl_20260314092653', { ...shards(5, [0, 1]), [trackerFile]: '5' }));
    await write(inside('sft', { ...shards(20, [0, 1]), ...shards(5, [0, 1]), [trackerFile]: '20' }));
    await write({ ...shards(7, [0, 1]), 'rl/global_step_1/x': '', 'sft/.ssh/id_rsa': 'secret' });
    expect(await files.checkpoints(run, neverCancelled)).toMatchObject([
      { stage: 'sft', step: 5, path: 'sft/global_step_5', resumable: true, reward: null },
      { stage: 'sft', step: 20, path: 'sft/global_step_20', resumable: true, reward: 1.5 },
      { stage: 'rl_', step: 5, path: 'rl_20260314092653/global_step_5', resumable: true },
    ]);
    expect(await collected(files.list(run, 'sft/.ssh'))).toEqual([]);
    expect(await collected(files.list(run, 'rl'))).toEqual([]);
    expect(await collected(files.list(run, 'sft/global_step_5'))).toHaveLength(6);
  });

  test('can be gone on from once all of them is there', async () => {
    await write({
      ...shards(1, [0, 1], ['model']),
      ...shards(2, [0]),
      ...{ 'global_step_3/.full_checkpoint': '', 'global_step_4/actor/dist_ckpt/common.pt': '' },
      ...shards(5, [0, 1]),
    });
    const told = [1, 2, 3, 4, 5].map((step) => [step, false, false]);
    expect(await facts()).toEqual(told);
    await write({ 'latest_checkpointed_iteration.txt': '4' });
    expect(await facts()).toEqual(told.map(([step]) => [step, step === 3 || step === 4, false]));
    await write({ 'latest_checkpointed_iteration.txt': 'nonsense' });
    expect(await facts()).toEqual(told);
  });

  test('have weights once every part of them is there', async () => {
    const part = (of: number): string =>
      `global_step_1/actor/huggingface/model-0000${of}-of-00002.safetensors`;
    await write({ [part(1)]: '' });
    expect(await facts()).toEqual([[1, false, false]]);
    await write({ [part(2)]: '' });
    expect(await facts()).toEqual([[1, false, true]]);
  });
});
