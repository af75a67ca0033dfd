import { describe, expect, it } from 'vitest';
import { noGymEnv } from '../../../src/backbone/core/env-service/gymEnv.ts';
import {
  settleReward,
  type JudgeClass,
  type JudgeContext,
} from '../../../src/backbone/core/task-judge/judge.ts';
import { classOfBuiltIn } from '../../../src/backbone/core/launcher/judgeContext.ts';
import { CodedError } from '../../../src/base/core/errors.ts';
import { builtInJudges } from '../../../src/configs/core/builtInJudges.ts';
import {
  BaseJudge,
  JudgeInputError,
  MathAnswerAndLlmAsJudge,
  type WorkflowOutput,
  type WorkflowTask,
} from '../../../src/sdk/core/index.ts';

const task: WorkflowTask = {
  task: { main_query: 'q', init_messages: [], task_id: 't', env_type: 'no_env', metadata: {} },
  taskId: 't',
  envType: 'no_env',
  taskThreadIndex: 0,
  taskBatchIndex: 0,
  taskTag: 'Tt#R0',
  episodeUuid: '0'.repeat(32),
  observationWindow: { step: [0], token: [0], stop: [false] },
  gymEnv: noGymEnv,
};

function judgeReturning(verdict: unknown): JudgeClass {
  return class extends BaseJudge {
    override computeReward(): never {
      return verdict as never;
    }
  };
}

const judging = (loadJudge: () => Promise<JudgeClass>, more: Partial<JudgeContext> = {}): JudgeContext => ({
  config: { a: 1 },
  decides: 'workflow',
  loadJudge,
  placeOf: (method) => Promise.resolve({ file: `/w/${method}.ts`, line: 3, column: 5 }),
  helperLlm: { ask: () => Promise.resolve('<Correct>') },
  userFrame: () => undefined,
  ...more,
});

const settle = (output: unknown, verdict?: unknown) => {
  let asked = 0;
  const loadJudge = (): Promise<JudgeClass> => {
    asked += 1;
    return Promise.resolve(judgeReturning(verdict));
  };
  const outcome = settleReward(task, output as WorkflowOutput, judging(loadJudge), {});
  return outcome.then((result) => ({ ...result, asked }));
};

const never = (): Promise<never> => Promise.reject(new Error('not asked'));

describe('settleReward', () => {
  it.each([
    [
      { reward: 0.5, isSuccess: true },
      { reward: 0.5, isSuccess: true, successGiven: true },
    ],
    [{ reward: 0 }, { reward: 0, isSuccess: false, successGiven: false }],
    [
      { reward: 0.0, isSuccess: null },
      { reward: 0, isSuccess: false, successGiven: false },
    ],
    [{ reward: -1 }, { reward: -1, isSuccess: false, successGiven: false }],
  ])('takes the reward of the workflow, 0 included, without the judge: %j', async (output, expected) => {
    expect(await settle(output)).toEqual({ ...expected, scoredBy: 'workflow', asked: 0 });
  });

  it.each([
    [{}, { reward: 2, isSuccess: true }, { reward: 2, isSuccess: true, successGiven: true }],
    [{ reward: null, isSuccess: true }, [1, false], { reward: 1, isSuccess: false, successGiven: true }],
    [{ reward: undefined }, { reward: 0 }, { reward: 0, isSuccess: false, successGiven: false }],
  ])('asks the judge where the workflow gave none: %j, %j', async (output, verdict, expected) => {
    expect(await settle(output, verdict)).toEqual({ ...expected, scoredBy: 'judge', asked: 1 });
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

  it.each([[1], [0], [null]])(
    'asks the judge first where it decides: the workflow gave %j',
    async (reward) => {
      const made = judging(() => Promise.resolve(judgeReturning({ reward: 0.5, isSuccess: false })), {
        decides: 'judge',
      });
      const outcome = await settleReward(task, { reward }, made, {});
      expect(outcome).toMatchObject({ reward: 0.5, scoredBy: 'judge' });
      expect(outcome.rewardUnused).toBe(reward ?? undefined);
    },
  );

  it('counts the numbers that a workflow logs', async () => {
    const logMetrics = { turns: 3, best: NaN, tool_stats: { a: 1 }, name: 'x' };
    const outcome = await settleReward(task, { reward: 1, logMetrics }, judging(never), {});
    expect(outcome.metrics).toEqual({ turns: 3 });
  });

  it('gives the judge the effective config', async () => {
    let seen: unknown;
    class Judge extends BaseJudge {
      override computeReward(): { reward: number; isSuccess: boolean } {
        seen = this.config;
        return { reward: 1, isSuccess: true };
      }
    }
    await settleReward(
      task,
      {},
      judging(() => Promise.resolve(Judge), { config: { ajet: {} } }),
      {},
    );
    expect(seen).toEqual({ ajet: {} });
  });

  const throwing = (error: unknown) => {
    class Throwing extends BaseJudge {
      override computeReward(): never {
        throw error;
      }
    }
    return judging(() => Promise.resolve(Throwing));
  };

  it('tells where a judge threw, with its stack', async () => {
    const error = new TypeError('no such thing');
    const at = { file: '/w/judge.ts', line: 9 };
    const settled = settleReward(task, {}, { ...throwing(error), userFrame: () => at }, {});
    await expect(settled).rejects.toMatchObject({
      code: 'task-judge/threw',
      message: 'computeReward of Throwing threw: no such thing',
      location: at,
      stack: error.stack,
    });
  });

  it.each([
    ['output', 'execute'],
    ['task', 'computeReward'],
    ['config', 'computeReward'],
  ] as const)('tells who should have given what a judge lacks: %s', async (source, method) => {
    const settled = settleReward(
      task,
      {},
      throwing(new JudgeInputError(source, 'no answer', 'give one')),
      {},
    );
    await expect(settled).rejects.toMatchObject({
      code: 'task-judge/missing-input',
      message: 'no answer',
      hint: 'give one',
      location: { file: `/w/${method}.ts` },
    });
  });

  it('takes what an error of the run says as it is', async () => {
    const error = new CodedError({ code: 'helper-llm/not-configured', message: 'none' });
    await expect(settleReward(task, {}, throwing(error), {})).rejects.toBe(error);
  });

  it('gives a judge the helper LLM', async () => {
    const asked = judging(() => Promise.resolve(MathAnswerAndLlmAsJudge));
    const withAnswer = { ...task, task: { ...task.task, metadata: { answer: '1' } } };
    const outcome = await settleReward(withAnswer, { metadata: { final_answer: '1' } }, asked, {});
    expect(outcome).toMatchObject({ reward: 1, isSuccess: true });
  });

  it('has a class for every judge that the configs know as built in', () => {
    for (const judge of builtInJudges) expect(classOfBuiltIn(judge).name).toBe(judge.name);
  });
});
