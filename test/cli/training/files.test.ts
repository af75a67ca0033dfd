/** Files on their way to a host and back, from the built programs. */
import { hash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { neverCancelled } from '../../../src/base/core/cancellation.ts';
import { fetchCheckpoint } from '../../../src/training/node/client/sync/fetchCheckpoint.ts';
import { readTree } from '../../../src/training/node/client/sync/readTree.ts';
import { syncTree } from '../../../src/training/node/client/sync/syncTree.ts';
import type { ClientConnection } from '../../../src/training/core/wire/clientConnection.ts';
import { badNetwork } from '../../tools/host/badNetwork.ts';
import { gpuMachine, type GpuMachine, type RunningHost } from './gpuHost.ts';
import { clientOf, orderedRun } from './wireClient.ts';

const linux = process.platform === 'linux';

/** What is sent of a folder: paths with what they hold, and modes. */
async function sent(folder: string): Promise<unknown> {
  const { files, links } = await readTree(folder, { cache: null, cancellation: neverCancelled });
  return { files: files.map(({ path: name, bytes, executable }) => ({ name, bytes, executable })), links };
}

async function finishedRun(machine: GpuMachine): Promise<string> {
  const { code, stdout, stderr } = await machine.remote([
    'run',
    '--conf',
    'train.yaml',
    '--force',
    '--follow',
  ]);
  expect(code, stderr).toBe(0);
  return /^(\S+)$/m.exec(stdout)?.[1] ?? '';
}

describe.skipIf(!linux)('the code of a run', () => {
  test('comes back as it was sent, also after an interrupt', { timeout: 120_000 }, async () => {
    const machine = await gpuMachine();
    const { project } = machine;
    await machine.script([{ do: 'print', text: 'done\n' }]);
    await project.write({ '.gitignore': 'left-out\n', 'left-out': 'x', 'bin/tool': '#!/bin/sh\n' });
    const parts = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [`data/${at}.txt`, randomBytes(2_000_000).toString('hex')]),
    );
    await project.write(parts);
    const host = await machine.host(['--listen', '127.0.0.1:0']);
    await machine.add('box', host);
    const run = await finishedRun(machine);
    const before = await sent(project.folder);
    // What is here now is no longer what ran.
    await project.write({ 'bin/tool': 'changed' });
    await rm(project.path('data'), { recursive: true });

    const target = machine.folder.path('rebuilt');
    const rebuild = ['remote', 'rebuild', run, '--to', target];
    // Also where the host falls silent on the way.
    const network = await badNetwork(Number(new URL(host.url).port));
    onTestFinished(() => network.close());
    network.swallowAfter = 24_000_000;
    await machine.add('far', { ...host, address: host.address.replace(/:\d+$/, `:${network.port}`) });
    const interrupted = machine.start([...rebuild, '--host', 'far']);
    await interrupted.wrote(/^Received .* of 48\.0 MB\.$/m);
    interrupted.child.kill('SIGINT');
    const silence = AbortSignal.timeout(10_000);
    const { code, stdout, stderr } = await interrupted.exited;
    expect(silence.aborted, 'shorter than it takes until a silent host is left').toBe(false);
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toContain('The data received so far is kept. Run the same command to continue.');
    expect(await readdir(machine.folder.folder)).toContain('rebuilt.part');
    await machine.remote(['remove', 'far']);

    expect(await machine.remote(rebuild.slice(1))).toMatchObject({ code: 0, stdout: `${target}\n` });
    expect(await sent(target)).toEqual(before);
    expect(await readFile(path.join(target, 'data/7.txt'), 'utf8')).toBe(parts['data/7.txt']);
    expect(await readdir(machine.folder.folder)).not.toContain('rebuilt.part');
    const again = await machine.remote(rebuild.slice(1));
    expect([again.code, /\[([a-z/-]+)\]$/m.exec(again.stderr)?.[1]]).toEqual([2, 'sync/target-taken']);

    const { snapshot } = await machine.record(run);
    const other = path.join(project.folder, 'code', run);
    expect(await machine.json(['rebuild', run])).toEqual({ run, snapshot, target: other });
    expect(await sent(other)).toEqual(before);
  });

  test('goes with the last run that has it, once no client can be about to start another', async () => {
    const machine = await gpuMachine();
    const { project } = machine;
    await machine.script([{ do: 'print', text: 'done\n' }]);
    await project.write({ 'own.txt': 'own'.repeat(1_000), 'shared.txt': 'shared'.repeat(1_000) });
    const first = await machine.host(['--listen', '127.0.0.1:0']);
    await machine.add('box', first);
    const removed = await finishedRun(machine);
    await rm(project.path('own.txt'));
    const kept = await finishedRun(machine);
    // As if nobody had synced for some days.
    await first.end('SIGTERM');
    const before = Date.now() / 1_000 - 3 * 86_400;
    await utimes(machine.folder.path('data/claimed'), before, before);
    const host = await machine.host(['--listen', `127.0.0.1:${new URL(first.url).port}`]);
    const client = clientOf({ ...host, ...(first.token && { token: first.token }) });
    const all = await heldBytes(client, (bytes) => bytes !== undefined);
    expect((await machine.remote(['status'])).stdout).toMatch(/^disk .*; code of runs \d+\.\d kB$/m);
    expect(await machine.json(['rm', removed])).toEqual({ run: removed });
    expect(await heldBytes(client, (bytes) => bytes !== all)).toBe(all - 3_000);
    expect((await machine.remote(['rebuild', kept])).code).toBe(0);
    expect(await project.read(`code/${kept}/shared.txt`)).toBe('shared'.repeat(1_000));
    await rm(project.path('code'), { recursive: true });
    await project.write({ 'own.txt': 'own'.repeat(1_000) });
    await finishedRun(machine);
    expect(await heldBytes(client, (bytes) => bytes !== undefined)).toBe(all);
  });
});

/** What the host tells of the contents that it holds, once that is as is asked for. */
async function heldBytes(
  client: ClientConnection,
  is: (bytes: number | undefined) => boolean,
): Promise<number> {
  for (;;) {
    const { code } = (await client.ask('status', {})).disk;
    if (is(code ?? undefined)) return code ?? 0;
  }
}

describe.skipIf(!linux)('a host that is killed in the middle', () => {
  /** Kills a host at the first look at its progress after some bytes, and starts it again at the same port. */
  function killedOnce(machine: GpuMachine, host: RunningHost, at: number) {
    let next: Promise<RunningHost> | undefined;
    const killed: string[][] = [];
    return {
      /** What the folders of contents held when it was dead. */
      killed,
      onProgress: ({ bytes }: { readonly bytes: number }): void => {
        if (bytes < at || next !== undefined) return;
        next = host.end('SIGKILL').then(async () => {
          killed.push(await contentsOf(machine));
          return machine.host(['--listen', `127.0.0.1:${new URL(host.url).port}`]);
        });
      },
      again: (): Promise<RunningHost> => next ?? Promise.reject(new Error('It was never killed.')),
    };
  }

  async function contentsOf(machine: GpuMachine): Promise<string[]> {
    const folder = machine.folder.path('data/contents');
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    return files
      .filter((file) => file.isFile() && file.name !== 'unflushed')
      .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)).replace('/', ''));
  }

  const bytes = 96_000_000;

  test('of an upload has all of it in the end, and nothing half', { timeout: 120_000 }, async () => {
    const machine = await gpuMachine();
    const big = randomBytes(bytes);
    await machine.script([{ do: 'program', command: 'sha256sum', args: ['big.bin'] }]);
    await writeFile(machine.project.path('big.bin'), big);
    const host = await machine.host(['--listen', '127.0.0.1:0']);
    const client = clientOf(host);
    const { killed, onProgress, again } = killedOnce(machine, host, bytes / 4);
    const tree = await readTree(machine.project.folder, { cache: null, cancellation: neverCancelled });
    const snapshot = await syncTree(tree, client, { onProgress });
    await again();
    const sum = hash('sha256', big, 'hex');
    expect(killed.flat().filter((name) => name.startsWith('incoming'))).not.toEqual([]);
    expect(killed.flat()).not.toContain(sum);
    const kept = await contentsOf(machine);
    expect(kept.filter((name) => name.startsWith('incoming'))).toEqual([]);
    for (const name of kept) {
      const place = machine.folder.path(`data/contents/${name.slice(0, 2)}/${name.slice(2)}`);
      expect(hash('sha256', await readFile(place), 'hex')).toBe(name);
    }
    const run = await orderedRun(machine, client, snapshot);
    const printed: string[] = [];
    for await (const events of client.follow(run, { after: 0 }, neverCancelled))
      for (const event of events) if (event.type === 'log') printed.push(...event.lines);
    expect(printed).toEqual([`${sum}  big.bin`]);
  });

  test('of a download goes on where it was, and nothing half is kept', { timeout: 120_000 }, async () => {
    const machine = await gpuMachine();
    await machine.script([{ do: 'checkpoint', step: 1 }]);
    const host = await machine.host(['--listen', '127.0.0.1:0']);
    await machine.add('box', host);
    const run = await finishedRun(machine);
    const { jobFolder } = await machine.record(run);
    const big = randomBytes(bytes);
    const inside = 'actor/huggingface/model.safetensors';
    await writeFile(path.join(jobFolder ?? '', 'global_step_1', inside), big);
    const client = clientOf(host);
    const [checkpoint] = await client.ask('checkpoint.list', { run });
    if (checkpoint === undefined) throw new Error('There is no checkpoint.');
    const target = machine.folder.path('pulled/global_step_1');
    await mkdir(path.dirname(target));
    const { onProgress, again } = killedOnce(machine, host, bytes / 4);
    let largest = 0;
    await fetchCheckpoint(client, run, checkpoint, target, {
      onProgress: (progress) => {
        // What had come is not asked for again.
        expect(progress.bytes).toBeGreaterThanOrEqual(largest);
        largest = progress.bytes;
        onProgress(progress);
      },
    });
    await again();
    expect(hash('sha256', await readFile(path.join(target, inside)), 'hex')).toBe(hash('sha256', big, 'hex'));
    expect(await readFile(path.join(target, 'actor/model_world_size_1_rank_0.pt'))).toEqual(
      Buffer.alloc(1_000, 1),
    );
    expect(await readdir(path.dirname(target))).toEqual(['global_step_1']);
  });
});
