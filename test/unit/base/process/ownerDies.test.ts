import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import {
  startBackbone,
  type BackboneChannel,
} from '../../../../src/backbone/node/process/backboneChannel.ts';
import { launchOf } from './programs/launch.ts';

const owner = fileURLToPath(new URL('programs/owner.ts', import.meta.url));

interface Tree {
  readonly pids: readonly number[];
}

/** Also false for a zombie that nobody has reaped yet. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  return stat !== undefined && !/\) [ZX] /.test(stat);
}

async function expectAllGone(pids: readonly number[]): Promise<void> {
  await vi.waitFor(
    async () => {
      const running = await Promise.all(pids.map(isRunning));
      expect(running).toEqual(pids.map(() => false));
    },
    { timeout: 45_000, interval: 20 },
  );
}

/** The guards over the process tree of this one. */
async function guardsOf(leader: number | undefined): Promise<number[]> {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).map(Number).filter(Number.isInteger)) {
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (line.endsWith(`\0agentjet-guard\0${leader}\0`)) found.push(pid);
  }
  return found;
}

/** A front end in a process of its own, and the run that it started. */
async function startOwner(scenario: string): Promise<{ front: ChildProcess; pids: readonly number[] }> {
  const front = spawn(process.execPath, [owner], {
    env: { ...process.env, SCENARIO: scenario },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [chunk] = (await once(front.stdout, 'data')) as [Buffer];
  const { pids } = JSON.parse(String(chunk)) as Tree;
  expect(await Promise.all(pids.map(isRunning))).toEqual(pids.map(() => true));
  return { front, pids };
}

describe.runIf(process.platform === 'linux')('nothing of a run is left', () => {
  test.each([
    ['while the run is in a synchronous loop', 'loops', 3],
    ['while the run waits', 'ignores-term', 2],
  ])('when its owner is killed %s', async (_, scenario, processes) => {
    const { front, pids } = await startOwner(scenario);
    expect(pids).toHaveLength(processes);
    const guards = await guardsOf(pids[0]);
    expect(guards).toHaveLength(1);
    front.kill('SIGKILL');
    await expectAllGone([...pids, ...guards]);
  });

  test('when it is killed', async () => {
    const { pids, channel } = await startAndRead('loops');
    const guards = await guardsOf(pids[0]);
    channel.killNow();
    await channel.exited;
    await expectAllGone([...pids, ...guards]);
  });

  test('when it is asked to end and does not', async () => {
    const { pids, channel } = await startAndRead('ignores-term');
    await channel.terminate(50);
    expect((await channel.exited).signal).toBe('SIGKILL');
    await expectAllGone(pids);
  });
});

async function startAndRead(
  scenario: string,
): Promise<{ channel: BackboneChannel; pids: readonly number[] }> {
  const channel = await startBackbone(launchOf(scenario));
  const message = await new Promise<string>((resolve) => {
    channel.onEvent((event) => {
      if (event.type === 'log') resolve(event.message);
    });
  });
  return { channel, pids: (JSON.parse(message) as Tree).pids };
}
