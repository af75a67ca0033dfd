import { describe, expect, it } from 'vitest';
import { parseLocator } from '../../../src/configs/core/locator.ts';

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
