import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  estimateOf,
  TrainingBudget,
  type BudgetParts,
} from '../../../../src/backbone/core/trainer/trainingBudget.ts';
import { planRun } from '../../../../src/backbone/core/launcher/runPlan.ts';
import { planTraining } from '../../../../src/backbone/core/trainer/trainPlan.ts';
import { composeText } from '../../configs/memoryFiles.ts';
import { FakeClock } from '../../fakeClock.ts';

const prices = { prefill: 1, sample: 10, train: 100 };

function budgetOf(parts: Partial<BudgetParts> = {}) {
  const clock = new FakeClock();
  const reached: string[] = [];
  const budget = new TrainingBudget({
    ...{ limits: {}, prices: undefined, before: undefined, clock, isHeld: () => false },
    onReached: (_, limit) => reached.push(limit),
    ...parts,
  });
  const use = (tokens: number): void => budget.count('sample', tokens);
  return { budget, clock, reached, use };
}

describe('the budget of a training', () => {
  it('counts tokens by kind, their cost, and the time', () => {
    const { budget, clock } = budgetOf({ prices });
    budget.count('prefill', 1_000_000);
    budget.count('sample', 500_000);
    budget.count('train', 10_000);
    clock.advance(1_500);
    expect(budget.usage).toEqual({
      ...{ prefill: 1_000_000, sample: 500_000, train: 10_000 },
      ...{ seconds: 1.5, cost: 7 },
    });
  });

  it('has no cost without prices', () => {
    expect(budgetOf().budget.usage).not.toHaveProperty('cost');
  });

  it('does not count time in which a debugger holds this process or another one', () => {
    let isHeld = false;
    const { budget, clock, reached } = budgetOf({ limits: { maxHours: 1 }, isHeld: () => isHeld });
    clock.advance(1_000);
    clock.stall(7_200_000);
    isHeld = true;
    clock.advance(7_200_000);
    isHeld = false;
    clock.advance(1_000);
    expect(budget.usage.seconds).toBeCloseTo(2.2, 1);
    expect(reached).toEqual([]);
    clock.advance(3_600_000);
    expect(reached).toEqual(['maxHours']);
    expect(() => budget.check()).toThrow('limit of 1 h (used: 1)');
  });

  it.each([
    ['maxTokens', { maxTokens: 10 }, 'limit of 10 tokens (used: 12)'],
    ['maxCost', { maxCost: 0.0001 }, 'limit of a cost of 0.0001 (used: 0.00012)'],
  ] as const)('reports once that %s is reached', (limit, limits, text) => {
    const { budget, reached, use } = budgetOf({ limits, prices });
    use(9);
    budget.check();
    use(3);
    use(3);
    expect(reached).toEqual([limit]);
    expect(() => budget.check()).toThrow(text);
    expect(() => budget.beginStep()).toThrow(text);
  });

  it('begins no step that would exceed a limit', () => {
    const { budget, reached, use } = budgetOf({ limits: { maxTokens: 100 } });
    budget.beginStep();
    use(40);
    budget.endStep();
    // A validation is not part of a step.
    use(10);
    budget.beginStep();
    use(30);
    budget.endStep();
    expect(budget.stepUsage).toMatchObject({ sample: 30 });
    expect(() => budget.beginStep()).toThrow(
      'The next step would exceed the limit of 100 tokens (used: 80, in the last step: 30).',
    );
    expect(reached).toEqual([]);
  });

  it('expects further steps to be like the last one', () => {
    const { budget, clock, use } = budgetOf({ prices });
    expect(budget.expected(3)).toBeUndefined();
    use(1_000_000);
    budget.beginStep();
    use(100_000);
    clock.advance(2_000);
    budget.endStep();
    expect(budget.expected(3)).toEqual({ prefill: 0, sample: 300_000, train: 0, seconds: 6, cost: 3 });
  });

  it('adds to the earlier use of a training, at the current prices', () => {
    const usage = { prefill: 0, sample: 90, train: 0, seconds: 3_500, cost: 7 };
    const before = { usage, stepUsage: { ...usage, sample: 20, seconds: 50 } };
    const { budget } = budgetOf({ before, prices, limits: { maxTokens: 100 } });
    expect(budget.usage).toMatchObject({ sample: 90, seconds: 3_500, cost: 0.0009 });
    expect(() => budget.beginStep()).toThrow('would exceed the limit of 100 tokens');
    budgetOf({ before, limits: { maxTokens: 111 } }).budget.beginStep();
    const over = budgetOf({ before, limits: { maxTokens: 80 } });
    expect(() => over.budget.beginStep()).toThrow('reached its limit of 80 tokens (used: 90)');
  });
});

describe('the estimate of a training', () => {
  it.each([
    ['false', 0],
    ['true', 12 * 2 * 150],
  ])('is an upper bound by the lengths of the config; with a KL term: %s', async (usesKl, scored) => {
    const { config } = await composeText(`ajet:
  data: { train_batch_size: 3, max_prompt_length: 50, max_response_length: 100 }
  trainer_common: { use_kl_loss: ${usesKl}, ppo_epochs: 2 }
  rollout:
    num_repeat: 2
    max_model_len: 200
    max_response_length_in_one_turn: 36
    multi_turn: { max_steps: 2, max_sample_per_task: 9 }
defaults: [ajet_default, _self_]
`);
    const request = { config: '/train.yaml', cwd: '/', split: 'training' } as const;
    const plan = planRun(
      { ...request, protocol: 1, model: { kind: 'embedded' }, allowEnvironment: false },
      config,
      new Date(0),
      path.posix,
    );
    const training = planTraining({}, config, 10, 1);
    // Two steps of 3 tasks, each with 2 episodes of 2 calls.
    expect(estimateOf(config, plan, training, { steps: 2, prices })).toEqual({
      ...{ episodes: 12, calls: 2 },
      prefill: 12 * 2 * 200 + scored,
      sample: 12 * 2 * 20,
      train: 12 * 2 * 150 * 2,
      cost: (12 * 2 * 200 + scored + 12 * 2 * 20 * 10 + 12 * 2 * 150 * 2 * 100) / 1e6,
    });
  });
});
