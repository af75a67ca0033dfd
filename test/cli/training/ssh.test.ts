/** A GPU host that is reached through ssh alone, with a real sshd. */
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { RunRecord } from '../../../src/training/core/protocol/runs.ts';
import { descendants } from '../harness/processes.ts';
import { gpuMachine } from './gpuHost.ts';
import { findOpenSsh, sshServer, tryKill, type OpenSsh } from './sshServer.ts';

const linux = process.platform === 'linux';

/** The ssh processes that hold a way open for a command. */
function ways(pid: number): number[] {
  return descendants(pid).filter((one) => commandOf(one).includes('\0-L\0'));
}

describe.skipIf(!linux)('a GPU host that ssh gets to', () => {
  let openSsh: OpenSsh;
  beforeAll(async () => {
    openSsh = await findOpenSsh();
  }, 300_000);

  test('needs nothing there but Node, and is reached again whatever is lost', async () => {
    const machine = await gpuMachine();
    const server = await sshServer(openSsh, machine.folder);
    machine.more = { AGENTJET_SSH: server.ssh };
    const data = path.join(server.home, '.agentjet/host');
    const hostPid = async (): Promise<number> => {
      const { pid } = JSON.parse(await readFile(path.join(data, 'listening.json'), 'utf8')) as {
        pid: number;
      };
      onTestFinished(() => tryKill(pid));
      return pid;
    };
    const launcher = ['--launcher', `trinity=${machine.folder.path('trinity')}`, '--gpus', '2'];
    const added = await machine.remote(['add', 'box', server.alias, ...launcher]);
    expect(added.code, added.stderr).toBe(0);
    expect(added.stderr).toContain('Copying the host program.');
    const first = await hostPid();

    const go = machine.folder.path('go');
    await machine.script([
      { do: 'print', text: 'ready\n' },
      { do: 'await', file: go },
      { do: 'print', text: 'through\n' },
    ]);
    const command = machine.start(['remote', 'run', '--conf', 'train.yaml', '--force', '--follow']);
    const [, run = ''] = await command.wrote(/^(\d{8}-\d{6}-[0-9a-f]{6})$/m);
    machine.runs.add(run);
    await command.wrote(/^ready$/m);
    // Nobody else can take its end while it is lost.
    const [, end = ''] = /\0-L\0(\/[^:]+):/.exec(ways(command.pid).map(commandOf).join('')) ?? [];
    const { mode, uid } = await stat(path.dirname(end));
    expect([mode & 0o777, uid]).toEqual([0o700, process.getuid?.()]);
    expect((await stat(end)).isSocket()).toBe(true);
    for (const pid of ways(command.pid)) tryKill(pid);
    await command.wrote(/Connected again/);
    // The host there as well: the next tunnel starts it again, and it takes its run over.
    tryKill(first);
    await command.wrote(/The SSH tunnel is lost[^]*Connected again[^]*Connected again/);
    expect(await hostPid()).not.toBe(first);
    await writeFile(go, '');
    const { code, stdout, stderr } = await command.exited;
    expect([code, stdout], stderr).toEqual([0, `${run}\nready\nthrough\n`]);

    await expect(stat(path.dirname(end))).rejects.toMatchObject({ code: 'ENOENT' });

    const runs = await machine.json<readonly RunRecord[]>(['ls']);
    expect(runs).toMatchObject([{ id: run, state: 'finished', devices: [0, 1] }]);
    expect(await readdir(path.join(server.home, '.agentjet/program'))).toHaveLength(1);
    const left = readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && commandOf(pid).includes(`${server.ssh.slice(0, -3)}config\0`),
    );
    expect(left.map((pid) => commandOf(pid))).toEqual([]);
  });

  test('tells what keeps ssh from getting there', async () => {
    const machine = await gpuMachine();
    const add = async (address: string): Promise<string> =>
      (await machine.remote(['add', 'box', address])).stderr;
    expect(await add('ssh:nobody@127.0.0.1:1')).toMatch(
      /Cannot connect to .*Connection refused\. \[ssh\/failed\]/,
    );
    expect(await add('ssh:-oProxyCommand=touch')).toContain('[ssh/address]');
    machine.more = { AGENTJET_SSH: machine.folder.path('no-ssh') };
    expect(await add('ssh:box')).toContain('[ssh/missing]');
  });
});

function commandOf(pid: number | string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return ''; // it has ended
  }
}
