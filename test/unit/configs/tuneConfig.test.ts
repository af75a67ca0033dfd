/** The config that a call of AgentScope's `tune` comes to. */
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { dialectOf } from '../../../src/configs/core/dialect.ts';
import { tuneConfig } from '../../../src/configs/core/trinity/tuneConfig.ts';
import { auxiliaryModels, trinityRun, workflowKey } from '../../../src/configs/core/trinity/trinityRun.ts';
import type { TuneCall } from '../../../src/configs/core/trinity/tuneCall.ts';
import { composeText } from './memoryFiles.ts';

const at = new Date(2026, 0, 2, 3, 4, 5);
const locators = { workflow: 'main.py->solve', judge: 'judge.py->score' };
const place = { file: '/p/main.py', name: 'solve' };
const call = (given: TuneCall['given'], judge = true): TuneCall => ({
  ...{ package: 'tuner', workflow: place, judge: judge ? place : null, file: '/p/main.py', line: 1, given },
});

const dataset = { path: 'data', name: 'main', split: 'train', total_epochs: 2, total_steps: null };
const model = {
  model_path: 'Qwen/Qwen3-0.6B',
  max_model_len: 2000,
  temperature: 1,
  top_p: 1,
  max_tokens: 500,
  enable_thinking: null,
  tensor_parallel_size: 2,
  inference_engine_num: 4,
  tool_call_parser: 'hermes',
  reasoning_parser: 'deepseek_r1',
  tinker_config: null,
};
const algorithm = {
  ...{ algorithm_type: 'grpo', learning_rate: 2e-6, group_size: 3, batch_size: 16 },
  ...{ save_interval_steps: 5, eval_interval_steps: 7 },
};

describe('the config of a call of tune', () => {
  it('has what the call gives over the template, each by its name in Trinity', () => {
    const given = {
      ...{ train_dataset: dataset, eval_dataset: { ...dataset, split: 'test' }, model, algorithm },
      auxiliary_models: { critic: { ...model, model_path: 'critic' } },
      ...{ project_name: 'mine', monitor_type: 'wandb' },
    };
    const { config, unused } = tuneConfig(call(given), undefined, locators, at);
    expect(unused).toEqual([]);
    expect(stringify(config)).toMatchSnapshot();
  });

  it('lays it over the config that it names, and leaves alone what it does not give', () => {
    const base = {
      name: 'named',
      buffer: { batch_size: 4, explorer_input: { taskset: { path: 'old', workflow_args: { kept: 1 } } } },
      algorithm: { repeat_times: 8 },
    };
    const { config } = tuneConfig(call({}, false), base, { ...locators, judge: undefined }, at);
    const adapter = 'agentscope_workflow_adapter_v1';
    expect(config).toEqual({
      ...base,
      buffer: {
        batch_size: 4,
        explorer_input: {
          default_workflow_type: adapter,
          taskset: {
            ...{ path: 'old', default_workflow_type: adapter },
            workflow_args: { kept: 1, workflow_func: 'main.py->solve' },
          },
        },
      },
    });
    expect(base.buffer.explorer_input).not.toHaveProperty('default_workflow_type');
  });

  it('says what of the call reaches nobody', () => {
    const given = {
      model: { ...model, temperature: 0.5, enable_thinking: true },
      experiment_name: 'mine',
    };
    const base = { name: 'named', model: { temperature: 0.7 } };
    expect(tuneConfig(call(given), base, locators, at).unused).toEqual([
      'tune() ignores `temperature=0.5` of TunerModelConfig. In training it uses model.temperature of the config.',
      "tune() ignores `enable_thinking=true` of TunerModelConfig. In training it uses Trinity-RFT's default.",
      'tune() ignores its experiment_name. In training the name of the experiment is "named".',
    ]);
  });

  it('is one that runs the functions on the debug backbone', async () => {
    const given = { train_dataset: dataset, model, algorithm, auxiliary_models: { critic: model } };
    const text = stringify(tuneConfig(call(given), undefined, locators, at).config);
    const dialect = dialectOf(text);
    expect(dialect?.id).toBe('trinity');
    const { config, problems } = trinityRun(await composeText(text, { ...(dialect && { dialect }) }));
    expect(problems).toEqual([]);
    expect(config.string(workflowKey(config, 'training'))).toBe('main.py->solve');
    expect(config.get('ajet.task_judge.judge_protocol')).toMatchObject({
      value: 'judge.py->score',
      origin: { kind: 'file' },
    });
    expect(config.integer('ajet.rollout.num_repeat')).toBe(3);
    expect(config.integer('ajet.rollout.max_response_length_in_one_turn')).toBe(500);
    expect(auxiliaryModels(config)).toEqual(['critic']);
  });
});
