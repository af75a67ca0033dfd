import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../tools/lock.mjs';

let folder: string;
let file: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-lock-'));
  file = path.join(folder, 'lock');
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** What a process leaves behind that was killed while it held the lock. */
async function leaveLock(pid: number, ageSeconds = 0): Promise<void> {
  await writeFile(file, JSON.stringify({ pid, host: os.hostname(), token: 'left behind' }));
  const then = new Date(Date.now() - ageSeconds * 1000);
  await utimes(file, then, then);
}

function endedProcess(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

describe('withLock', () => {
  it('lets one in at a time, and everyone in the end', async () => {
    let inside = 0;
    let most = 0;
    const one = () =>
      withLock(file, async () => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
      });
    await Promise.all([one(), one(), one(), one()]);
    expect(most).toBe(1);
  });

  it('gives back what the action returns, and the lock', async () => {
    await expect(withLock(file, () => Promise.resolve(42))).resolves.toBe(42);
    expect(existsSync(file)).toBe(false);
  });

  it('gives back the lock when the action fails', async () => {
    await expect(withLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(file)).toBe(false);
  });

  it('takes the lock of a process that is gone', async () => {
    await leaveLock(endedProcess());
    await expect(withLock(file, () => Promise.resolve('mine'))).resolves.toBe('mine');
  });

  it('takes a lock that shows no sign of life, though its process id is in use', async () => {
    await leaveLock(process.pid, 120);
    await expect(withLock(file, () => Promise.resolve('mine'))).resolves.toBe('mine');
  });

  it('takes a lock whose writer died before it had written, once it is old', async () => {
    await writeFile(file, '');
    const then = new Date(Date.now() - 120_000);
    await utimes(file, then, then);
    await expect(withLock(file, () => Promise.resolve('mine'))).resolves.toBe('mine');
  });

  it('is not stopped by whoever died while breaking a lock', async () => {
    await leaveLock(endedProcess());
    const guard = `${file}.breaking`;
    execFileSync(process.execPath, ['-e', `require('fs').mkdirSync(${JSON.stringify(guard)})`]);
    const then = new Date(Date.now() - 60_000);
    await utimes(guard, then, then);
    await expect(withLock(file, () => Promise.resolve('mine'))).resolves.toBe('mine');
  });

  it('tells the one who waits which process holds the lock', async () => {
    const told: (number | undefined)[] = [];
    let waiting: Promise<void> | undefined;
    await withLock(file, async () => {
      await new Promise<void>((resolve) => {
        waiting = withLock(file, () => Promise.resolve(), {
          onWait: (holder) => {
            told.push(holder);
            resolve();
          },
        });
      });
    });
    await waiting;
    expect(told).toEqual([process.pid]);
  });
});
