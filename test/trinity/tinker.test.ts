/** Trinity-RFT itself trains without a GPU: on real Ray, through a real Tinker server, sent to a host by the command line. */
import { execFile } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../src/training/core/protocol/runs.ts';
import { runCli } from '../cli/harness/cli.ts';
import { gpuMachine, type GpuMachine } from '../cli/training/gpuHost.ts';
import { startRay, type RayCluster } from '../cli/training/rayCluster.ts';
import { rehearsalServer } from '../tinker/rehearsalServer.ts';
import { ensurePython } from '../tools/pythonEnvironments.mjs';

/** Milliseconds. Most of the time, Ray's processes import PyTorch. */
const patience = 1_800_000;

const server = rehearsalServer();
let cluster: RayCluster | undefined;
let programs = '';

beforeAll(async () => {
  programs = path.dirname(await ensurePython('trinity'));
  cluster = await startRay('trinity');
  await waitForStatus(cluster.address);
});
afterAll(() => cluster?.end());

/** Waits until `ray status` succeeds. Under load its first try can fail, and Trinity-RFT has only one. */
async function waitForStatus(address: string): Promise<void> {
  const env = { ...process.env, RAY_ADDRESS: address };
  for (let tries = 1; ; tries += 1) {
    try {
      await promisify(execFile)(path.join(programs, 'ray'), ['status'], { env });
      return;
    } catch (error) {
      if (tries === 5) throw error;
    }
  }
}

interface Settings {
  readonly name?: string;
  readonly steps?: number;
  readonly saveInterval?: number;
  readonly reward?: string;
}

function configOf({
  name = 'first',
  steps = 10,
  saveInterval = 4,
  reward = 'rewards.Digits',
}: Settings): string {
  return `mode: both
project: maths
name: ${name}
checkpoint_root_dir: ./checkpoints
algorithm: { algorithm_type: grpo, repeat_times: 4, kl_loss_fn: none, optimizer: { lr: 0.05 } }
model:
  model_path: ${server().model}
  max_prompt_tokens: 100
  max_response_tokens: 16
  tinker: { enable: true, base_url: '${server().url}', rank: 8 }
buffer:
  total_steps: ${steps}
  batch_size: 4
  explorer_input:
    taskset:
      name: tasks
      storage_type: file
      path: tasks
      split: train
      format: { prompt_key: question, response_key: answer }
      rollout_args: { temperature: 1.0, logprobs: 0 }
    default_workflow_type: simple_workflow
    default_reward_fn_type: ${reward}
explorer: { runner_per_model: 1, rollout_model: { engine_num: 1 } }
trainer: { save_interval: ${saveInterval} }
monitor: { monitor_type: tensorboard }
synchronizer: { sync_method: memory, sync_interval: 1, sync_timeout: 600 }
`;
}

const rewards = `from trinity.common.rewards.reward_fn import RewardFn


class Digits(RewardFn):
    def __init__(self, **kwargs):
        pass

    def __call__(self, response, **kwargs):
        return {"digits": sum(c.isdigit() for c in response) / max(1, len(response))}
`;

/** A machine without a GPU, whose host has the key of no server. */
async function machineOf(settings: Settings = {}): Promise<GpuMachine> {
  const machine = await gpuMachine();
  machine.gpus = 0;
  await copyFile(path.join(programs, 'trinity'), machine.folder.path('trinity'));
  const tasks = Array.from({ length: 8 }, (_, at) =>
    JSON.stringify({ question: `Count to ${at}.`, answer: '' }),
  );
  await machine.project.write({
    'train.yaml': configOf(settings),
    'rewards.py': rewards,
    'tasks/train.jsonl': `${tasks.join('\n')}\n`,
  });
  machine.more = {
    RAY_ADDRESS: cluster?.address ?? '',
    PATH: [programs, process.env['PATH'] ?? ''].join(path.delimiter),
  };
  await machine.add('box', await machine.host(['--listen', '127.0.0.1:0']));
  machine.more = { ...machine.more, TINKER_API_KEY: 'tml-rehearsal' };
  return machine;
}

const send = ['run', '--conf', 'train.yaml', '--env', 'TINKER_API_KEY', '--follow'];

async function eventsOf(machine: GpuMachine, run: string): Promise<readonly RunEvent[]> {
  const { stdout } = await machine.remote(['logs', run, '--json', '--source', 'all']);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);
}

async function runOf(machine: GpuMachine, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await machine.remote(args);
  expect(code, `${stdout.slice(-4_000)}\n${stderr}`).toBe(0);
  const [, run = ''] = /^(\d{8}-\d{6}-[0-9a-f]{6})$/m.exec(stdout) ?? [];
  return run;
}

const stepsOf = (events: readonly RunEvent[], role: string): number[] => [
  ...new Set(
    events.flatMap((event) => (event.type === 'metrics' && event.role === role ? [event.step] : [])),
  ),
];

test(
  'a run trains to its last step, with phases, metrics, logs, checkpoints and rollouts',
  { timeout: patience },
  async () => {
    const machine = await machineOf();
    const run = await runOf(machine, send);
    const record = await machine.record(run);
    expect(record).toMatchObject({ state: 'finished', exitCode: 0, step: 10, totalSteps: 10, gpus: 0 });
    expect(record.reward).toBeGreaterThan(0);
    const events = await eventsOf(machine, run);
    const phases = events.flatMap((event) => (event.type === 'phase' ? [event.phase] : []));
    expect(phases).toEqual(expect.arrayContaining(['models are ready', 'training', 'finishing']));
    const all = Array.from({ length: 10 }, (_, at) => at + 1);
    expect(stepsOf(events, 'trainer')).toEqual(all);
    expect(stepsOf(events, 'explorer')).toEqual(expect.arrayContaining(all));
    const sources = new Set(events.flatMap((event) => (event.type === 'log' ? [event.source] : [])));
    expect([...sources]).toEqual(
      expect.arrayContaining(['launcher', 'explorer', 'trainer', 'synchronizer', 'explorer_runner_0']),
    );
    const saved = events.flatMap((event) => (event.type === 'checkpoint' ? [event.step] : []));
    expect(saved).toEqual([4, 8, 10]);
    expect(events.filter(({ type }) => type === 'alarm')).toEqual([]);

    const to = machine.folder.path('pulled');
    expect((await machine.remote(['pull', run, '--step', '8', '--to', to])).code).toBe(0);
    for (const [file, kind] of [
      ['remote_checkpoint_path.txt', 'state'],
      ['remote_sampler_path.txt', 'sampler'],
    ] as const) {
      const text = await readFile(path.join(to, 'global_step_8', file), 'utf8');
      expect(text).toMatch(new RegExp(`^tinker://[\\w/]+/maths-first-${kind}-8$`));
    }

    const rollouts = machine.folder.path(
      `data/runs/${run}/code/checkpoints/maths/first/buffer/explorer_output.db`,
    );
    const trace = await runCli(machine.project, ['trace', rollouts, '--summary']);
    expect(trace.code, trace.stderr).toBe(0);
    expect(trace.stdout).toMatch(/Trinity-RFT experiences/);
    expect(trace.stdout).toMatch(/^episodes: +160 of 160 ended; 40 tasks$/m);
  },
);

test('a canceled run ends soon, and is resumed from its last checkpoint', { timeout: patience }, async () => {
  const machine = await machineOf({ name: 'second' });
  const command = machine.start(['remote', ...send]);
  const [, run = ''] = await command.wrote(/^(\d{8}-\d{6}-[0-9a-f]{6})$/m);
  await command.wrote(/Training at step 6 started/);
  expect((await machine.remote(['cancel', run])).code).toBe(0);
  const { code, stderr } = await command.exited;
  expect([code, stderr]).toEqual([130, expect.stringContaining('State: canceled. Canceled by owner.')]);
  expect(await machine.record(run)).toMatchObject({ state: 'cancelled' });

  const resumed = await runOf(machine, ['resume', run, '--env', 'TINKER_API_KEY', '--follow']);
  const events = await eventsOf(machine, resumed);
  // The explorer continues from its own position, so the tasks end before the trainer has made all steps.
  const steps = stepsOf(events, 'trainer');
  expect(steps).toEqual(steps.map((_, at) => 5 + at));
  expect(steps.length).toBeGreaterThan(1);
  expect(await machine.record(resumed)).toMatchObject({ state: 'finished', exitCode: 0 });
});

test('a run that fails as it starts is shown as failed with its reason, though Trinity-RFT exits with 0', async () => {
  const machine = await machineOf({ name: 'third', reward: 'rewards.Missing' });
  const { code, stderr } = await machine.remote(send);
  expect(code).toBe(1);
  expect(stderr).toMatch(/State: failed\. Its log reports a failure: .*Missing/);
});
