import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { Random } from '../../../src/base/core/random.ts';
import { killSurvivors, processesWith } from '../../../src/base/node/process/kill.ts';
import { Gathered } from '../../tools/host/gathered.ts';
import { heldBy, mostHostMemory } from '../../tools/host/heldBy.ts';
import type { FromHost, ToHost } from '../../tools/host/hostProgram.ts';
import { newDataFolder, openRuns, orderOf, until } from '../../tools/host/runsHost.ts';

const program = path.resolve(import.meta.dirname, '../../tools/host/hostProgram.ts');
const share = process.env['AGENTJET_DEEP'] === '1' ? 1 : 0.1;
const plan = { lines: 200_000 * share, kills: 50 * share, cuts: 500 * share };

interface Life {
  /** Lines after which it is killed. */
  readonly killAt: number;
  /** Lines after which its reader is cut; those that were are taken off. */
  readonly cutAt: number[];
  /** It is killed while it takes the run over. */
  readonly isEarly: boolean;
}

/** One life of the host: from its start until it is killed or the run has ended. Rejects with what was wrong. */
async function live(
  data: string,
  run: string,
  gathered: Gathered,
  { killAt, cutAt, isEarly }: Life,
): Promise<void> {
  const host: ChildProcess = fork(program, [data], { execArgv: ['--no-warnings'] });
  const gone = once(host, 'exit');
  const ask = (message: ToHost): void => void host.send(message);
  let readers = 0;
  const follow = (): void => {
    readers++;
    ask({ follow: run, after: gathered.last });
  };
  const read = new Promise<void>((resolve, reject) => {
    host.on('message', (message: FromHost) => {
      if ('ready' in message) {
        if (isEarly) resolve();
        else follow();
        return;
      }
      if ('warning' in message || message.reader !== readers) return; // of one that was cut
      try {
        gathered.take(message.events);
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      if (gathered.state !== undefined || gathered.lines >= killAt) {
        resolve();
        return;
      }
      const isCut = gathered.lines >= (cutAt[0] ?? Infinity);
      while (gathered.lines >= (cutAt[0] ?? Infinity)) cutAt.shift();
      // A cut while a block is on its way: it was asked for, and will not be taken.
      ask({ next: readers });
      if (isCut) follow();
    });
  });
  try {
    await Promise.race([read, gone]);
    expect(heldBy(host.pid).most).toBeLessThan(mostHostMemory);
  } finally {
    host.kill('SIGKILL');
    await gone;
  }
}

const linux = process.platform === 'linux';

test.skipIf(!linux)(
  'a host that is killed again and again, with readers that are cut, tells every line once and in order',
  { timeout: 600_000 },
  async () => {
    const random = new Random('host chaos 1');
    const places = (count: number): number[] =>
      Array.from({ length: count }, () => random.below(plan.lines)).sort((a, b) => a - b);
    const data = await newDataFolder();
    const first = await openRuns(data);
    const lines = { do: 'lines', prefix: 'line', count: plan.lines, padding: 40, pause: 2 } as const;
    const { id } = await first.start(await orderOf(data, [lines]), 'ann');
    await first.close();
    const gathered = new Gathered('line');
    const cutAt = places(plan.cuts);
    let lives = 0;
    try {
      for (const killAt of [...places(plan.kills), Infinity]) {
        lives++;
        const isEarly = killAt < plan.lines && random.chance(0.2);
        await live(data, id, gathered, { killAt, cutAt, isEarly });
      }
      expect(gathered).toMatchObject({ lines: plan.lines, state: 'finished' });
      expect(lives).toBe(plan.kills + 1);
    } finally {
      killSurvivors(processesWith(`AGENTJET_RUN=${id}`));
      await rm(data, { recursive: true, force: true, maxRetries: 5 });
    }
  },
);

/** A limit of the process's own does what a full disk does, and can be lifted without being root. */
test.skipIf(!linux)('a disk that is full holds the events back, and nothing of them is lost', async () => {
  const data = await newDataFolder();
  const go = path.join(data, 'go');
  const first = await openRuns(data);
  const lines = { do: 'lines', prefix: 'line', count: 10_000, padding: 40 } as const;
  const { id } = await first.start(await orderOf(data, [{ do: 'await', file: go }, lines]), 'ann');
  await until(first, id, ({ state }) => state === 'running');
  await first.close();
  await writeFile(go, '');
  const start = 'ulimit -S -f 300; exec "$0" --no-warnings "$@"';
  const host = spawn('bash', ['-c', start, process.execPath, program, data], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gathered = new Gathered('line');
  try {
    await new Promise<void>((resolve, reject) => {
      host.on('error', reject);
      host.on('exit', () => reject(new Error('The host has ended.')));
      host.on('message', (message: FromHost) => {
        if ('ready' in message) host.send({ follow: id, after: 0 } satisfies ToHost);
        else if ('warning' in message) {
          execFileSync('prlimit', ['--pid', String(host.pid), '--fsize=unlimited']);
        } else {
          gathered.take(message.events);
          if (gathered.state === undefined) host.send({ next: 1 } satisfies ToHost);
          else resolve();
        }
      });
    });
    // One of the host that took over, one of the disk.
    expect(gathered).toMatchObject({ lines: 10_000, state: 'finished', notices: 2 });
    expect(heldBy(host.pid).most).toBeLessThan(mostHostMemory);
  } finally {
    host.removeAllListeners('exit').kill('SIGKILL');
    killSurvivors(processesWith(`AGENTJET_RUN=${id}`));
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  }
});
