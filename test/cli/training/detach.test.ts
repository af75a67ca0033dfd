/** A host that its program starts for who comes by ssh, and the one of a later version that takes its place. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { sshMark, type SshRequest } from '../../../src/training/core/protocol/sshHost.ts';
import { writeLauncher } from './gpuHost.ts';
import { emptyProject } from '../harness/project.ts';
import { tryKill } from './sshServer.ts';
import { clientOf } from './wireClient.ts';

const linux = process.platform === 'linux';
const nothing: SshRequest = { token: null, launchers: {}, gpus: null, ray: null };

describe.skipIf(!linux)('a host that a later version replaces', () => {
  test('leaves it what it was started with, where nothing else is asked', async () => {
    const machine = await emptyProject();
    const [older, newer] = [machine.path('program/older.cjs'), machine.path('program/newer.cjs')];
    await mkdir(machine.path('program'));
    const built = path.join(inject('dist'), 'host.cjs');
    await copyFile(built, newer);
    const { version } = JSON.parse(await readFile(path.join(inject('dist'), '../package.json'), 'utf8')) as {
      version: string;
    };
    const its = `version:\\"${version}`;
    await writeFile(older, (await readFile(built, 'utf8')).replace(its, its.replace(version, '0.0.1')));
    const [trinity, ajet] = [machine.path('trinity'), machine.path('ajet')];
    for (const launcher of [trinity, ajet]) await writeLauncher(launcher);

    const env = { ...process.env, AGENTJET_HOME: machine.path('home') };
    const detach = async (program: string, ask: SshRequest) => {
      const child = spawn(process.execPath, [program, 'detach'], {
        env,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      child.stdin.end(JSON.stringify(ask));
      const [answer] = await Promise.all([text(child.stdout), once(child, 'close')]);
      const noted = await readFile(machine.path('home/host/listening.json'), 'utf8');
      const { pid, version: runs } = JSON.parse(noted) as { pid: number; version: string };
      onTestFinished(() => tryKill(pid));
      const told = JSON.parse(answer.slice(sshMark.length)) as { url: string; id: string; token: string };
      return { ...told, pid, runs };
    };
    const start = { launchers: { trinity, ajet }, gpus: 3, ray: 'http://127.0.0.1:1' };
    const first = await detach(older, { ...nothing, ...start });
    expect(first.runs).toBe('0.0.1');
    await rm(ajet);
    const second = await detach(newer, { ...nothing, token: 'editor', ray: 'http://127.0.0.1:2' });
    expect(second).toMatchObject({ id: first.id, runs: version });
    expect(await detach(newer, nothing)).toMatchObject({ pid: second.pid });

    const client = clientOf({ url: second.url, token: { name: 'editor', token: second.token } });
    const { gpus, launchers } = await client.ask('status', {});
    expect(gpus).toHaveLength(3);
    expect(launchers).toMatchObject([
      { name: 'ajet', problem: expect.stringContaining('not installed') as string },
      { name: 'trinity', problem: null },
      { name: 'ray', problem: expect.stringContaining('http://127.0.0.1:2 ') as string },
    ]);
  });
});
