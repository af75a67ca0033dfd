import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../../src/training/core/protocol/runs.ts';
import { addHostArgs, localArgs, rerunArgs } from '../../../../src/training/editor/commandLines.ts';
import { startedRun as runArguments } from '../../command/commandLines.ts';
import { trainingStateOf } from '../../../tools/trainingFolder.ts';

const host = { name: 'our box', url: 'wss://gpu:7788', fingerprint: 'ab'.repeat(32) };
const run = {
  id: '20260101-000000-abcdef',
  ...{ name: 'maths', config: 'conf/train.yaml', launcher: 'ajet', backbone: 'verl', gpus: 4 },
  ...{ env: ['KEY'], flags: ['--with-ray', '--json'], from: null },
} as unknown as RunRecord;

describe('the command of a run', () => {
  it('starts it again from the same folder', () => {
    const sent = { root: '/home/ann/maths', config: '/home/ann/maths/conf/train.yaml' };
    const [program, remote, command, ...args] = rerunArgs(host, run, sent);
    expect([program, remote, command]).toEqual(['agentjet', 'remote', 'run']);
    expect(runArguments(args)).toMatchObject({
      ...{ conf: sent.config, root: sent.root, host: 'our-box', name: 'maths' },
      ...{ launcher: 'ajet', backbone: 'verl', gpus: 4, env: ['KEY'] },
      flags: ['--with-ray', '--json'],
    });
    const [, , , ...there] = rerunArgs(host, run, undefined);
    expect(runArguments(there).conf).toBe('conf/train.yaml');
    expect(runArguments(there)).not.toHaveProperty('root');
  });

  it('goes on from the checkpoint that it went on from', () => {
    const from = { run: '20251231-000000-abcdef', step: 3, as: 'fork' } as const;
    expect(rerunArgs(host, { ...run, from }, undefined).join(' ')).toBe(
      'agentjet remote resume 20251231-000000-abcdef --step 3 --fork --host our-box --env KEY',
    );
    const resumed = rerunArgs(host, { ...run, from: { ...from, as: 'resume' } }, undefined);
    expect(resumed).not.toContain('--fork');
    const staged = rerunArgs(host, { ...run, from: { ...from, stage: 'rl' } }, undefined).join(' ');
    expect(staged).toContain(' --step 3 --stage rl --fork ');
  });

  it('starts a Tinker server again', () => {
    const server = { ...run, tinker: { server: 'skyrl', model: 'Qwen/Qwen3-4B' } };
    expect(rerunArgs(host, server, undefined).join(' ')).toBe(
      'agentjet remote serve --server skyrl --base-model Qwen/Qwen3-4B --host our-box',
    );
  });

  it('needs a host that the command line knows', async () => {
    expect((await addHostArgs(host)).join(' ')).toBe(
      `agentjet remote add our-box wss://gpu:7788#${'ab'.repeat(32)}`,
    );
    const start = { launchers: { ajet: '/opt/ajet' }, gpus: 2, ray: null };
    const overSsh = { name: '../GPU', url: 'ssh:ann@gpu', start };
    expect((await addHostArgs(overSsh)).slice(3)).toEqual([
      ...['GPU', 'ssh:ann@gpu', '--launcher', 'ajet=/opt/ajet', '--gpus', '2'],
    ]);
  });
});

describe('the command of a training on this machine', () => {
  const price = { prefill: 0.13, sample: 0.4, train: 0.5 };
  const { baseModel } = trainingStateOf();

  it('starts a training again with its limits and prices, if there is nothing to resume', () => {
    const options = { maxCost: 5, maxHours: 1.5, repeat: 2, prices: { [baseModel]: price, other: price } };
    const words = localArgs('/runs/math', trainingStateOf({ options })).join(' ');
    expect(words).toMatch(/^agentjet --conf \/home\/ada\/math\/train\.yaml --backbone tinker/);
    expect(words).toContain(`--max-hours 1.5 --max-cost 5 --price ${baseModel}=0.13,0.4,0.5`);
  });

  it('resumes a training that has a checkpoint', () => {
    const checkpoints = [{ step: 1, path: 'tinker://a', sampler: 'tinker://b', savedAt: 0 }];
    const state = trainingStateOf({ checkpoints, status: 'limit-reached', options: { maxCost: 5 } });
    expect(localArgs('/runs/math', state)).toEqual(['agentjet', 'resume', '/runs/math']);
  });
});
