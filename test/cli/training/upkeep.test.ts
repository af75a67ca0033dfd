/** What a host removes by itself, with its real store and real runs. */
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openHostSync, type OpenHostSync } from '../../../src/training/node/host/sync/hostSync.ts';
import type { NodeHostRuns } from '../../../src/training/node/host/runs/hostRuns.ts';
import { leaseTime } from '../../../src/training/node/host/sync/snapshotLeases.ts';
import { Upkeep } from '../../../src/training/node/host/upkeep.ts';
import { killSurvivors, processesWith } from '../../../src/base/node/process/kill.ts';
import { manifestText } from '../../../src/training/core/sync/manifest.ts';
import { ended, newDataFolder, openRuns, until } from '../../tools/host/runsHost.ts';
import type { Action, LauncherScript } from '../../tools/host/scriptedLauncher.ts';
import { FakeClock } from '../../unit/fakeClock.ts';
import { trainConfig } from '../../tools/host/trainConfig.ts';

let data = '';
let clock: FakeClock;
let sync: OpenHostSync;
let runs: NodeHostRuns;
let upkeep: Upkeep | undefined;
beforeEach(async () => {
  data = await newDataFolder();
  clock = new FakeClock();
  await open();
});
afterEach(async () => {
  const ids = runs.list().map(({ id }) => id);
  await close();
  for (const id of ids) killSurvivors(processesWith(`AGENTJET_RUN=${id}`));
  await rm(data, { recursive: true, force: true, maxRetries: 5 });
});

async function open(): Promise<void> {
  sync = await openHostSync({ dataFolder: data, clock });
  runs = await openRuns(data, { sync });
}

async function close(): Promise<void> {
  await upkeep?.close();
  upkeep = undefined;
  await runs.close();
  await sync.flushed();
}

function startUpkeep(): Upkeep {
  const logger = { log: (_: unknown, message: string) => expect.unreachable(message) };
  return new Upkeep({ runs, sync, clock, logger });
}

/** Sends the code of a run that does these things. */
async function synced(name: string, actions: readonly Action[]): Promise<string> {
  const script: LauncherScript = { job: 'checkpoints/maths/first', actions };
  const texts = { [`${name}.txt`]: name, 'script.json': JSON.stringify(script), 'train.yaml': trainConfig };
  const entries = [];
  for (const [inside, text] of Object.entries(texts).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sha256 = hash('sha256', text, 'hex');
    const sink = await sync.put(sha256, text.length);
    await sink.write(Buffer.from(text), 0);
    await sink.end();
    entries.push({ path: inside, sha256, bytes: text.length });
  }
  const snapshot = hash('sha256', manifestText(entries), 'hex');
  await sync.manifest('test', { snapshot, from: 0, entries, done: true });
  return snapshot;
}

async function start(snapshot: string, gpus: number): Promise<string> {
  const order = { name: 'run', launcher: 'trinity', backbone: 'trinity', config: 'train.yaml' } as const;
  return (await runs.start({ ...order, snapshot, flags: [], env: {}, gpus }, 'ann')).id;
}

/** Whether the file that is a run's alone is there. */
function isThere(name: string): boolean {
  const sha256 = hash('sha256', name, 'hex');
  return existsSync(path.join(data, 'contents', sha256.slice(0, 2), sha256.slice(2)));
}

async function eventually(is: () => boolean): Promise<void> {
  while (!is()) await new Promise(setImmediate);
}

const linux = process.platform === 'linux';

describe.skipIf(!linux)('the code of runs', () => {
  test('stays for those that run, wait or have ended, and goes with the others', async () => {
    const go = path.join(data, 'go');
    const running = await start(await synced('running', [{ do: 'await', file: go }]), 2);
    await until(runs, running, ({ state }) => state === 'running');
    const waiting = await start(await synced('waiting', [{ do: 'print', text: 'ran\n' }]), 2);
    const over = await start(await synced('over', [{ do: 'exit', code: 1 }]), 0);
    await ended(runs, over);
    await synced('never started', []);
    clock.advance(leaseTime + 1);
    upkeep = startUpkeep();
    await eventually(() => sync.bytes !== null);
    expect(['running', 'waiting', 'over', 'never started'].map(isThere)).toEqual([true, true, true, false]);

    await runs.remove(over, { checkpoints: true });
    await eventually(() => !isThere('over'));
    await writeFile(go, '');
    expect((await ended(runs, waiting)).state).toBe('finished');
    // By the hour: nothing was removed since.
    await synced('given up', []);
    clock.advance(leaseTime + 1);
    await eventually(() => !isThere('given up'));
    expect(['running', 'waiting'].map(isThere)).toEqual([true, true]);
  });

  test('stays where the record of a run cannot be read, which may need it', async () => {
    await synced('needed', []);
    await close();
    const folder = path.join(data, 'runs/20260101-120000-abcdef');
    await mkdir(folder);
    await writeFile(path.join(folder, 'run.json'), '{"id":"20260101-120000-abcdef"}');
    clock.advance(3 * leaseTime);
    sync = await openHostSync({ dataFolder: data, clock });
    runs = await openRuns(data, { sync, logger: { log: () => undefined } });
    expect(runs.snapshots()).toBeUndefined();
    await startUpkeep().close();
    expect([isThere('needed'), sync.bytes]).toEqual([true, null]);
    await rm(folder, { recursive: true });
    await close();
    await open();
    upkeep = startUpkeep();
    await eventually(() => !isThere('needed'));
  });
});
