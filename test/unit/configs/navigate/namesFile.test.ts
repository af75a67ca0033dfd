import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { namesFile } from '../../../../src/configs/core/navigate/namesFile.ts';

const project = path.resolve('/project');
const file = path.join(project, 'agents', 'math.ts');
const roots = [project, path.join(project, 'agents')];
const naming = (locator: string): string => `ajet:\n  rollout:\n    user_workflow: ${locator}\n`;

describe('namesFile', () => {
  it.each([
    ['from the workspace folder', naming('agents/math.ts->A'), true],
    ['from the folder of the config', naming('"./math.ts->A"'), true],
    ['by an absolute path', naming(`${file}->A`), true],
    ['for the judge', 'ajet:\n  task_judge: {judge_protocol: agents/math.ts->A}\n', true],
    ['another file', naming('agents/other.ts->A'), false],
    ['another workflow', naming('agents/math.ts->B'), false],
    ['a Python module', naming('agents.math->A'), false],
    ['no locator', naming('agents/math.ts # A'), false],
    ['a list', naming('[agents/math.ts->A]'), false],
    ['in a comment', `ajet:\n  rollout: # agents/math.ts->A\n`, false],
    ['nothing', 'ajet:\n', false],
    ['broken text', 'ajet: [ A\n', false],
    [
      'by the name that it registers',
      'mode: both\nbuffer:\n  explorer_input: {default_workflow_type: A}\nmodel: {model_path: m}\n',
      true,
    ],
    [
      'by a name of Trinity’s own',
      'mode: both\nbuffer:\n  explorer_input: {default_workflow_type: B}\nmodel: {model_path: m} # A\n',
      false,
    ],
    ['no config', 'user_workflow: agents/math.ts->A\n', false],
  ])('%s', (_, config, expected) => {
    expect(namesFile(config, { file, names: ['A'], roots }, path)).toBe(expected);
  });
});
