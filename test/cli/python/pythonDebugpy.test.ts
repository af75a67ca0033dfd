/** Installing debugpy apart from the user's environment, where that does not come off; where it does, the editor's tests show. */
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { CancellationSource } from '../../../src/base/core/cancellation.ts';
import {
  debugpyVersion,
  installDebugpy,
  type DebugpyRequest,
} from '../../../src/backbone/node/python/debugpy.ts';
import { ensurePython } from '../../tools/pythonEnvironments.mjs';

let executable: string;
beforeAll(async () => {
  executable = await ensurePython();
  // Where nobody listens.
  vi.stubEnv('PIP_INDEX_URL', 'http://127.0.0.1:9/simple');
  return () => vi.unstubAllEnvs();
}, 300_000);

async function storageFolder(): Promise<string> {
  const storage = await realpath(await mkdtemp(path.join(tmpdir(), 'agentjet-storage-')));
  onTestFinished(() => rm(storage, { recursive: true, force: true }));
  return storage;
}

async function request(changes: Partial<DebugpyRequest> = {}): Promise<DebugpyRequest> {
  return {
    executable,
    workerFolder: path.join(inject('dist'), 'python'),
    storage: await storageFolder(),
    cancellation: new CancellationSource().token,
    onLine: () => undefined,
    ...changes,
  };
}

describe('installing debugpy', () => {
  it('tells why it did not come off, and leaves nothing half done', async () => {
    const asked = await request();
    await expect(installDebugpy(asked)).rejects.toMatchObject({
      code: 'python/debugpy-not-installed',
      message: expect.stringMatching(
        /^debugpy [\d.]+ could not be installed: .*No matching distribution/,
      ) as string,
      hint: expect.stringContaining('-m pip install debugpy') as string,
    });
    expect(await readdir(path.join(asked.storage, `debugpy-${debugpyVersion}`))).toEqual([]);
  });

  it('ends at once when it is cancelled, and leaves nothing half done', async () => {
    const cancellation = new CancellationSource();
    // The first that pip says is that it looks; it would try again for a while.
    const asked = await request({ cancellation: cancellation.token, onLine: () => cancellation.cancel() });
    expect(await installDebugpy(asked)).toBe(false);
    expect(await readdir(path.join(asked.storage, `debugpy-${debugpyVersion}`))).toEqual([]);
  });

  it('tells that there is no such interpreter', async () => {
    await expect(installDebugpy(await request({ executable: '/no/such/python' }))).rejects.toMatchObject({
      code: 'python/not-found',
    });
  });

  it('takes the version that the tests debug with', async () => {
    const list = await readFile(path.join(import.meta.dirname, '../../tools/python/base.txt'), 'utf8');
    expect(/^debugpy==(\S+)/m.exec(list)?.[1]).toBe(debugpyVersion);
  });
});
