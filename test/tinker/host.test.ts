/** Trains through the tunnel to a Tinker server that a GPU host starts. */
import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { expect, inject, test } from 'vitest';
import { freePort } from '../../src/base/node/freePort.ts';
import type { RunRecord } from '../../src/training/core/protocol/runs.ts';
import { gpuMachine, type GpuMachine, type RunningHost } from '../cli/training/gpuHost.ts';
import { rehearsal, skyrlServers } from './rehearsalServer.ts';

/** A machine whose host may start the server of a rehearsal, and a project that trains the tiny model. */
async function machineWithSkyrl(): Promise<{ machine: GpuMachine; host: () => Promise<RunningHost> }> {
  const machine = await gpuMachine();
  const { model, compiled } = await rehearsal();
  const servers = await skyrlServers();
  await machine.folder.write({ 'servers.json': JSON.stringify(servers) });
  cpSync(path.resolve(import.meta.dirname, '../fixtures/training'), machine.project.folder, {
    recursive: true,
  });
  const config = machine.project.path('train.yaml');
  const text = readFileSync(config, 'utf8')
    .replace('MODEL', model)
    .replace('WORKFLOW', 'workflow.ts->Digits');
  writeFileSync(config, text);
  machine.more = { JAX_COMPILATION_CACHE_DIR: compiled };
  const port = await freePort();
  const host = () =>
    machine.host(['--listen', `127.0.0.1:${port}`, '--tinker-servers', machine.folder.path('servers.json')]);
  return { machine, host };
}

function rewardsIn(run: string): number[] {
  const lines = readFileSync(path.join(run, 'metrics.jsonl'), 'utf8').trim().split('\n');
  return lines.map(
    (line) => (JSON.parse(line) as { values: Record<string, number> }).values['critic/rewards/mean'] ?? 0,
  );
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

test('a training continues while its host is killed and restarted, and can be resumed on the same server', async () => {
  const { machine, host } = await machineWithSkyrl();
  const killed = await host();
  await machine.add('box', killed);
  const train = [
    '--conf',
    'train.yaml',
    '--backbone',
    'tinker',
    '--tinker-host',
    'box',
    '--rank',
    '8',
    '--seed',
    '0',
  ];
  const training = machine.start([...train, '--parallel', '32']);
  await training.wrote(/^step 3 of/m);
  await killed.end('SIGKILL');
  const second = await host();
  await training.wrote(/Connected again/);
  await training.wrote(/^step 6 of/m);
  training.child.kill('SIGINT');
  const stopped = await training.exited;
  expect(stopped.code, stopped.stderr).toBe(130);

  const run = machine.project.path('saved_experiments/digits');
  expect(JSON.parse(readFileSync(path.join(run, 'training.json'), 'utf8'))).toMatchObject({
    tinkerHost: 'box',
  });
  const cli = path.join(inject('dist'), 'cli.mjs');
  const env = { ...process.env, ...machine.env };
  const resumed = spawnSync(process.execPath, [cli, 'resume', run], {
    cwd: machine.project.folder,
    env,
    encoding: 'utf8',
  });
  expect(resumed.status, resumed.stderr).toBe(0);
  const curve = rewardsIn(run);
  expect(curve).toHaveLength(15);
  expect(mean(curve.slice(0, 2))).toBeLessThan(0.3);
  expect(mean(curve.slice(-3))).toBeGreaterThan(0.8);

  const [server, ...others] = await machine.json<RunRecord[]>(['ls']);
  expect(others).toEqual([]);
  expect(server).toMatchObject({ state: 'running', phase: 'serving', devices: [0], owner: 'owner' });
  await machine.remote(['cancel', server?.id ?? '']);
  await expect
    .poll(async () => (await machine.record(server?.id ?? '')).state, { timeout: 60_000 })
    .toBe('cancelled');
  await second.end('SIGTERM');
});
