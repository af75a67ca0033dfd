import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { dialectOf } from '../../../src/configs/core/dialect.ts';
import { migrateToAjet } from '../../../src/configs/core/migrate/migrateToAjet.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { applyEdits } from '../../../src/configs/core/text.ts';
import { findingsOf, fixed, lines, told } from './checking.ts';

const migrated = (text: string): string => applyEdits(text, migrateToAjet(parseConfig(text)));

describe('rewriting a config of ASTuner for AgentJet', () => {
  it('renames, moves and removes what changed, and keeps everything else', () => {
    const text = readFileSync(
      path.resolve(import.meta.dirname, '../../fixtures/configs/astuner_countdown.yaml'),
      'utf8',
    );
    expect(migrated(text)).toBe(
      lines(
        '# Reach a number with four others. Written for ASTuner.',
        'ajet:',
        '  project_name: countdown # keep',
        '  experiment_name: "first try"',
        '  task_reader:',
        '    type: jsonl_dataset_file',
        '    jsonl_dataset_file:',
        '      training:',
        '        file_path: data/countdown.jsonl # 4,000 rows',
        '      validation:',
        '        file_path: data/countdown_dev.jsonl',
        '  task_judge:',
        '    judge_type: customized_protocol',
        '    judge_protocol: tutorial.example_math_agent.math_answer_as_judge->MathAnswerAsJudge',
        '  model:',
        '    path: Qwen/Qwen2.5-3B-Instruct',
        '  rollout:',
        '    user_workflow: countdown.agent->CountdownWorkflow',
        '    force_disable_toolcalls: True # plain text is enough',
        '    num_repeat: 4',
        '    max_model_len: 8000',
        '    max_response_length_in_one_turn: ${ajet.data.max_response_length}',
        '    compute_madness_checklist:',
        '      - "nonsense"',
        '    n_vllm_engine: 2',
        '  data:',
        '    max_prompt_length: 1000',
        '    max_response_length: 6000',
        '    train_batch_size: 16',
        '  trainer_common:',
        '    total_epochs: 5',
        '    save_freq: 50',
        '    # Two of the four GPUs answer.',
        '    n_gpus_per_node: 4',
        '',
        'hydra:',
        '  searchpath:',
        '    - file://ajet/default_config',
        '    - file://ajet/default_config/verl # verl only',
        '    - file://ajet/default_config/trinity',
        'defaults:',
        '  - verl_default',
        '  - trinity_default',
        '  - ajet_default',
        '  - _self_',
      ),
    );
  });

  it('is offered at the section, and leaves nothing to tell that was not there before', async () => {
    const text = readFileSync(
      path.resolve(import.meta.dirname, '../../fixtures/configs/astuner_countdown.yaml'),
      'utf8',
    );
    const after = await fixed(text, 'Rewrite the file for AgentJet');
    expect(dialectOf(after)?.id).toBe('ajet');
    const before = new Set((await findingsOf(text)).map(({ rule }) => rule));
    expect((await findingsOf(after)).filter(({ rule }) => !before.has(rule))).toEqual([]);
    expect(
      await told(after, {}, 'unknown-key', 'removed-key', 'legacy-astuner-config', 'interpolation'),
    ).toEqual([]);
  });

  it('keeps the newer of two names, and what is set under the new one already', () => {
    const text = lines(
      'astuner:',
      '  rollout:',
      '    agentscope_learn_protocol: old.workflow->Old',
      '    agentscope_workflow: new.workflow->New',
      '    n_vllm_engine: 3',
      '  trainer_common:',
      '    trinity_only__n_vllm_engine: 2',
    );
    expect(migrated(text)).toBe(
      lines('ajet:', '  rollout:', '    user_workflow: new.workflow->New', '    n_vllm_engine: 3'),
    );
  });

  it('follows interpolations to where their keys have gone', () => {
    const text = lines(
      'astuner:',
      '  trainer_common: {total_epochs: 1}',
      '  rollout:',
      '    num_repeat: ${astuner.trainer_common.trinity_only__n_vllm_engine}',
      '    name: "x-${astuner.project_name}-astuner"',
    );
    expect(migrated(text)).toBe(
      lines(
        'ajet:',
        '  trainer_common: {total_epochs: 1}',
        '  rollout:',
        '    num_repeat: ${ajet.rollout.n_vllm_engine}',
        '    name: "x-${ajet.project_name}-astuner"',
      ),
    );
  });

  it('does nothing to other configs', () => {
    expect(migrateToAjet(parseConfig('ajet: {}\n'))).toEqual([]);
    expect(migrateToAjet(parseConfig(''))).toEqual([]);
  });
});
