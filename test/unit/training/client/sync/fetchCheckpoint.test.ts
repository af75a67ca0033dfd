import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CancellationSource } from '../../../../../src/base/core/cancellation.ts';
import { JobFiles } from '../../../../../src/training/node/host/sync/hostFiles.ts';
import { fetchCheckpoint } from '../../../../../src/training/node/client/sync/fetchCheckpoint.ts';
import type { HostFiles } from '../../../../../src/training/core/contracts.ts';
import type { ClientConnection } from '../../../../../src/training/core/wire/clientConnection.ts';
import { client } from '../wire/wireHost.ts';
import { syncHost, temporary, watched, write } from './syncHost.ts';

const run = '20260101-120000-abcdef';
const checkpoint = { path: 'global_step_5' };
const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });

const texts = {
  'actor/model_world_size_1_rank_0.pt': 'abcdefgh'.repeat(200_000),
  'actor/huggingface/config.json': '{}',
  'actor/empty': '',
};

async function bench(hostile: (files: HostFiles) => Partial<HostFiles> = () => ({})) {
  const folder = await temporary();
  const job = path.join(folder, 'job');
  for (const [name, text] of Object.entries(texts)) await write(job, { [`global_step_5/${name}`]: text });
  const honest = new JobFiles({ folderAccess: () => ({ kind: 'own' }), jobOf: () => ({ jobFolder: job }) });
  const parts = hostile(honest);
  const files: HostFiles = {
    checkpoints: (...args) => honest.checkpoints(...args),
    list: parts.list ?? ((...args) => honest.list(...args)),
    open: parts.open ?? ((...args) => honest.open(...args)),
    sum: parts.sum ?? ((...args) => honest.sum(...args)),
  };
  return { folder, job, host: await syncHost(folder, files), target: path.join(folder, 'to', 'step 5') };
}

async function arrived(target: string): Promise<Record<string, string>> {
  const entries = await readdir(target, { recursive: true, withFileTypes: true });
  const found: Record<string, string> = {};
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    found[path.relative(target, file)] = await readFile(file, 'utf8');
  }
  return found;
}

describe('fetching a checkpoint', () => {
  test('ends if the list of the host does not', async () => {
    const ask = (_: string, { from }: { readonly from: number }) => {
      const names = Array.from({ length: 2_000 }, (_none, at) => `global_step_5/${from + at}`);
      const entries = names.map((name) => ({ path: name, bytes: 1, modifiedAt: 0 }));
      return Promise.resolve({ files: entries, total: Number.MAX_SAFE_INTEGER });
    };
    const host = {
      ask: ask as unknown as ClientConnection['ask'],
      download: () => Promise.reject(new Error()),
    };
    const target = path.join(await temporary(), 'target');
    await expect(fetchCheckpoint(host, run, checkpoint, target)).rejects.toEqual(code('host/too-many-files'));
  });

  test('brings all of it, and is there at once', async () => {
    const { host, target } = await bench();
    const progress: number[] = [];
    let total = 0;
    await fetchCheckpoint(host.connection, run, checkpoint, target, {
      onProgress: (now) => {
        progress.push(now.bytes);
        total = now.total;
      },
    });
    expect(await arrived(target)).toEqual(texts);
    expect(await readdir(path.dirname(target))).toEqual(['step 5']);
    expect(progress.at(-1)).toBe(total);
    const again = fetchCheckpoint(host.connection, run, checkpoint, target);
    await expect(again).rejects.toEqual(code('sync/target-taken'));
    const other = fetchCheckpoint(host.connection, run, { path: 'global_step_6' }, `${target} other`);
    await expect(other).rejects.toEqual(code('sync/no-checkpoint'));
  });

  test('goes on after it was given up, over a network that is cut', async () => {
    const { host, target } = await bench();
    const network = await host.wire.network();
    network.cutAfter = () => 400_000;
    const connection = client({ url: `ws://127.0.0.1:${network.port}`, token: host.wire.token() });
    const source = new CancellationSource();
    const given = fetchCheckpoint(connection, run, checkpoint, target, {
      cancellation: source.token,
      onProgress: ({ bytes }) => {
        if (bytes > 600_000) source.cancel();
      },
    });
    await expect(given).rejects.toThrow();
    expect(await readdir(path.dirname(target))).toEqual(['step 5.part']);
    const seen: number[] = [];
    const onProgress = ({ bytes }: { bytes: number }): unknown => seen.push(bytes);
    await fetchCheckpoint(connection, run, checkpoint, target, { parallel: 1, onProgress });
    expect(seen.some((bytes, at) => bytes - (seen[at - 1] ?? 0) > 500_000)).toBe(true);
    expect(await arrived(target)).toEqual(texts);
    expect(network.made).toBeGreaterThan(3);
  });

  test('does not take what is here of another file', async () => {
    const { host, target } = await bench();
    const source = new CancellationSource();
    const onProgress = ({ bytes }: { bytes: number }): void => {
      if (bytes > 300_000) source.cancel();
    };
    const options = { cancellation: source.token, onProgress, parallel: 1 };
    await expect(fetchCheckpoint(host.connection, run, checkpoint, target, options)).rejects.toThrow();
    const partial = path.join(`${target}.part`, 'partial');
    for (const name of await readdir(partial)) await writeFile(path.join(partial, name), 'other');
    const asked = watched(host.connection);
    await fetchCheckpoint(host.connection, run, checkpoint, target);
    expect(asked).toContain('file.sum');
    expect(await arrived(target)).toEqual(texts);
  });

  test.each([
    ['global_step_5/../../../evil', 'sync/path-refused'],
    ['/etc/evil', 'sync/path-refused'],
    ['global_step_5//etc/evil', 'sync/path-refused'],
    ['global_step_5', 'sync/path-refused'],
    ['global_step_5/a\u0000b', 'sync/path-refused'],
    ['global_step_5/a\\..\\..\\evil', 'sync/path-refused'],
    [`global_step_5/${'x'.repeat(300)}`, 'sync/path-refused'],
    ['other/evil', 'sync/path-refused'],
    ['global_step_5/ACTOR/empty', 'sync/path-refused'],
    ['global_step_5/actor/empty/below', 'sync/path-refused'],
  ])('writes nothing for a host that names %j', async (name, wanted) => {
    const { host, target, folder } = await bench((honest) => ({
      list: async function* (...args) {
        yield* honest.list(...args);
        yield { path: name, bytes: 1, modifiedAt: 0 };
      },
    }));
    const before = await readdir(folder);
    const fetching = fetchCheckpoint(host.connection, run, checkpoint, target);
    await expect(fetching).rejects.toEqual(code(wanted));
    expect(await readdir(folder)).toEqual(before);
  });

  test('takes nothing that has not the sum that was told, or not so many bytes', async () => {
    const { host, target } = await bench((honest) => ({
      sum: async (...args) => ({ ...(await honest.sum(...args)), sha256: '0'.repeat(64) }),
    }));
    const fetching = fetchCheckpoint(host.connection, run, checkpoint, target);
    await expect(fetching).rejects.toEqual(code('sync/content-differs'));
    expect(await readdir(path.dirname(target))).not.toContain('step 5');
    const longer = await bench((honest) => ({
      list: async function* (...args) {
        for await (const file of honest.list(...args)) yield { ...file, bytes: file.bytes + 1 };
      },
    }));
    const told = fetchCheckpoint(longer.host.connection, run, checkpoint, longer.target);
    await expect(told).rejects.toEqual(code('sync/content-differs'));
  });

  test('replaces what was spoilt here since it had come', async () => {
    const { host, target } = await bench();
    const done = path.join(`${target}.part`, 'done', 'actor');
    await mkdir(path.join(done, 'huggingface'), { recursive: true });
    await writeFile(path.join(done, 'huggingface', 'config.json'), '[]');
    await writeFile(path.join(done, 'empty'), '');
    await writeFile(path.join(done, 'of another'), '');
    await fetchCheckpoint(host.connection, run, checkpoint, target);
    expect(await arrived(target)).toEqual(texts);
  });
});
