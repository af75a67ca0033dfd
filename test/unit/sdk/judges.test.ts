import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { noGymEnv } from '../../../src/backbone/core/env-service/gymEnv.ts';
import {
  CountdownAnswerAsJudge,
  EnvServiceJudge,
  MathAnswerAndLlmAsJudge,
  MathAnswerAsJudge,
  type WorkflowOutput,
} from '../../../src/sdk/core/index.ts';
import { distanceTo } from '../../../src/sdk/core/judges/arithmetic.ts';
import { countdownCase, mathCase } from './judgeCases.ts';
import { workflowTask } from './task.ts';

const fixture = path.join(import.meta.dirname, '../../fixtures/judges/judges.json');
const vectors = JSON.parse(readFileSync(fixture, 'utf8')) as Readonly<
  Record<'math' | 'countdown', readonly string[]>
>;

/** The reward at the end of each way through a judge. */
const rewards: Readonly<Record<'math' | 'countdown', Readonly<Record<string, number>>>> = {
  // right, another answer, no box
  math: { r: 1, w: 0, b: 0 },
  // …, no target or numbers, other numbers, other characters, an error
  countdown: { r: 1, w: 0.1, b: 0, n: 0, d: 0.1, c: 0.1, e: 0.1 },
};

const score = {
  math: (number: number) => {
    const { answer, reference } = mathCase(number);
    const output = { metadata: { final_answer: answer } };
    return new MathAnswerAsJudge({}).computeReward(workflowTask({ answer: reference }), output);
  },
  countdown: (number: number) => {
    const { answer, target, numbers } = countdownCase(number);
    const output = { metadata: { final_answer: answer, target, nums: numbers } };
    return new CountdownAnswerAsJudge({}).computeReward(workflowTask({}), output);
  },
};

describe.each(['math', 'countdown'] as const)('the %s judge', (name) => {
  const letters = vectors[name].join('');

  it('is tried on every way through it', () => {
    expect(letters.length).toBeGreaterThanOrEqual(20_000);
    for (const letter of Object.keys(rewards[name])) {
      expect(letters.split(letter).length - 1, letter).toBeGreaterThan(letters.length * 0.03);
    }
  });

  it('scores as AgentJet does', () => {
    const wrong = Array.from(letters, (letter, number) => ({ letter, number })).filter(
      ({ letter, number }) => {
        const { reward, isSuccess } = score[name](number);
        return reward !== rewards[name][letter] || isSuccess !== (letter === 'r');
      },
    );
    const [first] = wrong;
    const seen = first && { ...first, of: wrong.length, case: countdownOrMath(name, first.number) };
    expect(seen).toBeUndefined();
  });
});

function countdownOrMath(name: 'math' | 'countdown', number: number): unknown {
  return name === 'math' ? mathCase(number) : countdownCase(number);
}

describe('a judge that lacks something', () => {
  const task = workflowTask({ question: 'q' });
  const math = (output: WorkflowOutput) => () => new MathAnswerAsJudge({}).computeReward(task, output);

  it.each([
    [
      {},
      'MathAnswerAsJudge needs metadata.final_answer in the output of the workflow, which has no metadata.',
    ],
    [
      { metadata: { answer: '1', text: '2' } },
      'MathAnswerAsJudge needs metadata.final_answer in the output of the workflow, which has only answer, text.',
    ],
    [
      { metadata: { final_answer: 12 } },
      'MathAnswerAsJudge needs metadata.final_answer in the output of the workflow to be a string, but it is a value of type number.',
    ],
    [
      { metadata: { final_answer: 'x' } },
      'MathAnswerAsJudge needs metadata.answer of the task "t1", which has only question.',
    ],
  ] satisfies [WorkflowOutput, string][])('says so of %j', (output, message) => {
    expect(math(output)).toThrow(message.replaceAll('’', "'"));
  });

  it('says so of the countdown, for which null is a target', () => {
    const judge = new CountdownAnswerAsJudge({});
    const scored = (metadata: Record<string, unknown>) => () => judge.computeReward(task, { metadata });
    expect(scored({ final_answer: '', nums: [1] })).toThrow(/metadata.target .* only final_answer, nums/);
    expect(scored({ final_answer: '', target: 1 })).toThrow(/metadata.nums/);
    expect(scored({ final_answer: '', nums: [1], target: null })()).toEqual({ reward: 0, isSuccess: false });
  });
});

it('computes a sum of 2,000 numbers, as Python does', () => {
  const sum = Array.from({ length: 2_000 }, () => '1').join('+');
  expect(distanceTo(sum, 2_000)).toBe(0);
});

describe('the judge of an environment service', () => {
  it.each([
    [1, 1.5, true],
    [0.4, 0.2, false],
    [2, 2, true],
    [0, 0, false],
    [-1, -0.5, false],
  ])('makes of %j the reward %j', async (score, reward, isSuccess) => {
    const asked: unknown[] = [];
    const evaluate = (messages: unknown): Promise<number> => {
      asked.push(messages);
      return Promise.resolve(score);
    };
    const task = workflowTask({}, { gymEnv: { ...noGymEnv, evaluate } });
    expect(await new EnvServiceJudge({}).computeReward(task)).toEqual({ reward, isSuccess });
    expect(asked).toEqual([{ sparse: false }]);
  });

  it('fails where there is no service', async () => {
    const judged = Promise.resolve().then(() => new EnvServiceJudge({}).computeReward(workflowTask({})));
    await expect(judged).rejects.toMatchObject({ code: expect.stringMatching(/^env-service\//) as string });
  });
});

describe('expressions that would take for ever', () => {
  it.each(['9**9**9**9', `${'('.repeat(5000)}9**9${')'.repeat(5000)}`, `${'-'.repeat(50_000)}9**9`])(
    'are given up: %.40s',
    (text) => {
      const used = (text.match(/9/g) ?? []).map(Number);
      const metadata = { final_answer: `\\boxed{${text}}`, target: 9, nums: used };
      const verdict = new CountdownAnswerAsJudge({}).computeReward(workflowTask({}), { metadata });
      expect(verdict).toEqual({ reward: 0.1, isSuccess: false });
    },
  );
});

describe('the judge that asks the helper LLM', () => {
  const judge = (reply: string, asked: string[] = []): MathAnswerAndLlmAsJudge => {
    const made = new MathAnswerAndLlmAsJudge({});
    made.helperLlm = {
      ask: (messages) => {
        asked.push(...messages.map(({ content }) => content));
        return Promise.resolve(reply);
      },
    };
    return made;
  };
  const task = workflowTask({ answer: 'because #### 12 ' });
  const output = { metadata: { final_answer: 'a dozen' } };

  it.each([
    ['It is <Correct>.', { reward: 1, isSuccess: true }],
    ['<NotCorrect>', { reward: 0, isSuccess: false }],
    ['', { reward: 0, isSuccess: false }],
  ])('takes %j for %j', async (reply, verdict) => {
    expect(await judge(reply).computeReward(task, output)).toEqual(verdict);
  });

  it('shows it the answer and the solution', async () => {
    const asked: string[] = [];
    await judge('', asked).computeReward(task, output);
    expect(asked[1]).toBe('Answer:\na dozen\n\nSolution:\n12');
  });

  it('says where there is none', async () => {
    await expect(new MathAnswerAndLlmAsJudge({}).computeReward(task, output)).rejects.toThrow(
      'The helper LLM is only available during a run.',
    );
  });
});
