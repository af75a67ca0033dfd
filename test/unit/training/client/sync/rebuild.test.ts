import { hash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { rebuildSnapshot } from '../../../../../src/training/node/client/sync/rebuild.ts';
import { syncTree } from '../../../../../src/training/node/client/sync/syncTree.ts';
import type { SnapshotManifest } from '../../../../../src/training/core/protocol/hostRpc.ts';
import type { ClientConnection } from '../../../../../src/training/core/wire/clientConnection.ts';
import type { DownloadRequest } from '../../../../../src/training/core/wire/transfers.ts';
import { manifestText } from '../../../../../src/training/core/sync/manifest.ts';
import { syncHost, temporary, treeOf, write } from './syncHost.ts';

const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });
const sumOf = (text: string): string => hash('sha256', text, 'hex');

test('a snapshot is rebuilt as it was, and goes on from what had come', async () => {
  const folder = await temporary();
  const { connection, asked } = await syncHost(folder);
  const root = path.join(folder, 'root');
  await write(root, {
    'a.py': 'print(1)',
    copy: 'print(1)',
    'bin/run': '* #!/bin/sh',
    'bin/link': '-> ../a.py',
  });
  await write(root, { empty: '', 'big.bin': 'x'.repeat(1_300_000) });
  const snapshot = await syncTree(await treeOf(root), connection);
  const target = path.join(folder, 'rebuilt');
  await write(`${target}.part/contents`, { [sumOf('print(1)')]: 'print(2)', [sumOf('')]: '' });
  const told: number[] = [];
  const onProgress = ({ bytes }: { readonly bytes: number }): number => told.push(bytes);
  await rebuildSnapshot(connection, snapshot, target, { onProgress });
  expect(told.at(-1)).toBe(1_300_000 + 8 + 9);
  expect(await syncTree(await treeOf(target), connection)).toBe(snapshot);
  expect((await readdir(folder)).sort()).toEqual(['data', 'rebuilt', 'root']);
  asked.length = 0;
  await expect(rebuildSnapshot(connection, snapshot, target)).rejects.toEqual(code('sync/target-taken'));
  expect(asked).toEqual([]);
});

/** What any host may answer. */
function hostile(
  manifest: SnapshotManifest,
  texts: Readonly<Record<string, string>> = {},
): Pick<ClientConnection, 'ask' | 'download'> {
  const ask = () => Promise.resolve({ entries: manifest, total: manifest.length });
  const download = ({ params }: DownloadRequest) => {
    const text = 'sha256' in params ? (texts[params.sha256] ?? '') : '';
    const pieces = (async function* () {
      yield await Promise.resolve(Buffer.from(text));
    })();
    return Promise.resolve({ bytes: text.length, pieces });
  };
  return { ask: ask as unknown as ClientConnection['ask'], download };
}

const file = (name: string, text: string) => ({ path: name, sha256: sumOf(text), bytes: text.length });
const sorted = (manifest: SnapshotManifest) => [...manifest].sort((a, b) => (a.path < b.path ? -1 : 1));

test.each<readonly [string, SnapshotManifest]>([
  ['above', [file('../evil', 'x')]],
  ['absolute', [file('/tmp/evil', 'x')]],
  ['through a link', [{ path: 'a', link: 'b' }, file('a/evil', 'x')]],
  ['a link out', [{ path: 'a', link: '../outside' }]],
  ['an absolute link', [{ path: 'a', link: '/etc' }]],
  ['a hook of Git', [file('a/.GIT/hooks/post-checkout', 'x')]],
])('a host that wants to write %s is refused before anything is written', async (_, manifest) => {
  const folder = await temporary();
  const snapshot = sumOf(manifestText(manifest));
  const host = hostile(manifest, { [sumOf('x')]: 'x' });
  const rebuilding = rebuildSnapshot(host, snapshot, path.join(folder, 'target'));
  await expect(rebuilding).rejects.toEqual(code('sync/path-refused'));
  expect(await readdir(folder)).toEqual([]);
});

test('a host that tells other files or sends other contents leaves no target', async () => {
  const folder = await temporary();
  const target = path.join(folder, 'target');
  const manifest = sorted([file('b', 'right'), file('a', 'also')]);
  const snapshot = sumOf(manifestText(manifest));
  await expect(rebuildSnapshot(hostile([file('a', 'also')]), snapshot, target)).rejects.toEqual(
    code('sync/bad-manifest'),
  );
  for (const sent of ['wrong', 'righ', 'right and more']) {
    const host = hostile(manifest, { [sumOf('right')]: sent, [sumOf('also')]: 'also' });
    await expect(rebuildSnapshot(host, snapshot, target)).rejects.toEqual(code('sync/content-differs'));
  }
  expect(await readdir(folder)).toEqual(['target.part']);
  await writeFile(path.join(folder, 'target'), '');
  await expect(rebuildSnapshot(hostile(manifest), snapshot, target)).rejects.toEqual(
    code('sync/target-taken'),
  );
});
