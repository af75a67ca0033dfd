import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HostLaunch } from '../../src/training/node/host/launch/hostLaunch.ts';
import { followRayJob, handOver, type RayJobOptions } from '../../src/training/node/host/ray/runRayJob.ts';
import { readRaySpec } from '../../src/training/node/host/ray/raySpec.ts';
import type { LaunchPlan } from '../../src/training/core/launch/plan.ts';
import type { RunOrder } from '../../src/training/core/protocol/runs.ts';
import { startRay, type RayCluster } from '../cli/training/rayCluster.ts';
import { ensurePython } from '../tools/pythonEnvironments.mjs';

const run = '20260101-120000-abcdef';

/** Leaves the number of GPUs to Trinity, which finds none. */
const config = `mode: both
project: maths
name: first
checkpoint_root_dir: ./checkpoints
algorithm:
  algorithm_type: grpo
  repeat_times: 2
model:
  model_path: Qwen/Qwen2.5-0.5B-Instruct
  max_model_len: 64
  max_prompt_tokens: 32
  max_response_tokens: 32
buffer:
  total_steps: 1
  batch_size: 2
  explorer_input:
    taskset:
      name: tasks
      path: openai/gsm8k
      default_workflow_type: math_workflow
`;

let folder = '';
let programs = '';

beforeAll(async () => {
  programs = path.dirname(await ensurePython('trinity'));
  folder = await mkdtemp(path.join(os.tmpdir(), 'agentjet-trinity-'));
  await mkdir(path.join(folder, 'work'));
  await writeFile(path.join(folder, 'work', 'exp.yaml'), config);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function orderOf(launcher: RunOrder['launcher']): RunOrder {
  const order = { name: 'maths', snapshot: '0'.repeat(64), config: 'exp.yaml', backbone: 'trinity' } as const;
  return { ...order, launcher, flags: [], env: {}, gpus: 0 };
}

/** No Ray of this machine's is in its reach. */
function environment(): NodeJS.ProcessEnv {
  const search = [programs, process.env['PATH'] ?? ''].join(path.delimiter);
  return { ...process.env, PATH: search, RAY_ADDRESS: '127.0.0.1:9' };
}

function hostLaunch(ray?: string): HostLaunch {
  const clock = { monotonic: () => performance.now() };
  const raySupervisor = { command: 'unused', args: [] };
  return new HostLaunch({
    env: environment(),
    dataFolder: folder,
    clock,
    ...(ray !== undefined && { ray, raySupervisor }),
  });
}

function prepare(launch: HostLaunch, launcher: RunOrder['launcher']): Promise<LaunchPlan> {
  return launch.prepare({ run, order: orderOf(launcher), folder: path.join(folder, 'work'), devices: [] });
}

test('the preflight knows the command, its Python and packages, and what this machine lacks', async () => {
  const launch = hostLaunch();
  const found = await launch.launchers();
  expect(found.find(({ name }) => name === 'trinity')).toEqual({
    name: 'trinity',
    version: '0.6.0',
    problem: null,
    releases: { trinity: '0.6.0' },
  });
  const findings = await launch.preflight(orderOf('trinity'), config);
  expect(findings.map(({ id }) => id)).toEqual(expect.arrayContaining(['ray-missing', 'packages-missing']));
  expect(findings.find(({ id }) => id === 'packages-missing')?.message).toMatch(/: vllm\.$/);
});

test('without Ray the command ends with exit status 1, and says so', async () => {
  const { command, args, env } = await prepare(hostLaunch(), 'trinity');
  const child = spawn(command, args, { cwd: path.join(folder, 'work'), env: { ...environment(), ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (more: string) => (text += more));
  }
  const code = await new Promise((ended) => child.once('close', ended));
  expect(code).toBe(1);
  expect(text).toContain('Ray is not running');
});

test('on a Ray cluster without GPUs it fails with the reason, as the Jobs API and the log tell', async () => {
  const cluster: RayCluster = await startRay('trinity');
  try {
    const plan = await prepare(hostLaunch(cluster.head), 'ray');
    let text = '';
    const options: RayJobOptions = {
      jobs: cluster.jobs,
      output: {
        print: (at, bytes) => (text = text.slice(0, at) + bytes.toString()),
        writeLine: () => undefined,
      },
      stop: new AbortController().signal,
    };
    const spec = await readRaySpec(plan.args.at(-1) ?? '');
    expect(await handOver(spec, () => Promise.resolve(), options)).toBeUndefined();
    const state = await followRayJob(run, options);
    expect(state).toMatchObject({ kind: 'failed', exitCode: 1 });
    expect(text).toMatch(/ZeroDivisionError: integer modulo by zero/);
  } finally {
    await cluster.end();
  }
});
