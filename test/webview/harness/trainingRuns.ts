/** Training runs as their hosts tell of them: made of a seed, always the same. */
import { Random } from '../../../src/base/core/random.ts';
import type { Gpu } from '../../../src/training/core/protocol/hostRpc.ts';
import type { Checkpoint, RunEvent, RunRecord } from '../../../src/training/core/protocol/runs.ts';
import type { RunPageMessage, PageRun } from '../../../src/training/core/page/trainingRunRpc.ts';

export const startedAt = Date.UTC(2026, 2, 4, 9, 30);
export const rewardName = 'experience_pipeline/group_advantages/reward_mean/mean';

export function idOf(number: number): string {
  return `20260304-093000-00000${number}`;
}

export function shownRun(
  changes: Partial<RunRecord> = {},
  more: Partial<Omit<PageRun, 'record'>> = {},
): PageRun {
  const record: RunRecord = {
    id: idOf(1),
    name: 'math_agent, lr 1e-6',
    launcher: 'ajet',
    backbone: 'trinity',
    config: 'math_agent.yaml',
    snapshot: 'ab'.repeat(32),
    flags: [],
    env: [],
    gpus: 2,
    devices: [0, 1],
    state: 'running',
    reason: null,
    phase: 'training',
    exitCode: null,
    step: 120,
    totalSteps: 400,
    reward: 0.612,
    jobFolder: '/data/runs/math_agent',
    createdAt: startedAt - 30_000,
    startedAt,
    endedAt: null,
    events: 200,
    from: null,
    owner: 'ada',
    ...changes,
  };
  return {
    host: 'gpu-box',
    record,
    ahead: null,
    may: { start: true, cancel: true },
    rollouts: true,
    ...more,
  };
}

/** A step each minute after two of preparation; with each what explorer and trainer tell. */
export function eventsOf(steps: number, seed = 'run'): RunEvent[] {
  const random = new Random(seed);
  const events: RunEvent[] = [
    { seq: 1, at: startedAt + 5_000, type: 'phase', phase: 'loading models' },
    { seq: 2, at: startedAt + 60_000, type: 'notice', text: 'The host took the run over again.' },
  ];
  const noise = () => random.next() - 0.5;
  for (let step = 1; step <= steps; step += 1) {
    const at = startedAt + (2 + step) * 60_000;
    const done = step / (step + 60);
    const explorer = {
      [rewardName]: 0.1 + 0.7 * done + noise() * 0.15,
      'rollout/success_rate/mean': Math.max(0, Math.min(1, 0.05 + 0.75 * done + noise() * 0.2)),
      'rollout/finished_task_count': 32,
      'time/wait_explore_step': 20 + noise() * 4,
    };
    const trainer = {
      'actor/ppo_kl': 0.002 * (1 + random.next()),
      'actor/entropy_loss': 1.2 - 0.6 * done + noise() * 0.05,
      'actor/grad_norm': 0.3 + random.next() * 0.2,
      'response_length/mean': 420 + 300 * done + noise() * 60,
      'time/step': 58 + noise() * 8,
    };
    const seq = events.length + 1;
    events.push({ seq, at: at - 20_000, type: 'metrics', role: 'explorer', step, values: explorer });
    events.push({ seq: seq + 1, at, type: 'metrics', role: 'trainer', step, values: trainer });
    if (step % 50 === 0) events.push({ seq: seq + 2, at: at + 1_000, type: 'checkpoint', step });
  }
  return events;
}

export function checkpointsOf(...steps: readonly number[]): Checkpoint[] {
  return steps.map((step) => ({
    step,
    path: `global_step_${step}`,
    bytes: 12_345_678_901,
    files: 14,
    modifiedAt: startedAt + (2 + step) * 60_000,
    resumable: true,
    huggingFace: false,
    reward: 0.1 + step / 250,
  }));
}

/** Samples of two GPUs, one each half minute. */
export function gpuMessages(run: string, samples: number): RunPageMessage[] {
  return Array.from({ length: samples }, (_, sample) => {
    const gpus = [0, 1].map((index): Gpu => ({
      index,
      name: 'NVIDIA A100-SXM4-80GB',
      memory: 81_920,
      used: 52_000 + index * 8_000 + (sample % 3) * 500,
      load: index === 0 ? 96 - (sample % 5) : sample % 2 === 0 ? 88 : 34,
      run,
    }));
    return { type: 'gpus', run, at: startedAt + sample * 30_000, gpus };
  });
}
