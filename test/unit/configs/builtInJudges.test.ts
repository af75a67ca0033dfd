import { describe, expect, it } from 'vitest';
import { builtInJudge, builtInJudges, locatorOfJudge } from '../../../src/configs/core/builtInJudges.ts';
import { targetOf } from '../../../src/configs/core/code/writtenLocators.ts';
import type { ClassFinder, LocatorTarget } from '../../../src/configs/core/code/classes.ts';
import { parseLocator } from '../../../src/configs/core/locator.ts';

function judgeNamed(text: string): string | undefined {
  const parsed = parseLocator(text);
  return parsed.ok ? builtInJudge(parsed.locator)?.name : undefined;
}

describe('the judges that are built in', () => {
  it.each([
    ['tutorial.example_math_agent.math_answer_as_judge->MathAnswerAsJudge', 'MathAnswerAsJudge'],
    ['tutorial.example_math_agent.math_answer_as_judge->MathAnswerAndLlmAsJudge', 'MathAnswerAndLlmAsJudge'],
    ['tutorial/example_math_agent/math_answer_as_judge.py->MathAnswerAsJudge', 'MathAnswerAsJudge'],
    ['./tutorial/example_math_agent/math_answer_as_judge.py->MathAnswerAsJudge', 'MathAnswerAsJudge'],
    ['astuner.task_judge.math_answer_as_judge->MathAnswerAsJudge', 'MathAnswerAsJudge'],
    ['astune.task_judge.math_answer_as_judge->MathAnswerAndLlmAsJudge', 'MathAnswerAndLlmAsJudge'],
    ['astuner.task_judge.countdown_answer_as_judge->CountdownAnswerAsJudge', 'CountdownAnswerAsJudge'],
    [
      'tutorial.example_countdown.countdown_answer_as_judge->CountdownAnswerAsJudge',
      'CountdownAnswerAsJudge',
    ],
    ['tutorial.example_countdown.countdown_answer_as_judge->MathAnswerAsJudge', undefined],
    ['tutorial.example_math_agent.math_answer_as_judge->MyJudge', undefined],
    ['ajet.task_judge.env_service_as_judge->EnvServiceJudge', 'EnvServiceJudge'],
    ['agentscope_tuner.task_judge.env_service_as_judge->EnvServiceJudge', 'EnvServiceJudge'],
    ['my.math_answer_as_judge->MathAnswerAsJudge', undefined],
    ['tutorial/example_math_agent/math_answer_as_judge.ts->MathAnswerAsJudge', undefined],
  ])('%s is %s', (text, name) => {
    expect(judgeNamed(text)).toBe(name);
  });

  it('are found by the locator that is offered for them', () => {
    for (const judge of builtInJudges) expect(judgeNamed(locatorOfJudge(judge))).toBe(judge.name);
  });

  const [judge] = builtInJudges;
  if (judge === undefined) throw new Error('there are none');
  const lookUp = (found: LocatorTarget): Promise<LocatorTarget> => {
    const classes: ClassFinder = { find: () => Promise.resolve(found), all: () => Promise.resolve([]) };
    const text = locatorOfJudge(judge);
    const parsed = parseLocator(text);
    return targetOf({ text, locator: parsed.ok ? parsed.locator : undefined }, classes, '/p', '/p');
  };

  it.each(['no-file', 'elsewhere'] as const)('stand in for a class that is %s', async (status) => {
    expect(await lookUp({ status, file: '/p/x.py' })).toEqual({ status: 'built-in', judge });
  });

  it("leave a config the workspace's own", async () => {
    const found: LocatorTarget = { status: 'no-name', file: '/p/x.py', sites: [] };
    expect(await lookUp(found)).toBe(found);
  });
});
