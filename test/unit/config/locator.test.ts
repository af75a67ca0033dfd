import { describe, expect, it } from 'vitest';
import { findLocators } from '../../../src/config/findLocators.ts';
import { parseLocator } from '../../../src/config/locator.ts';

describe('parseLocator', () => {
  it.each([
    ['workflow.ts->MathAgentWorkflow', 'file', 'workflow.ts', 'MathAgentWorkflow'],
    ['./a b/agent.mts->$Agent', 'file', './a b/agent.mts', '$Agent'],
    ['C:\\x\\y.py->Y', 'file', 'C:\\x\\y.py', 'Y'],
    [
      'tutorial.example_math_agent.math_agent->ExampleMathLearn',
      'module',
      'tutorial.example_math_agent.math_agent',
      'ExampleMathLearn',
    ],
    ['agent->A', 'module', 'agent', 'A'],
    ['a.tsx->B', 'file', 'a.tsx', 'B'],
    ['a.cjs->B', 'file', 'a.cjs', 'B'],
  ])('reads %s', (text, kind, where, name) => {
    expect(parseLocator(text)).toEqual({ ok: true, locator: { kind, where, name } });
  });

  it.each([
    'workflow.ts',
    'a->b->C',
    '->C',
    'a.ts->',
    'a.ts->My Class',
    'a.ts -> B',
    ' a.ts->B',
    'a/b->C',
    'a-b.rb->C',
    '',
  ])('explains what is wrong with %j', (text) => {
    const result = parseLocator(text);
    expect(result).toMatchObject({ ok: false, problem: { code: 'config/locator' } });
  });
});

describe('findLocators', () => {
  const text = [
    'ajet:',
    '  rollout:',
    '    user_workflow: "workflow.ts->W"',
    '  task_judge:',
    '    judge_protocol: judge',
    '',
  ].join('\n');

  it('finds the workflow and the judge, with their places', () => {
    const { userWorkflow, judgeProtocol } = findLocators(text);
    expect(userWorkflow?.result).toMatchObject({ ok: true, locator: { where: 'workflow.ts', name: 'W' } });
    expect(text.slice(userWorkflow?.range.start.offset, userWorkflow?.range.end.offset)).toBe(
      '"workflow.ts->W"',
    );
    expect(userWorkflow?.range.start).toMatchObject({ line: 2, character: 19 });
    expect(judgeProtocol).toMatchObject({ text: 'judge', result: { ok: false } });
  });

  it('finds none where there is none', () => {
    expect(findLocators('ajet: {}\n')).toEqual({ userWorkflow: undefined, judgeProtocol: undefined });
    expect(findLocators('other:\n  rollout: 1\n').userWorkflow).toBeUndefined();
    expect(findLocators('ajet:\n  rollout:\n    user_workflow: ${x}\n').userWorkflow).toBeUndefined();
  });
});
