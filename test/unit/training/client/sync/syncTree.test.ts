import { appendFile, chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../../../src/base/core/cancellation.ts';
import { Random } from '../../../../../src/base/core/random.ts';
import {
  syncTree,
  type SyncProgress,
  type SyncTreeOptions,
} from '../../../../../src/training/node/client/sync/syncTree.ts';
import { withFiles } from '../../../../../src/training/core/sync/tree.ts';
import { client } from '../wire/wireHost.ts';
import { syncHost, temporary, treeOf, write, type SyncHost } from './syncHost.ts';

const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });
/** A clock by which every file has been left alone for long. */
const later = { now: () => Date.now() + 10_000 };

async function bench(): Promise<{ host: SyncHost; folder: string; root: string; cache: string }> {
  const folder = await temporary();
  return {
    ...{ host: await syncHost(folder), folder, root: path.join(folder, 'root') },
    cache: path.join(folder, 'client', 'sums'),
  };
}

/** A folder as text, with modes and links. */
async function look(root: string): Promise<Record<string, string>> {
  const tree = await treeOf(root);
  const found: Record<string, string> = {};
  for (const { path: inside, executable } of tree.files) {
    found[inside] = `${executable ? '* ' : ''}${await readFile(path.join(root, inside), 'utf8')}`;
  }
  for (const { path: inside, link } of tree.links) found[inside] = `-> ${link}`;
  return found;
}

const bytesOf = (random: Random, length: number): string =>
  Array.from({ length: Math.ceil(length / 8) }, () => random.next().toFixed(6))
    .join('')
    .slice(0, length);

describe('a sync', () => {
  test('brings the folder as it is, then nothing but what changed, and at last asks once', async () => {
    const { host, folder, root, cache } = await bench();
    const random = new Random('tree');
    await write(root, {
      ...{
        'a.py': 'print(1)',
        'bin/run': '* #!/bin/sh',
        'bin/link': '-> ../a.py',
        empty: '',
        copy: 'print(1)',
      },
      ...{ 'big.bin': bytesOf(random, 1_200_000), 'ä/deep/er/b.py': 'b', '.env': 'SECRET=1' },
    });
    const sync = async (options: SyncTreeOptions = later): Promise<string> =>
      syncTree(await treeOf(root, cache), host.connection, options);
    let at = 0;
    const compare = async (snapshot: string): Promise<void> => {
      const work = path.join(folder, `work${++at}`);
      await host.sync.materialize(snapshot, work, neverCancelled);
      expect(await look(work)).toEqual(await look(root));
    };
    const first = await sync();
    expect(host.asked.filter((method) => method === 'sync.pack')).toHaveLength(1);
    expect(host.asked.filter((method) => method === 'sync.put')).toHaveLength(1);
    await compare(first);

    host.asked.length = 0;
    const tree = await treeOf(root, cache);
    expect(tree.files.filter(({ sha256 }) => sha256 === undefined)).toEqual([]);
    expect(await syncTree(tree, host.connection)).toBe(first);
    expect(host.asked).toEqual(['sync.has']);

    await appendFile(path.join(root, 'a.py'), '\nprint(2)');
    await rm(path.join(root, 'ä'), { recursive: true });
    await chmod(path.join(root, 'copy'), 0o755);
    host.asked.length = 0;
    const progress: SyncProgress[] = [];
    const second = await sync({ ...later, onProgress: (now) => progress.push(now) });
    expect(host.asked).not.toContain('sync.put');
    expect(progress.at(-1)?.sent).toBeLessThan(1_000);
    await compare(second);
    // Back to what was: nothing is sent.
    await writeFile(path.join(root, 'a.py'), 'print(1)');
    await write(root, { 'ä/deep/er/b.py': 'b' });
    await chmod(path.join(root, 'copy'), 0o644);
    host.asked.length = 0;
    expect(await sync()).toBe(first);
    expect(host.asked).not.toContain('sync.pack');
  });
  test('continues a large file after each lost connection', async () => {
    const { host, folder, root } = await bench();
    const network = await host.wire.network();
    network.cutAfterSent = 1_500_000;
    const connection = client({ url: `ws://127.0.0.1:${network.port}`, token: host.wire.token() });
    await write(root, { 'big.bin': 'resumed '.repeat(3_750_000) });
    let last: SyncProgress | undefined;
    const snapshot = await syncTree(await treeOf(root), connection, { onProgress: (now) => (last = now) });
    await host.sync.materialize(snapshot, path.join(folder, 'work'), neverCancelled);
    expect(await look(path.join(folder, 'work'))).toEqual(await look(root));
    // Sent from the start after each cut, it would need more attempts than there are.
    expect(network.cuts).toBeGreaterThan(20);
    expect(last).toMatchObject({ sent: 30_000_000 });
  });
  test('sends what is added in place of files, and takes it for none of the folder', async () => {
    const { host, folder, root, cache } = await bench();
    await write(root, { 'a.yaml': 'one', b: 'two' });
    const big = 'x'.repeat(1_200_000);
    const added = Object.entries({ 'a.yaml': 'other', 'more/big': big, 'more/same': 'two' }).map(
      ([name, text]) => ({ path: name, content: Buffer.from(text) }),
    );
    const tree = async () => withFiles(await treeOf(root, cache), added);
    const materialised = async (snapshot: string): Promise<Record<string, string>> => {
      const work = path.join(folder, snapshot);
      await host.sync.materialize(snapshot, work, neverCancelled);
      return look(work);
    };
    const first = await syncTree(await tree(), host.connection, later);
    expect(await materialised(first)).toEqual({
      'a.yaml': 'other',
      b: 'two',
      'more/big': big,
      'more/same': 'two',
    });
    host.asked.length = 0;
    expect(await syncTree(await tree(), host.connection, later)).toBe(first);
    expect(host.asked).toEqual(['sync.has']);
    const own = await syncTree(await treeOf(root, cache), host.connection, later);
    expect(await materialised(own)).toEqual({ 'a.yaml': 'one', b: 'two' });
  });

  test('sums again what was written while its clock could not tell', async () => {
    const { host, root, cache } = await bench();
    await write(root, { a: 'one' });
    const written = (await stat(path.join(root, 'a'))).mtimeMs;
    const first = await syncTree(await treeOf(root, cache), host.connection, { now: () => written });
    const tree = await treeOf(root, cache);
    expect(tree.files[0]?.sha256).toBeUndefined();
    expect(await syncTree(tree, host.connection, later)).toBe(first);
    expect((await treeOf(root, cache)).files[0]?.sha256).toBeDefined();
  });

  test('reads again what the host lost', async () => {
    const { host, folder, root, cache } = await bench();
    await write(root, { a: 'one', b: 'x'.repeat(1_100_000) });
    const first = await syncTree(await treeOf(root, cache), host.connection, later);
    const other = await syncHost(path.join(folder, 'other'));
    expect(await syncTree(await treeOf(root, cache), other.connection, later)).toBe(first);
    expect(await other.sync.has(first)).toBe(true);
  });

  test('takes what a file is now, not what it was when the folder was read', async () => {
    const { host, folder, root } = await bench();
    await write(root, { a: 'one', b: 'x'.repeat(1_100_000), c: 'y'.repeat(1_100_000) });
    const tree = await treeOf(root);
    await writeFile(path.join(root, 'a'), 'x'.repeat(1_200_000));
    await writeFile(path.join(root, 'b'), 'small');
    const snapshot = await syncTree(tree, host.connection);
    await host.sync.materialize(snapshot, path.join(folder, 'work'), neverCancelled);
    expect(await look(path.join(folder, 'work'))).toEqual(await look(root));
    await rm(path.join(root, 'c'));
    await expect(syncTree(tree, host.connection)).rejects.toEqual(code('sync/changed-while-sent'));
  });

  test('sends nothing of what is too much, or is given up', async () => {
    const { host, root } = await bench();
    await write(root, { a: 'one' });
    const tree = await treeOf(root);
    const limit = { files: 1, bytes: 2 };
    await expect(syncTree(tree, host.connection, { limit })).rejects.toEqual(code('sync/too-large'));
    const source = new CancellationSource();
    source.cancel();
    const { token: cancellation } = source;
    await expect(syncTree(tree, host.connection, { cancellation })).rejects.toEqual(code('sync/cancelled'));
    expect(host.asked.filter((method) => method !== 'sync.lacks')).toEqual([]);
  });

  test('goes on over a network that is cut all the time, and over again after it was given up', async () => {
    const { host, folder, root, cache } = await bench();
    const random = new Random('cuts');
    const files: Record<string, string> = {};
    for (let file = 0; file < 500; file++)
      files[`d${file % 7}/f${file}`] = `${file} `.repeat(random.below(2_000));
    for (let file = 0; file < 3; file++) files[`big${file}`] = `${file}`.repeat(1_100_000);
    await write(root, files);
    const network = await host.wire.network();
    // First in the middle of answers, then in the middle of uploads.
    network.cutAfter = () => (network.made <= 3 ? 2_000 : Infinity);
    let cuts = 6;
    const onProgress = (): void => {
      if (cuts === 0 || random.chance(0.5)) return;
      cuts--;
      network.cut();
    };
    const connection = client({ url: `ws://127.0.0.1:${network.port}`, token: host.wire.token() });
    const source = new CancellationSource();
    const given = syncTree(await treeOf(root, cache), connection, {
      ...later,
      cancellation: source.token,
      onProgress: ({ sent }) => {
        if (sent > 500_000) source.cancel();
        onProgress();
      },
    });
    await expect(given).rejects.toThrow();
    const snapshot = await syncTree(await treeOf(root, cache), connection, { ...later, onProgress });
    expect(cuts).toBeLessThan(6);
    expect(network.made).toBeGreaterThan(3);
    await host.sync.materialize(snapshot, path.join(folder, 'work'), neverCancelled);
    expect(await look(path.join(folder, 'work'))).toEqual(files);
    expect(await readdir(path.join(folder, 'data', 'contents', 'incoming'))).toEqual([]);
  });

  test('sends a content of its own anew where the network is cut in the middle of it', async () => {
    const { host, folder, root } = await bench();
    await write(root, { 'a.py': 'print(1)' });
    const content = Buffer.from(bytesOf(new Random('added'), 8_000_000));
    const tree = withFiles(await treeOf(root), [{ path: 'typescript.cjs', content }]);
    const network = await host.wire.network();
    const connection = client({ url: `ws://127.0.0.1:${network.port}`, token: host.wire.token() });
    let cuts = 0;
    const onProgress = ({ sent }: SyncProgress): void => {
      // The content alone is that long.
      if (sent < 1_000_000 || cuts === 2) return;
      cuts++;
      network.cut();
    };
    const snapshot = await syncTree(tree, connection, { onProgress });
    expect(cuts).toBe(2);
    await host.sync.materialize(snapshot, path.join(folder, 'work'), neverCancelled);
    const arrived = await readFile(path.join(folder, 'work', 'typescript.cjs'));
    expect(arrived.equals(content)).toBe(true);
  });
});
