/** Environment services that a run starts, as `ajet` starts them: with nothing of the run in their environment. */
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NodeHostRuns } from '../../../src/training/node/host/runs/hostRuns.ts';
import { killSurvivors, processesWith, readStat } from '../../../src/base/node/process/kill.ts';
import {
  ended,
  eventsUntil,
  isFinalEvent,
  newDataFolder,
  openRuns,
  orderOf,
} from '../../tools/host/runsHost.ts';
import type { Action } from '../../tools/host/scriptedLauncher.ts';
import { tryKill } from './sshServer.ts';

/** All processes are looked at this often, in milliseconds. */
const hosts = { familyInterval: 20 };

let data = '';
let runs: NodeHostRuns;
beforeEach(async () => {
  data = await newDataFolder();
  runs = await openRuns(data, hosts);
});
afterEach(async () => {
  const ids = runs.list().map(({ id }) => id);
  await runs.close();
  for (const id of ids) killSurvivors(processesWith(`AGENTJET_RUN=${id}`));
  for (const name of [service, first, heir]) if (await isThere(name)) tryKill(await numberIn(name));
  await rm(data, { recursive: true, force: true, maxRetries: 5 });
});

const [go, service, first, heir] = ['go', 'service', 'first', 'heir'] as const;
const at = (name: string): string => path.join(data, name);
const inRun = (id: string, name: string): string => path.join(data, 'runs', id, name);

/** 0: it has not told. */
async function numberIn(name: string): Promise<number> {
  return Number(await readFile(at(name), 'utf8').catch(() => '0'));
}

async function isThere(name: string): Promise<boolean> {
  return readStat(await numberIn(name)) !== undefined;
}

/** Whether the next host will know that it is the run's. */
async function isNoted(id: string, name: string): Promise<boolean> {
  const noted = await readFile(inRun(id, 'family.json'), 'utf8').catch(() => '[]');
  const pid = await numberIn(name);
  return (JSON.parse(noted) as { readonly pid: number }[]).some((one) => one.pid === pid);
}

async function start(actions: readonly Action[]): Promise<string> {
  const { id } = await runs.start(await orderOf(data, actions), 'ann');
  await eventsUntil(runs, id, (event) => event.type === 'log');
  return id;
}

describe.skipIf(process.platform !== 'linux')('environment services', () => {
  test('end with a run that ends by itself, also those whose parents ended before', async () => {
    const id = await start([
      { do: 'service', file: at(service) },
      { do: 'service', file: at(first), heir: at(heir) },
      { do: 'print', text: 'on\n' },
      { do: 'await', file: at(go) },
    ]);
    for (const name of [service, first]) await expect.poll(() => isNoted(id, name)).toBe(true);
    await writeFile(at(`${first}.go`), '');
    await expect.poll(() => isNoted(id, heir)).toBe(true);
    await expect.poll(() => isThere(first)).toBe(false);
    await writeFile(at(go), '');
    expect((await ended(runs, id)).state).toBe('finished');
    for (const name of [service, heir]) await expect.poll(() => isThere(name), { message: name }).toBe(false);
    const events = await eventsUntil(runs, id, isFinalEvent);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'notice', text: 'Killed 2 processes that the run left behind.' }),
    );
  });

  test('end with a run that ends while there is no host', async () => {
    const id = await start([
      { do: 'service', file: at(service) },
      { do: 'print', text: 'on\n' },
      { do: 'await', file: at(go) },
    ]);
    await expect.poll(() => isNoted(id, service)).toBe(true);
    await runs.close();
    await writeFile(at(go), '');
    await expect.poll(() => existsSync(inRun(id, 'exit.json'))).toBe(true);
    expect(await isThere(service)).toBe(true);
    runs = await openRuns(data, hosts);
    expect((await ended(runs, id)).state).toBe('finished');
    await expect.poll(() => isThere(service)).toBe(false);
  });
});
