/** Sets up the environment of a rehearsal from nothing, and starts and ends its server. */
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CancellationSource, neverCancelled } from '../../src/base/core/cancellation.ts';
import { descendantsOf, isAlive } from '../../src/base/node/process/kill.ts';
import type { SetUpProgress } from '../../src/tinker/core/rehearsal/setUpProgress.ts';
import { startRehearsalServer, type RehearsalServer } from '../../src/tinker/node/rehearsal/server.ts';
import { ensureRehearsal, needsDownload } from '../../src/tinker/node/rehearsal/setUp.ts';
import { rehearsal, rehearsalPorts } from './rehearsalServer.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'agentjet-rehearsal-test-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('sets up from nothing, after a cancellation and twice at once', async () => {
  const options = { cache: path.join(folder, 'cache') };
  expect(await needsDownload(rehearsalPorts, options)).toBe(true);

  const cancelling = new CancellationSource();
  const first: SetUpProgress[] = [];
  const cancelAtTwelfth = (progress: SetUpProgress): void => {
    first.push(progress);
    if (progress.step === 'download' && progress.number === 12) cancelling.cancel();
  };
  await expect(
    ensureRehearsal(rehearsalPorts, options, cancelAtTwelfth, cancelling.token),
  ).rejects.toMatchObject({ code: 'rehearsal/cancelled' });
  expect(await needsDownload(rehearsalPorts, options)).toBe(true);

  const progress: SetUpProgress[][] = [[], []];
  const [one, other] = await Promise.all(
    progress.map((seen) =>
      ensureRehearsal(rehearsalPorts, options, (next) => seen.push(next), neverCancelled),
    ),
  );
  expect(one).toEqual(other);
  const [waited, worked] = progress.sort((a, b) => a.length - b.length);
  expect(waited).toEqual([{ step: 'waiting' }]);
  const downloads = worked?.filter((next) => next.step === 'download') ?? [];
  // What was downloaded before the cancellation is not downloaded again.
  expect(downloads.slice(0, 8).map(({ size }) => size)).toEqual(Array(8).fill(0));
  expect(downloads.at(-1)?.downloaded).toBeGreaterThan(150e6);
  expect(worked?.at(-1)).toEqual({ step: 'model' });

  expect(await needsDownload(rehearsalPorts, options)).toBe(false);
  const again: SetUpProgress[] = [];
  await ensureRehearsal(rehearsalPorts, options, (next) => again.push(next), neverCancelled);
  expect(again).toEqual([]);
});

test.each([
  ['no-network', { PIP_INDEX_URL: 'http://127.0.0.1:1/simple', PIP_RETRIES: '1' }],
  ['no-package', { PIP_NO_INDEX: '1', PIP_FIND_LINKS: '' }],
])('%s is reported', async (code, variables) => {
  const ports = { ...rehearsalPorts, env: { ...process.env, ...variables } };
  const options = { cache: path.join(folder, code) };
  await expect(ensureRehearsal(ports, options, () => undefined, neverCancelled)).rejects.toMatchObject({
    code: `rehearsal/${code}`,
  });
  expect(await needsDownload(ports, options)).toBe(true);
});

test('two servers train at once, and end without leaving anything', async () => {
  const environment = await rehearsal();
  const start = (data?: string): Promise<RehearsalServer> =>
    startRehearsalServer(rehearsalPorts, environment, { data }, neverCancelled);
  const data = path.join(folder, 'data');
  const [kept, temporary] = await Promise.all([start(data), start()]);
  expect(kept.url).not.toBe(temporary.url);

  await expect(start(data)).rejects.toMatchObject({ code: 'rehearsal/data-in-use' });
  const port = Number(new URL(kept.url).port);
  await expect(
    startRehearsalServer(rehearsalPorts, environment, { port }, neverCancelled),
  ).rejects.toMatchObject({ code: 'rehearsal/port-in-use' });

  await temporary.stop();
  expect(await temporary.ended).toBeUndefined();
  expect(existsSync(temporary.log)).toBe(false);
  await expect(fetch(`${temporary.url}/api/v1/healthz`)).rejects.toThrow();

  const processes = descendantsOf(kept.pid);
  expect(processes.length).toBeGreaterThan(0);
  process.kill(kept.pid, 'SIGKILL');
  expect(await kept.ended).toMatchObject({ code: 'rehearsal/server-ended' });
  await expect.poll(() => processes.filter(isAlive)).toEqual([]);

  const cancelling = new CancellationSource();
  const starting = startRehearsalServer(rehearsalPorts, environment, { data }, cancelling.token);
  cancelling.cancel();
  await expect(starting).rejects.toMatchObject({ code: 'rehearsal/cancelled' });
  expect(await readdir(data)).toContain('tinker.db');
});
