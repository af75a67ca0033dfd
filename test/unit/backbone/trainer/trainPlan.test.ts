import { describe, expect, it } from 'vitest';
import { planTraining, rateAt, type TrainPlan } from '../../../../src/backbone/core/trainer/trainPlan.ts';
import type { TrainRequest } from '../../../../src/backbone/core/protocol/run.ts';
import { dialectOf } from '../../../../src/configs/core/dialect.ts';
import { trinityRun } from '../../../../src/configs/core/trinity/trinityRun.ts';
import { composeText } from '../../configs/memoryFiles.ts';

/** The plan for 10 tasks. @param lines of `trainer_common`, with two spaces of indent */
async function planned(lines: string, request: TrainRequest = {}, rate = 0.00002): Promise<TrainPlan> {
  const { config } = await composeText(`ajet:
  data: { train_batch_size: 3 }
  trainer_common:
    optim: { lr: ${rate} }
${lines}
defaults: [ajet_default, _self_]
`);
  return planTraining(request, config, 10, 1);
}

describe('the plan of a training', () => {
  it('takes whole batches of each epoch', async () => {
    const plan = await planned('    total_epochs: 4');
    expect(plan).toMatchObject({ batchSize: 3, stepsPerEpoch: 3, totalSteps: 12 });
  });

  it('ends at the most steps of the run', async () => {
    expect((await planned('    total_epochs: 4', { steps: 5 })).totalSteps).toBe(5);
  });

  it('clips as AgentJet does, and by choice not at all', async () => {
    expect((await planned('')).loss).toEqual({ name: 'ppo', clip: { low: 0.8, high: 1.2 } });
    expect((await planned('', { loss: 'importance_sampling' })).loss).toEqual({
      name: 'importance_sampling',
    });
  });

  it('compares with the base model as the config says', async () => {
    expect((await planned('')).kl).toEqual({ coefficient: 0.002, estimator: 'k3' });
    expect((await planned('    use_kl_loss: false')).kl).toBeUndefined();
  });

  it('is small and quick in a rehearsal, whatever the config says', async () => {
    const plan = await planned('    total_epochs: 99', { rehearsal: true }, 0.000001);
    expect(plan).toMatchObject({ batchSize: 3, totalSteps: 10, kl: undefined, notes: [], lora: { rank: 8 } });
    expect(rateAt(1, plan.schedule)).toBe(0.01);
  });

  it.each([
    ['    algorithm: { adv_estimator: gae }', 'trainer/unsupported', 5],
    ['    use_kl_in_reward: true', 'trainer/unsupported', 5],
    ['    kl_loss_type: nearly', 'trainer/unknown-value', 5],
    ['    total_epochs: 0', 'trainer/no-steps', 5],
  ])('refuses%s at its line', async (lines, code, line) => {
    await expect(planned(lines)).rejects.toMatchObject({ code, location: { line } });
  });

  it('refuses a batch that the data set cannot fill', async () => {
    const { config } = await composeText(
      'ajet:\n  data: { train_batch_size: 32 }\ndefaults: [ajet_default, _self_]\n',
    );
    expect(() => planTraining({}, config, 10, 1)).toThrow(
      expect.objectContaining({
        code: 'trainer/batch-size',
        location: expect.objectContaining({ line: 2 }) as object,
      }),
    );
  });

  it('notes rates of full fine-tuning and temperatures of other policies', async () => {
    const codes = ({ notes }: TrainPlan): string[] => notes.map(({ code }) => code);
    expect(codes(await planned(''))).toEqual(['trainer/temperature']);
    expect(codes(await planned('', {}, 0.000001))).toEqual(['trainer/low-rate', 'trainer/temperature']);
  });
});

it('follows the keys of a Trinity-RFT config', async () => {
  const text = `algorithm:
  algorithm_type: grpo
  repeat_times: 4
  optimizer: { lr: 0.0001, lr_scheduler_type: cosine, betas: [0.9, 0.95] }
  kl_loss_fn: k2
  kl_loss_fn_args: { kl_coef: 0.01 }
model: { model_path: m, tinker: { enable: true, rank: 8, train_unembed: false } }
buffer: { batch_size: 2, total_steps: 7 }
trainer: { save_interval: 3 }
explorer: { eval_interval: 5, eval_on_startup: false }
`;
  const dialect = dialectOf(text);
  const { config } = trinityRun(await composeText(text, { ...(dialect && { dialect }) }));
  expect(planTraining({}, config, 10, 1)).toMatchObject({
    ...{ batchSize: 2, totalSteps: 7, saveEvery: 3, testEvery: 5, validatesFirst: false },
    kl: { coefficient: 0.01, estimator: 'k2' },
    lora: { rank: 8, seed: 1, trainUnembed: false, trainMlp: true },
    schedule: { rate: 0.0001, kind: 'cosine' },
    adam: { beta1: 0.9, beta2: 0.95 },
  });
});

describe('the learning rate', () => {
  const schedule = { rate: 1, steps: 20, warmupSteps: 4, kind: 'cosine', least: 0.1, cycles: 0.5 } as const;

  it('warms up and falls to its least', () => {
    const rates = [1, 2, 4, 5, 20].map((step) => rateAt(step, schedule));
    expect(rates.slice(0, 4)).toEqual([0.25, 0.5, 1, 1]);
    expect(rates[4]).toBeGreaterThan(0.1);
    expect(rates[4]).toBeLessThan(0.13);
  });

  it('never rises after its warm-up', () => {
    const rates = Array.from({ length: 17 }, (_, at) => rateAt(at + 4, schedule));
    expect(rates).toEqual(rates.toSorted((a, b) => b - a));
  });

  it('is the same when a run trains only the first steps', async () => {
    const { config } = await composeText(`ajet:
  data: { train_batch_size: 3 }
  trainer_common: { total_epochs: 4, optim: { lr: 0.01, lr_scheduler_type: cosine } }
defaults: [ajet_default, _self_]
`);
    const [whole, short] = [planTraining({}, config, 10, 1), planTraining({ steps: 5 }, config, 10, 1)];
    expect(rateAt(5, short.schedule)).toBe(rateAt(5, whole.schedule));
    expect(rateAt(5, short.schedule)).toBeGreaterThan(0.005);
  });

  it('stays where it is constant', () => {
    expect(rateAt(19, { ...schedule, kind: 'constant' })).toBe(1);
  });
});
