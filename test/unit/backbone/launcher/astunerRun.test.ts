/** What a config of ASTuner comes to on the debug backbone. */
import { describe, expect, it } from 'vitest';
import { astunerRun } from '../../../../src/configs/core/astuner/astunerRun.ts';
import { dialectOf } from '../../../../src/configs/core/dialect.ts';
import type { Config } from '../../../../src/configs/core/effectiveConfig.ts';
import { composeText } from '../../configs/memoryFiles.ts';

const steering = `
hydra:
  searchpath:
    - file://astuner/default_config
defaults:
  - astune_default
  - _self_
`;

async function run(section: string, files: Readonly<Record<string, string>> = {}): Promise<Config> {
  const text = `astuner:\n${section}\n${steering}`;
  const dialect = dialectOf(text);
  expect(dialect?.id).toBe('astuner');
  return astunerRun(await composeText(text, { files, ...(dialect && { dialect }) })).config;
}

describe('a config of ASTuner', () => {
  it.each([
    ['its workflow', '  rollout:\n    agentscope_workflow: a.py->A', 'ajet.rollout.user_workflow', 'a.py->A'],
    [
      'its workflow by the oldest name',
      '  rollout:\n    agentscope_learn_protocol: a.py->A',
      'ajet.rollout.user_workflow',
      'a.py->A',
    ],
    [
      'its workflow by the newest of several names, which is AgentJet’s',
      '  rollout:\n    user_workflow: c.py->C\n    agentscope_workflow: b.py->B',
      'ajet.rollout.user_workflow',
      'c.py->C',
    ],
    ['its reader', '  task_reader:\n    type: dataset_file', 'ajet.task_reader.type', 'jsonl_dataset_file'],
    [
      'where its data set is',
      '  task_reader:\n    dataset_file:\n      training:\n        file_path: a.jsonl',
      'ajet.task_reader.jsonl_dataset_file.training.file_path',
      'a.jsonl',
    ],
    [
      'a judge that is built in',
      '  task_judge:\n    judge_protocol: astuner.task_judge.math_answer_as_judge->MathAnswerAsJudge',
      'ajet.task_judge.judge_protocol',
      'tutorial.example_math_agent.math_answer_as_judge->MathAnswerAsJudge',
    ],
    [
      'a key of another place',
      '  trainer_common:\n    trinity_only__explorer_batchsize: 7',
      'ajet.data.train_batch_size',
      7,
    ],
    ['what is as it was', '  rollout:\n    num_repeat: 3', 'ajet.rollout.num_repeat', 3],
    ['its own defaults', '  project_name: p', 'ajet.debug.debug_max_parallel', 16],
    ['its own section, for its workflows', '  rollout:\n    num_repeat: 3', 'astuner.rollout.num_repeat', 3],
  ])('says %s', async (_, section, path, expected) => {
    expect((await run(section)).get(path)?.value).toBe(expected);
  });

  it('knows each value by its place and its name there', async () => {
    const config = await run('  rollout:\n    num_repeat: 3\n    agentscope_workflow: a.py->A');
    expect(config.locate('ajet.rollout.num_repeat')).toMatchObject({ line: 3 });
    expect(config.nameOf('ajet.rollout.num_repeat')).toBe('astuner.rollout.num_repeat');
    expect(config.locate('ajet.rollout.user_workflow')).toMatchObject({ line: 4 });
    expect(config.nameOf('ajet.rollout.user_workflow')).toBe('astuner.rollout.agentscope_workflow');
  });

  it('counts before the defaults of a clone, by whichever name', async () => {
    const files = {
      '/project/astuner/default_config/astune_default.yaml':
        'astuner:\n  rollout:\n    agentscope_workflow: example.py->Example\n    num_repeat: 9\n',
    };
    const newer = await run('  rollout:\n    user_workflow: own.py->Own', files);
    expect(newer.get('ajet.rollout.user_workflow')?.value).toBe('own.py->Own');
    const none = await run('  project_name: p', files);
    expect(none.get('ajet.rollout.user_workflow')?.value).toBe('example.py->Example');
    expect(none.get('ajet.rollout.num_repeat')?.value).toBe(9);
  });
});
