import { describe, expect, it } from 'vitest';
import { settleReward, type JudgeClass } from '../../../src/backbone/task-judge/judge.ts';
import { BaseJudge, type WorkflowOutput, type WorkflowTask } from '../../../src/workflow/index.ts';

const task: WorkflowTask = {
  task: { main_query: 'q', init_messages: [], task_id: 't', env_type: 'no_env', metadata: {} },
  taskId: 't',
  envType: 'no_env',
  taskThreadIndex: 0,
  taskBatchIndex: 0,
  taskTag: 'Tt#R0',
  episodeUuid: '0'.repeat(32),
};

function judgeReturning(verdict: unknown): JudgeClass {
  return class extends BaseJudge {
    override computeReward(): never {
      return verdict as never;
    }
  };
}

const settle = (output: unknown, verdict?: unknown) => {
  let asked = 0;
  const outcome = settleReward(task, output as WorkflowOutput, { a: 1 }, () => {
    asked += 1;
    return Promise.resolve(judgeReturning(verdict));
  });
  return outcome.then((result) => ({ ...result, asked }));
};

describe('settleReward', () => {
  it.each([
    [
      { reward: 0.5, isSuccess: true },
      { reward: 0.5, isSuccess: true },
    ],
    [{ reward: 0 }, { reward: 0, isSuccess: false }],
    [
      { reward: 0.0, isSuccess: null },
      { reward: 0, isSuccess: false },
    ],
    [{ reward: -1 }, { reward: -1, isSuccess: false }],
  ])('takes the reward of the workflow, 0 included, without the judge: %j', async (output, expected) => {
    expect(await settle(output)).toEqual({ ...expected, asked: 0 });
  });

  it.each([
    [{}, { reward: 2, isSuccess: true }, { reward: 2, isSuccess: true }],
    [{ reward: null, isSuccess: true }, [1, false], { reward: 1, isSuccess: false }],
    [{ reward: undefined }, { reward: 0 }, { reward: 0, isSuccess: false }],
  ])('asks the judge where the workflow gave none: %j, %j', async (output, verdict, expected) => {
    expect(await settle(output, verdict)).toEqual({ ...expected, asked: 1 });
  });

  it.each([
    [{ reward: [1, 2] }, undefined, 'task-judge/bad-reward'],
    [{ reward: NaN }, undefined, 'task-judge/bad-reward'],
    [{ reward: true }, undefined, 'task-judge/bad-reward'],
    [{}, { reward: 'high' }, 'task-judge/bad-reward'],
    [{}, undefined, 'task-judge/bad-verdict'],
    [{}, 1, 'task-judge/bad-verdict'],
  ])('refuses %j with verdict %j', async (output, verdict, code) => {
    await expect(settle(output, verdict)).rejects.toMatchObject({ code });
  });

  it('gives the judge the effective config', async () => {
    let seen: unknown;
    class Judge extends BaseJudge {
      override computeReward(): { reward: number; isSuccess: boolean } {
        seen = this.config;
        return { reward: 1, isSuccess: true };
      }
    }
    await settleReward(task, {}, { ajet: {} }, () => Promise.resolve(Judge));
    expect(seen).toEqual({ ajet: {} });
  });
});
