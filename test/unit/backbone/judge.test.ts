import { describe, expect, it } from 'vitest';
import { noGymEnv } from '../../../src/backbone/env-service/gymEnv.ts';
import { settleReward, type JudgeClass, type PlaceOfMethod } from '../../../src/backbone/task-judge/judge.ts';
import { BaseJudge, type WorkflowOutput, type WorkflowTask } from '../../../src/workflow/index.ts';

const task: WorkflowTask = {
  task: { main_query: 'q', init_messages: [], task_id: 't', env_type: 'no_env', metadata: {} },
  taskId: 't',
  envType: 'no_env',
  taskThreadIndex: 0,
  taskBatchIndex: 0,
  taskTag: 'Tt#R0',
  episodeUuid: '0'.repeat(32),
  gymEnv: noGymEnv,
};

function judgeReturning(verdict: unknown): JudgeClass {
  return class extends BaseJudge {
    override computeReward(): never {
      return verdict as never;
    }
  };
}

const placeOf: PlaceOfMethod = (method) => Promise.resolve({ file: `/w/${method}.ts`, line: 3, column: 5 });

const settle = (output: unknown, verdict?: unknown) => {
  let asked = 0;
  const loadJudge = (): Promise<JudgeClass> => {
    asked += 1;
    return Promise.resolve(judgeReturning(verdict));
  };
  const outcome = settleReward(task, output as WorkflowOutput, { a: 1 }, loadJudge, placeOf);
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
    [{ reward: [1, 2] }, undefined, 'task-judge/bad-reward', 'execute'],
    [{ reward: NaN }, undefined, 'task-judge/bad-reward', 'execute'],
    [{ reward: true }, undefined, 'task-judge/bad-reward', 'execute'],
    [{}, { reward: 'high' }, 'task-judge/bad-reward', 'computeReward'],
    [{}, [NaN, true], 'task-judge/bad-reward', 'computeReward'],
    [{}, undefined, 'task-judge/bad-verdict', 'computeReward'],
    [{}, 1, 'task-judge/bad-verdict', 'computeReward'],
  ])('refuses %j with verdict %j, where it was returned', async (output, verdict, code, method) => {
    const location = { file: `/w/${method}.ts`, line: 3, column: 5 };
    await expect(settle(output, verdict)).rejects.toMatchObject({ code, location });
  });

  it('gives the judge the effective config', async () => {
    let seen: unknown;
    class Judge extends BaseJudge {
      override computeReward(): { reward: number; isSuccess: boolean } {
        seen = this.config;
        return { reward: 1, isSuccess: true };
      }
    }
    await settleReward(task, {}, { ajet: {} }, () => Promise.resolve(Judge), placeOf);
    expect(seen).toEqual({ ajet: {} });
  });
});
