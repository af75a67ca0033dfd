import { createHash } from 'node:crypto';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CancellationSource, neverCancelled } from '../../../../../src/base/core/cancellation.ts';
import { canonicalJson } from '../../../../../src/base/core/canonicalJson.ts';
import { Random } from '../../../../../src/base/core/random.ts';
import { openHostSync } from '../../../../../src/training/node/host/sync/hostSync.ts';
import { asDiskFull } from '../../../../../src/training/node/host/sync/contentStore.ts';
import type { SnapshotEntry } from '../../../../../src/training/core/protocol/hostRpc.ts';
import type { ByteSource, HostSync } from '../../../../../src/training/core/contracts.ts';
import { packHeader } from '../../../../../src/training/core/sync/manifest.ts';

let folder = '';
let dataFolder = '';
let host: Awaited<ReturnType<typeof openHostSync>>;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-sync-'));
  dataFolder = path.join(folder, 'data');
  host = await openHostSync({ dataFolder });
});
afterEach(async () => {
  await host.flushed();
  await rm(folder, { recursive: true, force: true });
});

const sumOf = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const idOf = (entries: readonly SnapshotEntry[]): string => sumOf(canonicalJson(entries));
const fileEntry = (inside: string, text: string, executable = false): SnapshotEntry => ({
  path: inside,
  sha256: sumOf(text),
  bytes: Buffer.byteLength(text),
  ...(executable && { executable: true as const }),
});

async function put(text: string | Uint8Array, to: HostSync = host): Promise<void> {
  const bytes = Buffer.from(text);
  const sink = await to.put(sumOf(bytes), bytes.length);
  await sink.write(bytes, 0);
  await sink.end();
}

function packOf(...texts: readonly string[]): Buffer {
  return Buffer.concat(
    texts.flatMap((text) => [packHeader(sumOf(text), Buffer.byteLength(text)), Buffer.from(text)]),
  );
}

async function keep(entries: readonly SnapshotEntry[], to: HostSync = host): Promise<string> {
  const snapshot = idOf(entries);
  const page = { snapshot, from: 0, entries: [...entries], done: true };
  expect(await to.manifest('test', page, neverCancelled)).toBe(true);
  return snapshot;
}

async function textOf({ pieces }: ByteSource): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
}

/** Every file of the data folder but for the markers. */
async function everything(): Promise<readonly string[]> {
  const entries = await readdir(dataFolder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !['unflushed', 'claimed'].includes(entry.name))
    .map(({ name }) => name);
}

async function tree(root: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  // Without their types `readdir` goes through links.
  for (const { parentPath, name: last } of await readdir(root, { recursive: true, withFileTypes: true })) {
    const place = path.join(parentPath, last);
    const name = path.relative(root, place);
    const entry = await lstat(place);
    if (entry.isSymbolicLink()) found[name] = `-> ${await readlink(place)}`;
    if (entry.isFile())
      found[name] = `${(entry.mode & 0o111) === 0 ? '' : '* '}${await readFile(place, 'utf8')}`;
  }
  return found;
}

const code = (wanted: string): unknown => expect.objectContaining({ code: wanted });

describe('contents', () => {
  test('are kept by what they are, and told back from any place on', async () => {
    await put('hello');
    expect(await host.lacks([sumOf('hello'), sumOf('world')])).toEqual([sumOf('world')]);
    const place = path.join(dataFolder, 'contents', sumOf('hello').slice(0, 2), sumOf('hello').slice(2));
    expect(await readFile(place, 'utf8')).toBe('hello');
    const source = await host.get(sumOf('hello'), 2);
    expect(source.bytes).toBe(3);
    expect(await textOf(source)).toBe('llo');
    expect(await textOf(await host.get(sumOf('hello'), 99))).toBe('');
    await expect(host.get(sumOf('world'), 0)).rejects.toEqual(code('sync/no-content'));
  });

  test('that are not what was announced leave nothing', async () => {
    const bytes = Buffer.from('hello');
    const wrong = await host.put(sumOf('other'), 5);
    await wrong.write(bytes, 0);
    await expect(wrong.end()).rejects.toEqual(code('sync/content-differs'));
    const short = await host.put(sumOf('hello'), 5);
    await short.write(bytes.subarray(0, 4), 0);
    await expect(short.end()).rejects.toEqual(code('sync/content-differs'));
    const long = await host.put(sumOf('hell'), 4);
    await expect(long.write(bytes, 0)).rejects.toEqual(code('sync/content-differs'));
    await long.abort();
    const gap = await host.put(sumOf('hello'), 5);
    await expect(gap.write(bytes.subarray(2), 2)).rejects.toEqual(code('sync/content-differs'));
    await gap.abort();
    const aborted = await host.put(sumOf('hello'), 5);
    await aborted.write(bytes, 0);
    await aborted.abort();
    await expect(aborted.end()).rejects.toEqual(code('sync/content-differs'));
    expect(await everything()).toEqual([]);
  });

  test('of a pack are each kept, in pieces of any size', async () => {
    const random = new Random('pack');
    const texts = Array.from({ length: 50 }, (_, at) => `${at} `.repeat(random.below(2_000)));
    const pack = packOf(...texts);
    const sink = await host.pack(pack.length);
    for (let at = 0; at < pack.length;) {
      const piece = pack.subarray(at, at + 1 + random.below(5_000));
      await sink.write(piece, at);
      at += piece.length;
    }
    await sink.end();
    expect(await host.lacks(texts.map(sumOf))).toEqual([]);
    for (const text of texts) expect(await textOf(await host.get(sumOf(text), 0))).toBe(text);
  });

  test('of a broken pack are not', async () => {
    const broken = Buffer.concat([packHeader(sumOf('a'), 1), Buffer.from('b')]);
    const sink = await host.pack(broken.length);
    await sink.write(broken, 0);
    await expect(sink.end()).rejects.toEqual(code('sync/content-differs'));
    const cut = await host.pack(30);
    await cut.write(broken.subarray(0, 30), 0);
    await expect(cut.end()).rejects.toEqual(code('sync/bad-pack'));
    const long = await host.pack(3);
    await expect(long.write(broken, 0)).rejects.toEqual(code('sync/bad-pack'));
    expect(await everything()).toEqual([]);
  });

  test('that are there are not written again', async () => {
    await put('hello');
    const place = path.join(dataFolder, 'contents', sumOf('hello').slice(0, 2), sumOf('hello').slice(2));
    const before = await stat(place, { bigint: true });
    await put('hello');
    const sink = await host.pack(packOf('hello').length);
    await sink.write(packOf('hello'), 0);
    await sink.end();
    const after = await stat(place, { bigint: true });
    expect([after.ino, after.ctimeNs]).toEqual([before.ino, before.ctimeNs]);
    expect(await everything()).toHaveLength(1);
  });

  test('can come from two clients at once', async () => {
    const sinks = await Promise.all([host.put(sumOf('hello'), 5), host.put(sumOf('hello'), 5)]);
    for (const sink of sinks) await sink.write(Buffer.from('hello'), 0);
    await Promise.all(sinks.map((sink) => sink.end()));
    expect(await everything()).toHaveLength(1);
  });

  test('that were underway when the process ended are gone when it starts again', async () => {
    await put('kept');
    const sink = await host.put(sumOf('hello'), 5);
    await sink.write(Buffer.from('hel'), 0);
    expect(await host.lacks([sumOf('hello')])).toHaveLength(1);
    expect(await everything()).toHaveLength(2);
    const again = await openHostSync({ dataFolder });
    expect(await everything()).toHaveLength(1);
    expect(await again.lacks([sumOf('kept'), sumOf('hello')])).toEqual([sumOf('hello')]);
    await sink.abort();
  });

  test('that the disk lost with the machine are asked for again', async () => {
    await put('kept');
    await put('lost');
    const place = (text: string): string =>
      path.join(dataFolder, 'contents', sumOf(text).slice(0, 2), sumOf(text).slice(2));
    const snapshot = await keep([fileEntry('a', 'lost')]);
    await host.flushed();
    expect(await readdir(path.join(dataFolder, 'contents'))).not.toContain('unflushed');
    // As such a machine leaves it: the name is there, the bytes are not, and nothing had told that they are.
    await truncate(place('lost'), 0);
    await writeFile(path.join(dataFolder, 'contents', 'unflushed'), '');
    const again = await openHostSync({ dataFolder });
    expect(await again.lacks([sumOf('kept'), sumOf('lost')])).toEqual([sumOf('lost')]);
    expect(await again.has(snapshot)).toBe(false);
    expect(await readdir(path.join(dataFolder, 'contents'))).not.toContain('unflushed');
    // What was kept long before the marker is not read again.
    await put('lost', again);
    await again.flushed();
    await truncate(place('kept'), 0);
    await utimes(place('kept'), 1, 1);
    await writeFile(path.join(dataFolder, 'contents', 'unflushed'), '');
    expect(await (await openHostSync({ dataFolder })).lacks([sumOf('kept')])).toEqual([]);
  });

  test('are refused before the first byte where the disk is nearly full', async () => {
    let free = 300_000_000;
    const small = await openHostSync({ dataFolder, free: () => Promise.resolve(free) });
    const refused = { code: 'host/disk-full', message: expect.stringContaining('31.6 MB') as unknown };
    await expect(small.put(sumOf('x'), 40_000_000)).rejects.toMatchObject(refused);
    await expect(small.pack(40_000_000)).rejects.toMatchObject(refused);
    await put('fits', small);
    free = 0;
    await expect(put('later', small)).rejects.toMatchObject({ code: 'host/disk-full' });
    expect(await readdir(path.join(dataFolder, 'contents', 'incoming'))).toEqual([]);
  });

  test('are for their user alone, also in a folder that others can read', async () => {
    for (const name of ['contents', 'snapshots']) {
      await chmod(path.join(dataFolder, name), 0o755);
    }
    await openHostSync({ dataFolder });
    for (const name of ['contents', 'snapshots']) {
      expect((await stat(path.join(dataFolder, name))).mode & 0o777, name).toBe(0o700);
    }
  });

  test('with something else in their place do not keep the host from starting', async () => {
    await put('kept');
    await host.flushed();
    await rm(path.join(dataFolder, 'claimed'));
    await symlink('/nowhere/at/all', path.join(dataFolder, 'claimed'));
    await mkdir(path.join(dataFolder, 'contents/ab/folder/inside'), { recursive: true });
    await writeFile(path.join(dataFolder, 'contents/cd'), '');
    await writeFile(path.join(dataFolder, 'contents/unflushed'), '');
    const again = await openHostSync({ dataFolder });
    expect(await again.lacks([sumOf('kept')])).toEqual([]);
    expect((await lstat(path.join(dataFolder, 'claimed'))).isFile()).toBe(true);
  });

  test('of a lost connection are continued, unless they turn out to be others', async () => {
    const text = 'resumed'.repeat(1_000);
    const bytes = Buffer.from(text);
    const first = await host.put(sumOf(text), bytes.length, true);
    await first.write(bytes.subarray(0, 3_000), 0);
    await first.abort();
    const whole = await host.put(sumOf(text), bytes.length);
    expect(whole.held).toBeUndefined();
    await whole.abort();
    const rest = await host.put(sumOf(text), bytes.length, true);
    expect(rest.held).toBe(3_000);
    await rest.write(bytes.subarray(3_000), 3_000);
    await rest.end();
    expect(await host.lacks([sumOf(text)])).toEqual([]);

    const wrong = await host.put(sumOf('other'), 5, true);
    await wrong.write(Buffer.from('wro'), 0);
    await wrong.abort();
    const ending = await host.put(sumOf('other'), 5, true);
    await ending.write(Buffer.from('er'), 3);
    await expect(ending.end()).rejects.toEqual(code('sync/content-differs'));
    await ending.abort();
    const last = await host.put(sumOf('other'), 5, true);
    expect(last.held).toBeUndefined();
    await last.abort();
  });

  test('that find the disk full say so', async () => {
    const full = await writeFile('/dev/full', 'x').catch((error: unknown) => error);
    if (process.platform === 'linux') expect(asDiskFull(full)).toEqual(code('host/disk-full'));
    expect(asDiskFull(undefined)).toBeUndefined();
  });
});

describe('snapshots', () => {
  const entries = [fileEntry('bin/run', 'run', true), { path: 'l', link: 'src/a' }, fileEntry('src/a', 'a')];

  test('are kept once every content is there', async () => {
    const snapshot = idOf(entries);
    await put('run');
    await expect(keep(entries)).rejects.toEqual(code('sync/no-content'));
    expect(await host.has(snapshot)).toBe(false);
    await put('a');
    await keep(entries);
    expect(await host.has(snapshot)).toBe(true);
    expect(await host.entries(snapshot)).toEqual(entries);
    const again = await openHostSync({ dataFolder });
    expect(await again.has(snapshot)).toBe(true);
    await expect(again.entries(idOf([]))).rejects.toEqual(code('sync/no-snapshot'));
  });

  test('come in pages, each client its own', async () => {
    await put('run');
    await put('a');
    const snapshot = idOf(entries);
    const page = (from: number, to: number) => ({
      ...{ snapshot, from, entries: entries.slice(from, to), done: to === entries.length },
    });
    expect(await host.manifest('one', page(0, 1))).toBe(false);
    expect(await host.manifest('two', page(0, 2))).toBe(false);
    expect(await host.manifest('one', page(1, 3))).toBe(true);
    expect(await host.manifest('two', page(2, 3))).toBe(true);
    await expect(host.manifest('one', page(1, 3))).rejects.toEqual(code('sync/bad-manifest'));
    // Beginning again is allowed.
    expect(await host.manifest('one', page(0, 2))).toBe(false);
    expect(await host.manifest('one', page(0, 3))).toBe(true);
  });

  test('that are incomplete go with their client, and have a largest size together', async () => {
    const pageOf = (from: number) => ({
      ...{ snapshot: idOf(entries), from, entries: entries.slice(from, from + 1), done: false },
    });
    const outOfOrder = { message: expect.stringContaining('not in order') as string };
    const client = new CancellationSource();
    expect(await host.manifest('one', pageOf(0), client.token)).toBe(false);
    expect(await host.manifest('other', pageOf(0))).toBe(false);
    client.cancel();
    await expect(host.manifest('one', pageOf(1))).rejects.toMatchObject(outOfOrder);
    expect(await host.manifest('other', pageOf(1))).toBe(false);

    const small = await openHostSync({ dataFolder, entries: 2 });
    for (const client of ['one', 'two', 'three']) await small.manifest(client, pageOf(0));
    await expect(small.manifest('one', pageOf(1))).rejects.toMatchObject(outOfOrder);
    expect(await small.manifest('three', pageOf(1))).toBe(false);
  });

  test('have a largest size', async () => {
    const small = await openHostSync({ dataFolder, entries: 2 });
    await expect(keep(entries, small)).rejects.toEqual(code('sync/bad-manifest'));
  });

  test.each([
    ['an id of another', [fileEntry('a', 'a')], idOf([]), 'sync/bad-manifest'],
    ['a wrong order', [fileEntry('b', 'a'), fileEntry('a', 'a')], undefined, 'sync/bad-manifest'],
    ['..', [fileEntry('../a', 'a')], undefined, 'sync/path-refused'],
    ['an absolute path', [fileEntry('/a', 'a')], undefined, 'sync/path-refused'],
    ['NUL', [fileEntry('a\u0000b', 'a')], undefined, 'sync/path-refused'],
    ['a long name', [fileEntry('a'.repeat(256), 'a')], undefined, 'sync/path-refused'],
    ['two cases', [fileEntry('A', 'a'), fileEntry('a', 'a')], undefined, 'sync/path-refused'],
    ['a link out', [{ path: 'l', link: '../x' }], undefined, 'sync/path-refused'],
    ['the config of Git', [fileEntry('.git/config', 'a')], undefined, 'sync/path-refused'],
    ['an absolute link', [{ path: 'l', link: '/etc/passwd' }], undefined, 'sync/path-refused'],
    [
      'a file below a link',
      [{ path: 'l', link: 'd' }, fileEntry('l/a', 'a')],
      undefined,
      'sync/path-refused',
    ],
    ['a false size', [{ ...fileEntry('a', 'a'), bytes: 2 }], undefined, 'sync/content-differs'],
  ] as const)('with %s are refused', async (_, manifest, snapshot, wanted) => {
    await put('a');
    const page = { snapshot: snapshot ?? idOf(manifest), from: 0, entries: [...manifest], done: true };
    await expect(host.manifest('test', page)).rejects.toEqual(code(wanted));
    expect(await host.has(page.snapshot)).toBe(false);
  });

  test('that the disk spoilt are none', async () => {
    await put('a');
    const snapshot = await keep([fileEntry('a', 'a')]);
    await writeFile(path.join(dataFolder, 'snapshots', `${snapshot}.json`), '[{"path":"../x","link":"y"}]');
    const again = await openHostSync({ dataFolder });
    expect(await again.has(snapshot)).toBe(false);
    await expect(again.entries(snapshot)).rejects.toEqual(code('sync/no-snapshot'));
  });
});

describe('a snapshot in a folder', () => {
  test('is what was sent: modes, links and nothing else', async () => {
    for (const text of ['run', 'a', '']) await put(text);
    const entries = [
      fileEntry('bin/run', 'run', true),
      fileEntry('deep/er/empty', ''),
      { path: 'l', link: 'src' },
      fileEntry('src/a', 'a'),
      { path: 'src/up', link: '../bin/run' },
    ];
    const work = path.join(folder, 'work');
    const first = await keep(entries);
    await host.materialize(first, work, neverCancelled);
    expect(await tree(work)).toEqual({
      'bin/run': '* run',
      'deep/er/empty': '',
      l: '-> src',
      'src/a': 'a',
      'src/up': '-> ../bin/run',
    });
    // Deletes are mirrored: the next snapshot gets a folder of its own, in which there is what it names and no more.
    const next = path.join(folder, 'next');
    await host.materialize(await keep([fileEntry('src/a', 'a')]), next, neverCancelled);
    expect(await tree(next)).toEqual({ 'src/a': 'a' });
  });

  test('is a copy: what a run writes over its files reaches no content', async () => {
    await put('a');
    const snapshot = await keep([fileEntry('a', 'a')]);
    await host.materialize(snapshot, path.join(folder, 'one'), neverCancelled);
    await writeFile(path.join(folder, 'one', 'a'), 'changed');
    await host.materialize(snapshot, path.join(folder, 'two'), neverCancelled);
    expect(await tree(path.join(folder, 'two'))).toEqual({ a: 'a' });
  });

  test.each(['a', 'b'.repeat(2 * 1024 * 1024)])('has no content in which a bit has changed', async (text) => {
    const entries = [fileEntry('a', text)];
    await put(text);
    const snapshot = await keep(entries);
    await host.flushed();
    const [prefix, rest] = [sumOf(text).slice(0, 2), sumOf(text).slice(2)];
    await writeFile(path.join(dataFolder, 'contents', prefix, rest), text.replace(/.$/, 'x'));
    const work = path.join(folder, 'work');
    await expect(host.materialize(snapshot, work, neverCancelled)).rejects.toEqual(code('sync/no-content'));
    expect(await readdir(work)).toEqual([]);
    expect(await host.has(snapshot)).toBe(false);
    expect(await host.lacks([sumOf(text)])).toEqual([sumOf(text)]);
  });

  test('goes into an empty folder only', async () => {
    await put('a');
    const snapshot = await keep([fileEntry('a', 'a')]);
    const work = path.join(folder, 'work');
    await mkdir(work);
    const outside = path.join(folder, 'outside');
    await symlink(outside, path.join(work, 'a'));
    await expect(host.materialize(snapshot, work, neverCancelled)).rejects.toEqual(code('sync/not-empty'));
    expect(await readdir(folder)).not.toContain('outside');
  });

  test('leaves nothing when it is cancelled or a content is gone, which is then asked for again', async () => {
    await put('a');
    await put('b');
    const snapshot = await keep([fileEntry('a', 'a'), fileEntry('d/b', 'b')]);
    const work = path.join(folder, 'work');
    const source = new CancellationSource();
    source.cancel();
    await expect(host.materialize(snapshot, work, source.token)).rejects.toEqual(code('sync/cancelled'));
    expect(await readdir(work)).toEqual([]);
    await rm(path.join(dataFolder, 'contents', sumOf('b').slice(0, 2), sumOf('b').slice(2)));
    await expect(host.materialize(snapshot, work, neverCancelled)).rejects.toEqual(code('sync/no-content'));
    expect(await readdir(work)).toEqual([]);
    expect(await host.has(snapshot)).toBe(false);
    await put('b');
    expect(await host.has(snapshot)).toBe(true);
    await host.materialize(snapshot, work, neverCancelled);
    expect(await tree(work)).toEqual({ a: 'a', 'd/b': 'b' });
  });
});
