/** Against a hub of our own on loopback. */
import { mkdtemp, readdir, readFile, rm, writeFile, mkdir } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CancellationSource } from '../../../../src/base/core/cancellation.ts';
import { readHuggingFace } from '../../../../src/backbone/core/task-reader/huggingFaceReader.ts';
import type { TaskReadResult } from '../../../../src/backbone/core/task-reader/taskReader.ts';
import { huggingFaceHub } from '../../../../src/backbone/node/hub/dataSetHub.ts';
import { localFiles } from '../../../../src/base/node/files.ts';
import { localParts } from '../../../../src/backbone/node/readerTools.ts';
import { dataSetSource } from '../task-reader/source.ts';
import { commit, sendRange, serveHub, type HubServer } from './hubServer.ts';

const parquet = readFileSync(
  path.join(import.meta.dirname, '../../../fixtures/readers/parquet/gzip/train.parquet'),
);
const files = {
  'README.md': '---\nlicense: mit\n---\n',
  'data/train-00000-of-00001.parquet': parquet,
};
const id = 'owner/set';

let home: string;
let hub: HubServer;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'agentjet-hub-'));
  hub = await serveHub(id, { ...files, 'data/test-00000-of-00001.parquet': parquet });
});
afterEach(async () => {
  await hub.close();
  await rm(home, { recursive: true, force: true });
});

interface Asking {
  readonly path?: string;
  readonly split?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cancellation?: CancellationSource;
  readonly told?: string[];
}

async function read({
  path: name = id,
  split,
  env,
  cancellation,
  told,
}: Asking = {}): Promise<TaskReadResult> {
  const { source } = await dataSetSource({ path: name, ...(split !== undefined && { split }), files: {} });
  const places = {
    env: { HF_ENDPOINT: hub.endpoint, HF_HOME: home, ...env },
    home,
    platform: process.platform,
  };
  return readHuggingFace(
    {
      ...source,
      files: localFiles,
      resolveFile: (file) => Promise.resolve(path.resolve(home, 'nothing', file)),
      dataSets: { parts: localParts, hub: huggingFaceHub(places) },
      ...(cancellation && { cancellation: cancellation.token }),
      log: (_, message) => told?.push(message),
    },
    { first: 2 },
  );
}

const folder = (): string => path.join(home, 'hub', 'datasets--owner--set');
const blobs = (): Promise<string[]> => readdir(path.join(folder(), 'blobs'));
/** Bytes of a download that has not come to its end. */
async function begun(): Promise<number> {
  const [partial] = (await blobs()).filter((name) => name.endsWith('.incomplete'));
  return partial === undefined ? 0 : (await readFile(path.join(folder(), 'blobs', partial))).length;
}

describe('a data set of the hub', () => {
  it('is fetched once, only the split asked for, into the cache that Python uses', async () => {
    const told: string[] = [];
    expect((await read({ told })).tasks).toHaveLength(2);
    expect(hub.asked).toEqual([
      `/api/datasets/${id}/revision/main?blobs=true`,
      `/datasets/${id}/resolve/${commit}/README.md`,
      `/datasets/${id}/resolve/${commit}/data/train-00000-of-00001.parquet`,
      '/lfs/data/train-00000-of-00001.parquet',
    ]);
    expect(told.at(-1)).toMatch(
      /^Fetching owner\/set: data\/train-00000-of-00001\.parquet, 0\.0 of 0\.0 MB$/,
    );
    expect(await readFile(path.join(folder(), 'refs', 'main'), 'utf8')).toBe(commit);
    const snapshot = path.join(folder(), 'snapshots', commit);
    expect(await readFile(path.join(snapshot, 'data/train-00000-of-00001.parquet'))).toEqual(parquet);
    expect(await blobs()).toHaveLength(2);
    hub.asked.length = 0;
    expect((await read({ env: { HF_HUB_OFFLINE: '1' } })).tasks).toHaveLength(2);
    expect(hub.asked).toEqual([]);
  });

  it('goes on where a download was cut off', async () => {
    hub.before = (request, response) => {
      if (!(request.url ?? '').startsWith('/lfs/')) return false;
      response.writeHead(200, { 'content-length': parquet.length });
      response.write(parquet.subarray(0, 5000));
      // Bytes that come together with the end of the connection would be lost.
      void vi
        .waitFor(async () => expect(await begun()).toBeGreaterThan(0), { timeout: 45_000 })
        .finally(() => response.destroy());
      return true;
    };
    await expect(read()).rejects.toMatchObject({ code: 'task-reader/hub-offline' });
    expect(await localFiles.exists(path.join(folder(), 'refs'))).toBe(false);
    const length = await begun();
    expect(length).toBeGreaterThan(0);
    hub.before = () => false;
    expect((await read()).tasks).toHaveLength(2);
    expect(hub.asked.at(-1)).toBe(`/lfs/data/train-00000-of-00001.parquet bytes=${length}-`);
  });

  it('begins anew where what had arrived is of something else', async () => {
    await read();
    const large = (await blobs()).find((name) => name.length === 64) ?? '';
    await rm(path.join(folder(), 'refs'), { recursive: true });
    await rm(path.join(folder(), 'blobs', large));
    await writeFile(path.join(folder(), 'blobs', `${large}.incomplete`), 'of another file');
    expect((await read()).tasks).toHaveLength(2);
    expect(await readFile(path.join(folder(), 'blobs', large))).toEqual(parquet);
  });

  it('is refused when it is not what was announced', async () => {
    hub.before = (request, response) => {
      if (!(request.url ?? '').startsWith('/lfs/')) return false;
      sendRange(Buffer.alloc(parquet.length), request, response);
      return true;
    };
    await expect(read()).rejects.toMatchObject({ code: 'task-reader/hub-damaged' });
    expect((await blobs()).filter((name) => name.length !== 40)).toEqual([]);
  });

  it('goes to the hub for a split that the cache lacks', async () => {
    await read();
    expect((await read({ split: 'test' })).tasks).toHaveLength(2);
    const missing = read({ split: 'validation' });
    await expect(missing).rejects.toMatchObject({
      code: 'task-reader/unknown-split',
      message: 'owner/set has no split "validation"; it has "test", "train".',
    });
  });

  it('sends a token to the hub only', async () => {
    const seen: string[] = [];
    const elsewhere = await serveHub(id, files);
    elsewhere.before = (request, response) => {
      seen.push(`elsewhere ${request.headers.authorization ?? 'nothing'}`);
      sendRange(parquet, request, response);
      return true;
    };
    hub.before = (request, response) => {
      seen.push(request.headers.authorization ?? 'nothing');
      if (!(request.url ?? '').endsWith('train-00000-of-00001.parquet')) return false;
      response.writeHead(302, { location: `${elsewhere.endpoint}/file` }).end();
      return true;
    };
    await mkdir(home, { recursive: true });
    await writeFile(path.join(home, 'token'), 'of-login\n');
    await read();
    await elsewhere.close();
    expect(seen).toEqual(['Bearer of-login', 'Bearer of-login', 'Bearer of-login', 'elsewhere nothing']);
  });

  it.each([
    [401, 'hub-refused', 'HF_TOKEN'],
    [403, 'hub-refused', 'terms'],
    [404, 'hub-not-found', 'owner/set'],
    [503, 'hub-status', '503'],
  ])('says what to do about HTTP %i', async (status, code, named) => {
    hub.before = (_, response) => {
      response.writeHead(status).end();
      return true;
    };
    const error: unknown = await read().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: `task-reader/${code}` });
    const { message, hint } = error as { message: string; hint: string };
    expect(`${message} ${hint}`).toContain(named);
  });

  it('says what to do where the hub may not be asked or cannot be reached', async () => {
    const forbidden = read({ env: { HF_DATASETS_OFFLINE: 'True' } });
    await expect(forbidden).rejects.toMatchObject({
      code: 'task-reader/hub-offline',
      message: expect.stringContaining('HF_DATASETS_OFFLINE') as string,
    });
    const gone = await serveHub(id, files);
    await gone.close();
    await expect(read({ env: { HF_ENDPOINT: gone.endpoint } })).rejects.toMatchObject({
      code: 'task-reader/hub-offline',
      hint: expect.stringContaining('HF_ENDPOINT') as string,
    });
    await expect(read({ env: { HF_ENDPOINT: 'hub' } })).rejects.toMatchObject({
      code: 'task-reader/hub-endpoint',
    });
    await expect(read({ path: 'no/id/this' })).rejects.toMatchObject({
      code: 'task-reader/data-set-not-found',
    });
  });

  it('names the subsets that a config cannot choose from', async () => {
    await hub.close();
    const configs = ['main', 'socratic'].map(
      (name) => `- config_name: ${name}\n  data_files: ${name}/*.jsonl\n`,
    );
    hub = await serveHub(id, {
      'README.md': `---\nconfigs:\n${configs.join('')}---\n`,
      'main/train.jsonl': '{}',
      'socratic/train.jsonl': '{}',
    });
    await expect(read()).rejects.toMatchObject({
      code: 'task-reader/subset-needed',
      message: expect.stringContaining('"main", "socratic"') as string,
    });
  });

  it('ends when cancelled', async () => {
    const cancellation = new CancellationSource();
    hub.before = (request, response) => {
      if (!(request.url ?? '').startsWith('/lfs/')) return false;
      response.writeHead(200, { 'content-length': parquet.length });
      response.write(parquet.subarray(0, 100), () => cancellation.cancel());
      return true;
    };
    await expect(read({ cancellation })).rejects.toMatchObject({ code: 'task-reader/cancelled' });
  });
});
