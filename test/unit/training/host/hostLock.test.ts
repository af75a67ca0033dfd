import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostId } from '../../../../src/training/node/host/openHost.ts';
import { lockDataFolder } from '../../../../src/training/node/host/hostLock.ts';
import { noteProcess } from '../../../../src/training/node/host/runs/processes.ts';

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'agentjet-lock-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

describe.skipIf(process.platform !== 'linux')('a data folder', () => {
  it('is one host’s at a time, and free once it was given back', () => {
    const data = folder();
    const lock = lockDataFolder(data);
    expect(() => lockDataFolder(data)).toThrow(
      expect.objectContaining({
        code: 'host/already-running',
        message: expect.stringContaining(`process ${process.pid}`) as string,
      }),
    );
    lock.dispose();
    lockDataFolder(data).dispose();
    expect(readdirSync(data)).toEqual([]);
  });

  it('is taken over from a process that is no more, and from a number that is another process’s now', async () => {
    const data = folder();
    const child = spawn('sleep', ['100']);
    await once(child, 'spawn');
    const note = noteProcess(child.pid ?? 0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const mine = noteProcess(process.pid);
    const left = [note, { ...mine, started: '1' }, { ...mine, boot: 'another' }, 'torn', undefined];
    for (const one of left) {
      writeFileSync(path.join(data, 'host.lock'), one === undefined ? '{' : JSON.stringify(one));
      lockDataFolder(data).dispose();
      expect(readdirSync(data)).toEqual([]);
    }
  });

  it('is not given back by who has lost it', () => {
    const data = folder();
    const lock = lockDataFolder(data);
    writeFileSync(path.join(data, 'host.lock'), '"another"');
    lock.dispose();
    expect(readFileSync(path.join(data, 'host.lock'), 'utf8')).toBe('"another"');
  });
});

describe('the id of a host', () => {
  it('is made once', () => {
    const data = folder();
    const id = hostId(data);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(hostId(data)).toBe(id);
    expect(hostId(folder())).not.toBe(id);
    writeFileSync(path.join(data, 'host.json'), '{}');
    expect(() => hostId(data)).toThrow(expect.objectContaining({ code: 'host/identity-unreadable' }));
  });
});
