import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mostRecentFirst, namesWorkflow } from '../../../src/debug/namesWorkflow.ts';

const project = path.resolve('/project');
const file = path.join(project, 'agents', 'math.ts');
const roots = [project, path.join(project, 'agents')];
const naming = (locator: string): string => `ajet:\n  rollout:\n    user_workflow: ${locator}\n`;

describe('namesWorkflow', () => {
  it.each([
    ['from the workspace folder', naming('agents/math.ts->A'), true],
    ['from the folder of the config', naming('"./math.ts->A"'), true],
    ['by an absolute path', naming(`${file}->A`), true],
    ['another file', naming('agents/other.ts->A'), false],
    ['another workflow', naming('agents/math.ts->B'), false],
    ['a Python module', naming('agents.math->A'), false],
    ['no locator', naming('agents/math.ts'), false],
    ['a list', naming('[agents/math.ts->A]'), false],
    ['nothing', 'ajet:\n', false],
    ['broken text', 'ajet: [\n', false],
  ])('%s', (_, config, expected) => {
    expect(namesWorkflow(config, { file, workflows: ['A'], roots })).toBe(expected);
  });
});

describe('mostRecentFirst', () => {
  it('keeps the order of what was never used', () => {
    expect(mostRecentFirst(['a', 'b', 'c', 'd'], ['c', 'x', 'b'])).toEqual(['c', 'b', 'a', 'd']);
  });
});
