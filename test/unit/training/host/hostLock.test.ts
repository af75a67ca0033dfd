import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostId } from '../../../../src/training/node/host/openHost.ts';
import { folderOfMachine, lockDataFolder } from '../../../../src/training/node/host/hostLock.ts';
import { noteProcess } from '../../../../src/training/node/host/runs/processes.ts';

const source = path.resolve(import.meta.dirname, '../../../../src/training/node/host');

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
    expect(readdirSync(data)).toEqual(['host.last']);
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
      expect(readdirSync(data)).toEqual(['host.last']);
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

describe.skipIf(process.platform !== 'linux')('a data folder that machines share', () => {
  it('is one machine’s, while its host runs, after its end and after a kill, unless it is taken over', () => {
    const data = folder();
    const [one, other] = [{ machine: 'gpu1 a' }, { machine: 'gpu2 b' }];
    const refused = expect.objectContaining({
      code: 'host/other-machine',
      message: expect.stringContaining('another machine, gpu1') as string,
    }) as unknown;
    const lock = lockDataFolder(data, one);
    expect(() => lockDataFolder(data, other)).toThrow(refused);
    expect(folderOfMachine(data, one.machine)).toBe(data);
    expect(folderOfMachine(data, other.machine)).toBe(`${data}-gpu2`);
    // This is the state after a kill: this machine does not know the process of the other machine.
    const held = JSON.parse(readFileSync(path.join(data, 'host.lock'), 'utf8')) as object;
    lock.dispose();
    expect(() => lockDataFolder(data, other)).toThrow(refused);
    lockDataFolder(data, one).dispose();
    writeFileSync(path.join(data, 'host.lock'), JSON.stringify({ ...held, boot: 'another', started: '1' }));
    expect(() => lockDataFolder(data, other)).toThrow(refused);
    lockDataFolder(data, { ...other, takeOver: true }).dispose();
    lockDataFolder(data, other).dispose();
    expect(() => lockDataFolder(data, one)).toThrow(expect.objectContaining({ code: 'host/other-machine' }));
  });

  it.skipIf(process.getuid?.() !== 0)('(as root) can be locked and opened on a full disk', () => {
    const data = folder();
    const program = `
      import { writeFileSync } from 'node:fs';
      import { holderOf, lockDataFolder } from '${source}/hostLock.ts';
      import { openHostSync } from '${source}/sync/hostSync.ts';
      const dataFolder = ${JSON.stringify(data)};
      lockDataFolder(dataFolder).dispose();
      await openHostSync({ dataFolder });
      for (let size = 65536; size > 0; size >>= 1)
        try { for (let at = 0; ; at++) writeFileSync(dataFolder + '/fill' + size + '-' + at, Buffer.alloc(size)); }
        catch (error) { if (error.code !== 'ENOSPC') throw error; }
      lockDataFolder(dataFolder).dispose();
      const lock = lockDataFolder(dataFolder);
      await openHostSync({ dataFolder });
      process.stdout.write(String(holderOf(dataFolder) === process.pid));`;
    const script = 'mount -t tmpfs -o size=256k none "$0" && exec "$@"';
    const node = [process.execPath, '--no-warnings', '--input-type=module', '-e', program];
    const { stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script, data, ...node], {
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual(['true', '']);
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
