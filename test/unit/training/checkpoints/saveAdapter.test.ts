import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { TarEntry } from 'modern-tar';
import { expect, it, onTestFinished } from 'vitest';
import type { AdapterFiles } from '../../../../src/tinker/node/adapterFiles.ts';
import { saveAdapter, type SaveOptions } from '../../../../src/training/node/checkpoints/saveAdapter.ts';
import { adapterFiles, fileEntry, tarOf } from '../../../tools/tinkerServer.ts';

const config = fileEntry('adapter_config.json', '{}');
const weights = fileEntry('adapter_model.safetensors', 'weights');

/** Yields small pieces, as a network does. */
async function* piecesOf(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 100) yield await Promise.resolve(bytes.subarray(at, at + 100));
}

async function save(files: AdapterFiles, options?: SaveOptions): Promise<string> {
  const parent = await mkdtemp(path.join(os.tmpdir(), 'agentjet-adapter-'));
  onTestFinished(() => rm(parent, { recursive: true }));
  await saveAdapter(files, parent, options);
  return parent;
}

const saveArchive = (bytes: Uint8Array, options?: SaveOptions): Promise<string> =>
  save({ kind: 'archive', archive: { bytes: bytes.length, pieces: piecesOf(bytes) } }, options);

it('saves the two files of PEFT, and no other', async () => {
  const entries = [
    fileEntry('./adapter_config.json', '{"r": 8}'),
    fileEntry('checkpoint_complete', ''),
    fileEntry('notes/readme.md', 'hello'),
    weights,
  ];
  const seen: number[] = [];
  const archive = await tarOf(entries);
  const folder = await saveArchive(archive, { onProgress: ({ bytes }) => seen.push(bytes) });
  expect((await readdir(folder)).sort()).toEqual(['adapter_config.json', 'adapter_model.safetensors']);
  expect(await readFile(path.join(folder, 'adapter_config.json'), 'utf8')).toBe('{"r": 8}');
  expect(await readFile(path.join(folder, 'adapter_model.safetensors'), 'utf8')).toBe('weights');
  expect(seen.at(-1)).toBe(archive.length);
});

it('saves files that the server sends one by one', async () => {
  const open = (name: string) => {
    const bytes = Buffer.from(adapterFiles[name as keyof typeof adapterFiles]);
    return Promise.resolve({ bytes: bytes.length, pieces: piecesOf(bytes) });
  };
  const folder = await save({ kind: 'files', open });
  for (const [name, text] of Object.entries(adapterFiles))
    expect(await readFile(path.join(folder, name), 'utf8')).toBe(text);
});

const link = (type: 'symlink' | 'link'): TarEntry => ({
  header: { name: 'adapter_model.safetensors', type, linkname: '/etc/passwd', size: 0 },
});

it.each<[string, readonly TarEntry[]]>([
  ['a path out of the folder', [config, weights, fileEntry('../evil', 'x')]],
  ['an absolute path', [config, weights, fileEntry('/etc/evil', 'x')]],
  ['a backslash', [config, weights, fileEntry('..\\evil', 'x')]],
  ['a symbolic link', [config, link('symlink')]],
  ['a hard link', [config, link('link')]],
  ['a device', [config, { header: { name: 'disk', type: 'block-device', size: 0 } }]],
  ['a file twice', [config, config, weights]],
])('refuses an archive with %s', async (_, entries) => {
  const saved = saveArchive(await tarOf(entries));
  await expect(saved).rejects.toMatchObject({ code: 'checkpoint/refused-entry' });
});

it('refuses what is larger than its limit, also once unpacked', async () => {
  const zeros = '0'.repeat(1_000_000);
  const archive = await tarOf([config, fileEntry('adapter_model.safetensors', zeros)]);
  expect(archive.length).toBeLessThan(10_000);
  const saved = saveArchive(archive, { limit: 100_000 });
  await expect(saved).rejects.toMatchObject({ code: 'checkpoint/too-large' });
});

it.each<[string, () => Promise<Uint8Array>, string]>([
  ['is not one', () => Promise.resolve(Buffer.from('<html>Not found</html>')), 'checkpoint/bad-archive'],
  ['has no tar in it', () => Promise.resolve(gzipSync('x'.repeat(2_000))), 'checkpoint/bad-archive'],
  ['ends early', async () => (await tarOf([config, weights])).slice(0, -30), 'checkpoint/bad-archive'],
  ['has no weights', () => tarOf([config]), 'checkpoint/no-adapter'],
])('refuses an archive that %s', async (_, archive, code) => {
  await expect(saveArchive(await archive())).rejects.toMatchObject({ code });
});
