/** The config that a call of AgentScope's `tune` comes to. */
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { dialectOf } from '../../../src/configs/core/dialect.ts';
import { tuneConfig } from '../../../src/configs/core/trinity/tuneConfig.ts';
import { auxiliaryModels, trinityRun, workflowKey } from '../../../src/configs/core/trinity/trinityRun.ts';
import type { TuneCall } from '../../../src/configs/core/trinity/tuneCall.ts';
import { findingsOf, lines, told } from './checking.ts';
import { composeText } from './memoryFiles.ts';

const at = new Date(2026, 0, 2, 3, 4, 5);
const locators = { workflow: 'main.py->solve', judge: 'judge.py->score' };
const place = { file: '/p/main.py', name: 'solve' };
const call = (given: TuneCall['given'], judge = true): TuneCall => ({
  ...{
    package: 'tuner',
    agentscopeWithout: null,
    workflow: place,
    judge: judge ? place : null,
    file: '/p/main.py',
    line: 1,
    given,
  },
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

describe('a config that a script completes', () => {
  const config = lines(
    'project: AgentScope',
    'checkpoint_root_dir: /c',
    'algorithm: {algorithm_type: grpo}',
    'buffer: {batch_size: 1}',
  );
  const script = (...given: readonly string[]): string => `from agentscope.tuner import tune
tune(workflow_func=solve, ${given.join('')}config_path='exp.yaml')
`;
  const findings = (files: Readonly<Record<string, string>>): Promise<string[]> =>
    told(config, { files }, 'missing-key', 'trinity-tasksets', 'trinity-group-size');
  const all = [
    '1 warning missing-key: project: AgentScope',
    '3 information trinity-group-size: grpo',
    '4 information trinity-tasksets: buffer',
  ];

  it.each(['/project/conf/main.py', '/project/main.py'])(
    'has no findings about what %s sets',
    async (file) => {
      const complete = script('model=m, ', 'train_dataset=d, ', 'algorithm=a, ');
      expect(await findings({ [file]: complete })).toEqual([]);
      expect(await findings({ [file]: script('train_dataset=d, ') })).toEqual(all.slice(0, 2));
      expect(await findings({ [file]: complete.replace('exp.yaml', 'other.yaml') })).toEqual(all);
      expect(await findings({ [file]: complete.replace('agentscope.tuner', 'mine') })).toEqual(all);
    },
  );

  const site = '/project/.venv/lib/python3.11/site-packages';
  it.each([
    ['2.0.10', script(), ['4 warning agentscope-tuner: buffer']],
    ['1.0.21', script(), []],
    ['1.0.12', script().replace('.tuner', '.tune'), ['4 warning agentscope-tuner: buffer']],
    ['1.0.8', script().replace('.tuner', '.tune'), []],
  ])(
    'has a finding if AgentScope %s does not have the package that the script imports',
    async (version, text, expected) => {
      const files = { '/project/main.py': text, [`${site}/agentscope-${version}.dist-info/METADATA`]: '' };
      expect(await told(config, { files }, 'agentscope-tuner')).toEqual(expected);
    },
  );
});

describe('the base config of a job', () => {
  const config = lines(
    'ajet:',
    '  data: {max_prompt_length: 30000}',
    'hydra: {searchpath: [file://ajet/default_config, file://ajet/default_config/verl]}',
    'defaults: [verl_default, ajet_default, _self_]',
  );
  const findings = (script: string): Promise<string[]> => {
    const files = { '/project/main.py': `from ajet import AgentJetJob\n${script}` };
    return told(config, { files }, 'missing-key', 'lengths-exceed-model-len');
  };
  const lengths = '2 error lengths-exceed-model-len: 30000';
  const missing = Array.from({ length: 4 }, () => '1 warning missing-key: ajet');

  it.each([
    ['the base', 'AgentJetJob(base_yaml_config="exp.yaml")', [...missing, lengths]],
    ['its model', 'AgentJetJob(base_yaml_config="exp.yaml", model="m")', [...missing.slice(1), lengths]],
    [
      'its workflow, data and lengths',
      `job = AgentJetJob(base_yaml_config="exp.yaml", model="m", max_model_len=50000)
job.set_workflow(W)
job.config.ajet.task_reader.type = "random_dummy"`,
      [],
    ],
    ['nothing', 'AgentJetJob(model="m", max_model_len=50000) # exp.yaml', [...missing, lengths]],
  ])('has no findings about what the script sets: %s', async (_, script, expected) => {
    expect(await findings(script)).toEqual(expected);
  });
});

it('a config that names a workflow adapter of the tuner has a finding if AgentScope 2 is installed', async () => {
  const files = { '/project/.venv/lib/python3.11/site-packages/agentscope-2.0.10.dist-info/METADATA': '' };
  const taskset = '{path: x, default_workflow_type: agentscope_workflow_adapter_v1}';
  const text = lines('checkpoint_root_dir: /c', `buffer: {explorer_input: {taskset: ${taskset}}}`);
  const [finding, ...others] = await findingsOf(text, { files }, { rules: {} }).then((all) =>
    all.filter(({ rule }) => rule === 'agentscope-tuner'),
  );
  expect([finding?.message, others]).toEqual([expect.stringContaining('"agentscope>=1.0.12,<2"'), []]);
});
