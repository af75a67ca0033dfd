/** Tinker servers that a host starts, and the tunnel to them. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import path from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../../src/base/node/freePort.ts';
import { readStat } from '../../../src/base/node/process/kill.ts';
import type { RunRecord } from '../../../src/training/core/protocol/runs.ts';
import type { RunningCli } from '../harness/cli.ts';
import { gpuMachine, type GpuMachine, type RunningHost } from './gpuHost.ts';

const scriptedTinker = path.resolve(import.meta.dirname, '../../tools/host/scriptedTinker.ts');
const command = [process.execPath, '--no-warnings', scriptedTinker, '{port}', '{model}', '{data}'];

/** A machine whose host may start the servers `one`, which begins to answer at once, and `late`. */
async function machineWithServers(): Promise<{ machine: GpuMachine; host: () => Promise<RunningHost> }> {
  const machine = await gpuMachine();
  const { folder } = machine;
  const servers = {
    one: { command, models: ['tiny', 'other'], gpus: 1 },
    late: { command, models: ['late'], gpus: 0 },
  };
  await folder.write({ 'servers.json': JSON.stringify(servers) });
  const port = await freePort();
  const host = () =>
    machine.host(['--listen', `127.0.0.1:${port}`, '--tinker-servers', folder.path('servers.json')]);
  return { machine, host };
}

const dataOf = (machine: GpuMachine, server: string): string => machine.folder.path(`data/tinker/${server}`);

/** Writes a file into the data folder of the only model of a server. */
async function tell(machine: GpuMachine, server: string, name: string): Promise<void> {
  await expect.poll(() => existsSync(dataOf(machine, server))).toBe(true);
  const [model = ''] = await readdir(dataOf(machine, server));
  await writeFile(path.join(dataOf(machine, server), model, name), '');
}

interface Served {
  readonly url: string;
  readonly run: string;
  readonly model: string;
}

async function served(machine: GpuMachine, command: RunningCli): Promise<Served> {
  const [line] = await command.wrote(/^\{"url".*\}$/m);
  const found = JSON.parse(line) as Served;
  machine.runs.add(found.run);
  return found;
}

async function ask(url: string, path: string): Promise<{ url: string; pid: number }> {
  const { username, password, hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, auth: `${username}:${password}`, agent: false });
    asked.once('error', reject).once('response', (response) => {
      text(response).then((body) => resolve(JSON.parse(body) as { url: string; pid: number }), reject);
    });
    asked.end();
  });
}

describe.skipIf(process.platform !== 'linux')('a Tinker server of a host', () => {
  test('is a run with GPUs, a log and a tunnel, and outlives the host and its clients', async () => {
    const { machine, host } = await machineWithServers();
    const killed = await host();
    await machine.add('box', killed);
    const first = machine.start(['remote', 'serve', '--base-model', 'tiny', '--json']);
    await first.wrote(/running: starting the server/);
    await tell(machine, 'one', 'go');
    const { url, run, model } = await served(machine, first);
    expect(model).toBe('tiny');
    const record = await machine.record(run);
    expect(record).toMatchObject({
      ...{ launcher: 'tinker', name: 'tiny', state: 'running', phase: 'serving', owner: 'owner' },
      ...{ gpus: 1, devices: [0], tinker: { server: 'one', model: 'tiny' } },
    });
    const { pid } = await ask(url, '/api/v1/first');

    // Another client gets the same server. The first one leaves.
    const second = machine.start(['remote', 'serve', '--base-model', 'tiny', '--json']);
    const other = await served(machine, second);
    expect(other.run).toBe(run);
    expect(other.url).not.toBe(url);
    first.child.kill('SIGINT');
    expect(await first.exited).toMatchObject({ code: 0 });

    // A request that the killed host had passed on is asked again.
    const slow = ask(other.url, '/api/v1/slow');
    await expect.poll(() => logOf(machine, run)).toContain('asked /api/v1/slow');
    await killed.end('SIGKILL');
    await host();
    await tell(machine, 'one', 'answer');
    expect(await slow).toEqual({ url: '/api/v1/slow', pid });
    expect(await ask(other.url, '/api/v1/after')).toEqual({ url: '/api/v1/after', pid });
    const log = await logOf(machine, run);
    expect(log).toContain('serves tiny on GPUs 0\n');
    expect(log).toContain('asked /api/v1/after');

    const resumed = await machine.remote(['resume', run]);
    expect(resumed).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cannot be resumed or forked: it is a Tinker server') as unknown,
    });

    await machine.remote(['cancel', run]);
    expect(await second.exited).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The server has ended. State: canceled') as unknown,
    });
    await expect.poll(() => readStat(pid)).toBeUndefined();
    expect(await machine.record(run)).toMatchObject({ state: 'cancelled', reason: 'Canceled by owner.' });
  });

  test('is one that the owner of the host lists', async () => {
    const { machine, host } = await machineWithServers();
    const running = await host();
    await machine.add('box', running);
    const refused = async (...args: string[]): Promise<string> => {
      const { code, stderr } = await machine.remote(['serve', ...args]);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused()).toContain('This host can serve several models.');
    expect(await refused('--base-model', 'huge')).toContain('This host does not serve the model "huge".');
    expect(await refused('--server', 'sh')).toContain('This host does not allow the Tinker server "sh".');
    const status = await machine.json<{ tinker: unknown }>(['status']);
    expect(status.tinker).toEqual([
      { server: 'one', models: ['tiny', 'other'], gpus: 1 },
      { server: 'late', models: ['late'], gpus: 0 },
    ]);
    expect(await machine.json<RunRecord[]>(['ls'])).toEqual([]);
    await running.end('SIGTERM');
    await machine.host(['--listen', new URL(running.url).host]);
    expect(await refused('--base-model', 'tiny')).toContain('[host/tinker-not-allowed]');
  });

  test('that ends reports why, and one that never answers can be given up', async () => {
    const { machine, host } = await machineWithServers();
    await mkdir(machine.folder.path('data'), { recursive: true });
    await machine.folder.write({
      'servers.json': JSON.stringify({
        bad: {
          command: ['/bin/sh', '-c', 'echo "ValueError: no such model"; exit 3', '{port}'],
          models: ['bad'],
        },
        late: { command, models: ['late'], gpus: 0 },
      }),
    });
    await machine.add('box', await host());
    const { code, stderr } = await machine.remote(['serve', '--server', 'bad']);
    expect(code).toBe(2);
    expect(stderr).toContain('has ended: It ended with exit code 3: ValueError: no such model');
    const late = machine.start(['remote', 'serve', '--server', 'late']);
    const [, run = ''] = await late.wrote(/^(\S+): running: starting the server$/m);
    machine.runs.add(run);
    late.child.kill('SIGINT');
    expect(await late.exited).toMatchObject({ code: 130, stdout: '' });
    expect((await machine.record(run)).state).toBe('running');
  });

  test.each([
    ['{"one": {"command": ["python"], "models": ["m"]}}', 'absolute path of a program'],
    ['{"one": {"command": ["/bin/true"], "models": ["m"]}}', 'must contain {port}'],
    [
      '{"one": {"command": ["/bin/true", "{port}"], "models": []}}',
      'servers.one.models: it must name a model',
    ],
    ['{"o ne": {"command": ["/bin/true", "{port}"], "models": ["m"]}}', 'servers: a name has up to'],
    ['{', 'JSON'],
  ])('needs a list without mistakes: %s', async (list, why) => {
    const machine = await gpuMachine();
    await machine.folder.write({ 'servers.json': list });
    const args = [...machine.hostArguments, '--tinker-servers', machine.folder.path('servers.json')];
    const { code, stderr } = await machine.start(['host', ...args]).exited;
    expect(code).toBe(2);
    expect(stderr).toContain('[host/tinker-servers]');
    expect(stderr).toContain(why);
  });
});

async function logOf(machine: GpuMachine, run: string): Promise<string> {
  return (await machine.remote(['logs', run])).stdout;
}
