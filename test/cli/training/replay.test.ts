/** What was recorded on its way to a host and is sent again starts nothing anew and spoils nothing. */
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import type { RunOrder, RunRecord } from '../../../src/training/core/protocol/runs.ts';
import { newDataFolder, openRuns, orderOf, ended } from '../../tools/host/runsHost.ts';
import { sumOf } from '../../tools/host/scriptedServices.ts';
import { Gathered } from '../../tools/host/gathered.ts';
import { gpuMachine, type GpuMachine } from './gpuHost.ts';
import { framesOf, greeted, rawClient, recorder, sendBytes, type Frame } from './rawClient.ts';
import { clientOf, gather, startedRun } from './wireClient.ts';

const linux = process.platform === 'linux';

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

function requestOf(frame: Frame): Request | undefined {
  return frame.isBinary ? undefined : (JSON.parse(frame.data.toString('utf8')) as Request);
}

/** Names and sums of what the host keeps of code; what is on its way there has other names. */
async function kept(machine: GpuMachine): Promise<readonly string[]> {
  const files: string[] = [];
  for (const folder of ['data/contents', 'data/snapshots']) {
    for (const inside of await readdir(machine.folder.path(folder), { recursive: true })) {
      if (!/[0-9a-f]{62}(?:\.json)?$/.test(inside)) continue;
      files.push(`${inside} ${sumOf(await readFile(machine.folder.path(path.join(folder, inside))))}`);
    }
  }
  return files.sort();
}

describe.skipIf(!linux)('frames that were recorded', () => {
  test('start no second run and spoil no content, on a new connection, twice on one, and after the host was killed', async () => {
    const machine = await gpuMachine();
    const go = machine.folder.path('go');
    await machine.script([
      { do: 'print', text: 'line 1\n' },
      { do: 'await', file: go },
    ]);
    // Some in a pack, one in a transfer of its own.
    await machine.project.write({ 'small.py': 'print(1)\n', 'large.bin': 'x'.repeat(3_000_000) });
    const host = await machine.host(['--listen', '127.0.0.1:0']);
    const token = host.token?.token ?? '';
    const port = Number(new URL(host.url).port);
    const way = await recorder(port);
    const client = clientOf(host, { port: way.port });
    const run = await startedRun(machine, client);
    const before = await kept(machine);
    expect(before.length).toBeGreaterThan(4);
    client.dispose();
    const [recording = Buffer.alloc(0)] = way.recordings;
    const frames = framesOf(recording);
    const requests = frames.flatMap((frame) => requestOf(frame) ?? []);
    expect(requests.map(({ method }) => method)).toEqual(
      expect.arrayContaining(['hello', 'sync.lacks', 'sync.put', 'sync.pack', 'sync.manifest', 'run.start']),
    );
    expect(frames.some(({ isBinary }) => isBinary)).toBe(true);
    const last = requests.find(({ method }) => method === 'run.start')?.id ?? 0;

    // Byte for byte, the login among them, which is good for one connection.
    expect(recording.includes(token)).toBe(false);
    expect(await sendBytes(port, recording, () => false)).toContain('401 Refused');

    // Message for message, each twice; the second hello alone would end it.
    const again = await greeted(port, token);
    for (const frame of frames.filter((one) => requestOf(one)?.method !== 'hello')) {
      await again.send(frame);
      await again.send(frame);
    }
    expect(await again.answer(last)).toMatchObject({ result: { id: run } });
    const twice = await rawClient(port, token);
    for (const frame of [...frames, ...frames]) await twice.send(frame);
    expect(await twice.closed).toBe(4408);

    const fresh = clientOf(host);
    const runs = async (): Promise<readonly string[]> =>
      (await fresh.ask('run.list', {})).map(({ id }) => id);
    expect(await runs()).toEqual([run]);
    expect(await kept(machine)).toEqual(before);

    // A client does it as well, where the answer was lost.
    const lossy = await recorder(port, 3);
    const { order } = requests.find(({ method }) => method === 'run.start')?.params ?? {};
    const asked = { order: order as RunOrder, key: randomUUID() };
    const second = await clientOf(host, { port: lossy.port }).ask('run.start', asked);
    machine.runs.add(second.id);
    expect(lossy.recordings).toHaveLength(4);
    expect(await runs()).toEqual([run, second.id]);

    await host.end('SIGKILL');
    const next = machine.start(['host', ...machine.hostArguments, '--listen', `127.0.0.1:${port}`]);
    await next.wrote(/^\{.*\}$/m);
    const later = await greeted(port, token);
    for (const frame of frames.filter((one) => requestOf(one)?.method !== 'hello')) await later.send(frame);
    expect(await later.answer(last)).toMatchObject({ result: { id: run } });
    expect(await runs()).toEqual([run, second.id]);
    await writeFile(go, '');
    const lines = new Gathered('line');
    await gather(fresh, run, lines);
    expect(lines).toMatchObject({ state: 'finished', lines: 1 });
    expect((await readdir(machine.folder.path('data/runs'))).sort()).toEqual([run, second.id].sort());

    // Its key stays used.
    const remove = () => fresh.ask('run.remove', { run, checkpoints: true });
    const isActive = (error: unknown): boolean => (error as { code?: unknown }).code === 'host/run-active';
    // Its last event is told before its record is written.
    while (
      !(await remove().then(
        () => true,
        (error: unknown) => (isActive(error) ? false : Promise.reject(error as Error)),
      ))
    );
    const gone = await greeted(port, token);
    for (const frame of frames.filter((one) => requestOf(one)?.method === 'run.start'))
      await gone.send(frame);
    expect(await gone.answer(last)).toMatchObject({ error: { data: { code: 'host/no-run' } } });
    expect(await runs()).toEqual([second.id]);
    next.child.kill('SIGKILL');
    await next.exited;
  });

  test('of one order that comes twice at once start it once; another key, or who else has it, is another run', async () => {
    const data = await newDataFolder();
    const runs = await openRuns(data);
    const order = await orderOf(data, [{ do: 'print', text: 'hello\n' }]);
    const key = randomUUID();
    const made = await Promise.all(
      [key, key, key].map((one): Promise<RunRecord> => runs.start(order, 'ann', one)),
    );
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    await runs.start(order, 'ann', randomUUID());
    await runs.start(order, 'bob', key);
    await runs.start(order, 'ann');
    const ids = runs.list().map(({ id }) => id);
    expect(ids).toHaveLength(4);
    for (const id of ids) await ended(runs, id);
    expect((await runs.start(order, 'ann', key)).id).toBe(made[0]?.id);
    // One that could not be started may be tried again.
    const unknown = { ...order, snapshot: '0'.repeat(64) };
    const other = randomUUID();
    await expect(runs.start(unknown, 'ann', other)).rejects.toMatchObject({ code: 'host/no-snapshot' });
    const last = await runs.start(order, 'ann', other);
    await ended(runs, last.id);
    await runs.close();
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  });
});
