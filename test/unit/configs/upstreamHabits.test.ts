import { describe, expect, it } from 'vitest';
import { bundledDefault } from '../../../src/configs/core/compose/bundledDefaults.ts';
import { dialectOf } from '../../../src/configs/core/dialect.ts';
import { ajetKeys } from '../../../src/configs/core/key-tables/keyTable.ts';
import { valueAt } from '../../../src/configs/core/rules/across/settings.ts';
import { findingsOf, fixed, lines, site, told } from './checking.ts';

const steering = lines(
  'hydra: {searchpath: [file://ajet/default_config]}',
  'defaults: [verl_default, ajet_default, _self_]',
);
const swarm = (more: string): string =>
  lines('ajet:', '  enable_swarm_mode: true', '  enable_interchange_server: true', more) + steering;
const trinity = (...rows: string[]): string =>
  lines('project: p', 'checkpoint_root_dir: /c', 'model: {model_path: m}', ...rows);

describe('what upstream writes itself is no mistake', () => {
  it('a swarm has no workflow of its own; elsewhere null is as good as none', async () => {
    const workflow = '  rollout: {user_workflow: null}';
    expect(await told(swarm(workflow), {}, 'wrong-type', 'missing-key')).not.toContainEqual(
      expect.stringContaining('user_workflow'),
    );
    const findings = await findingsOf(lines('ajet:', workflow) + steering);
    const missing = findings.filter(({ message }) => message.includes('user_workflow'));
    expect(missing).toMatchObject([{ rule: 'missing-key', range: { start: { line: 1 } } }]);
    expect(missing[0]?.message).toContain('is null');
  });

  it('a key that the program keeps may stand there with the value that it starts with', async () => {
    const server = (value: string): string => swarm(`  interchange_server: {already_started: ${value}}`);
    expect(await told(server('False'), {}, 'computed-key')).toEqual([]);
    expect(await told(server('True'), {}, 'computed-key')).toEqual([
      '4 warning computed-key: already_started',
    ]);
  });

  it('LoRA outside a swarm is not held to what the job class wants', async () => {
    const lora = '  lora: {lora_rank: 32, load_format: safetensors}';
    expect(await told(lines('ajet:', lora) + steering, {}, 'lora-settings')).toEqual([
      '2 information lora-settings: 32',
      '2 information lora-settings: 32',
    ]);
    expect(await told(swarm(lora), {}, 'lora-settings')).toContain('4 warning lora-settings: 32');
  });

  it('an older name of a required key is that key', async () => {
    const old = lines(
      'astuner:',
      '  rollout: {agentscope_learn_protocol: my.agent->Agent}',
      '  trainer_common: {logger: [console, swanlab], algorithm: {task_norm_patch: false}}',
      '  task_reader: {data_generation: {query_reader: {type: dataset_file}}}',
      '  task_judge: {rubrics_auto_grader: {input_data_type: dataset_file}}',
      'hydra: {searchpath: [file://astuner/default_config]}',
      'defaults: [astune_default, _self_]',
    );
    const findings = await findingsOf(old);
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(findings.map(({ message }) => message)).not.toContainEqual(
      expect.stringMatching(/agentscope_workflow` is not set|task_norm_patch` is not/),
    );
  });

  it('a section kept for another judge may name a file that is not there', async () => {
    const text = (judge: string): string =>
      lines(
        'ajet:',
        '  task_judge:',
        `    judge_type: ${judge}`,
        '    rubrics_auto_grader:',
        '      input_data_type: jsonl_dataset_file',
        '      jsonl_dataset_file: {training: {file_path: data/rubrics.jsonl}}',
      );
    const files = { '/project/data/other.jsonl': '' };
    expect(await told(text('customized_protocol'), { files }, 'missing-path')).toEqual([]);
    expect(await told(text('rubrics_auto_grader'), { files }, 'missing-path')).toEqual([
      '6 warning missing-path: data/rubrics.jsonl',
    ]);
  });

  it('null where another key says that nothing is read is not worth a word', async () => {
    expect(await told(swarm('  rollout: {user_workflow: null}'), {}, 'not-applied')).toEqual([]);
    expect(await told(swarm('  rollout: {user_workflow: a.b->C}'), {}, 'not-applied')).toEqual([
      '4 hint not-applied: a.b->C',
    ]);
  });

  it('critic.enable may be null, as verl has it', async () => {
    const text = lines('ajet: {project_name: x}', 'critic: {enable: null}') + steering;
    expect(await told(text, {}, 'wrong-type')).toEqual([]);
  });

  it('a class whose bases lead to a workflow of the workspace is one, whatever their names', async () => {
    const text = lines('ajet:', '  rollout: {user_workflow: agent.py->Mine}');
    const found = (role: 'workflow' | 'neither') => ({
      targets: { Mine: { status: 'found', site: { ...site('Mine', ['Helper']), role } } } as const,
    });
    expect(await told(text, found('workflow'), 'locator-base')).toEqual([]);
    expect(await told(text, found('neither'), 'locator-base')).toEqual([
      '2 warning locator-base: agent.py->Mine',
    ]);
  });
});

describe("a config of AgentJet's predecessor", () => {
  it('is told which defaults will differ, but for those it sets', async () => {
    const text = lines('astuner:', '  rollout: {max_env_worker: 32}');
    const [found] = (await findingsOf(text)).filter(({ rule }) => rule === 'legacy-astuner-config');
    expect(found?.message).toContain('`n_vllm_engine` 2 → 1');
    expect(found?.message).not.toContain('max_env_worker');
  });
});

describe('names of the first days of AgentJet', () => {
  it('are told with the name that is read', async () => {
    const text = lines(
      'ajet:',
      '  rollout:',
      '    agentscope_workflow: my.agent->Agent',
      '    num_repeat: 4',
    );
    expect(await told(text, {}, 'renamed-key')).toEqual(['3 warning renamed-key: agentscope_workflow']);
    expect(await fixed(text, 'Rename to `user_workflow`')).toBe(
      text.replace('agentscope_workflow', 'user_workflow'),
    );
  });
});

describe('a file of `defaults` that is not here', () => {
  const based = lines(
    'ajet:',
    '  rollout: {max_model_len: 15000}',
    'hydra: {searchpath: [file://elsewhere/conf]}',
    'defaults: [my_base, _self_]',
  );

  it('is a warning while a folder of the search path is missing too, else an error', async () => {
    expect(await told(based, {}, 'defaults')).toEqual(['4 warning defaults: my_base']);
    const files = { '/project/elsewhere/conf/other.yaml': 'a: 1\n' };
    expect(await told(based, { files }, 'defaults')).toEqual(['4 error defaults: my_base']);
  });

  it('may set whatever the config does not, so nothing is concluded from usual values', async () => {
    expect(await told(based, {}, 'lengths-exceed-model-len')).toEqual([]);
    const whole = based.replace('my_base', 'ajet_default');
    expect(await told(whole, {}, 'lengths-exceed-model-len')).toEqual([
      '2 error lengths-exceed-model-len: 15000',
    ]);
  });
});

describe('mistakes that people make', () => {
  it('`_self_` before the defaults', async () => {
    const text = lines(
      'ajet: {project_name: x}',
      'defaults:',
      '  - _self_ # mine',
      '  - verl_default',
      '  - ajet_default',
    );
    expect(await told(text, {}, 'defaults')).toEqual(['3 warning defaults: _self_']);
    expect(await fixed(text, 'Put `_self_` at the end')).toBe(
      lines(
        'ajet: {project_name: x}',
        'defaults:',
        '  - verl_default # mine',
        '  - ajet_default',
        '  - _self_',
      ),
    );
    expect(await told(text.replace('  - _self_ # mine\n', ''), {}, 'defaults')).toEqual([]);
  });

  it('a scheme with one slash', async () => {
    const text = lines('ajet: {}', 'hydra: {searchpath: ["file:/conf"]}', 'defaults: [ajet_default]');
    expect(await told(text, {}, 'search-path')).toEqual(['2 error search-path: "file:/conf"']);
  });

  it('a slip in the name of a section at the top, but not a section of their own', async () => {
    const top = (name: string): string => lines('ajet: {project_name: x}', `${name}: {rollout: {n: 1}}`);
    expect(await told(top('actor_rollout_reff'), {}, 'unknown-key')).toEqual([
      '2 information unknown-key: actor_rollout_reff',
    ]);
    expect(await told(top('frozen_lake'), {}, 'unknown-key')).toEqual([]);
  });

  it('a section one level too deep, and a key in the wrong section', async () => {
    const text = trinity('synchronizer:', '  sync_interval: 2', '  trainer: {save_interval: 5}');
    const [first] = (await findingsOf(text)).filter(({ rule }) => rule === 'unknown-key');
    expect(first?.message).toContain('`trainer` is a section at the top level of the file');
    const misplaced = trinity('algorithm:', '  algorithm_type: grpo', '  batch_size: 32');
    expect(await fixed(misplaced, 'Move to `buffer.batch_size`')).toBe(
      trinity('algorithm:', '  algorithm_type: grpo', 'buffer:', '  batch_size: 32'),
    );
  });

  it('a key that only the documentation of Trinity-RFT has', async () => {
    const text = trinity('model:', '  tinker:', '    enable: true', '    base_model: Qwen/Qwen3-4B');
    const found = (await findingsOf(text)).find(({ rule }) => rule === 'unknown-key');
    expect(found?.message).toContain('Did you mean `model.model_path`?');
    expect(await fixed(text, 'Move to `model.model_path`')).toBe(
      trinity('model:', '  tinker:', '    enable: true', '  model_path: Qwen/Qwen3-4B'),
    );
    const both = trinity('model:', '  model_path: a/b', '  tinker:', '    base_model: a/b');
    expect(await fixed(both, 'Remove `base_model`')).toBe(trinity('model:', '  model_path: a/b'));
  });

  it("Python's None for null", async () => {
    const text = lines('ajet:', '  rollout:', '    compute_madness_checklist: None');
    expect(await fixed(text, 'Change to []')).toContain('compute_madness_checklist: []');
    const seed = trinity('explorer:', '  rollout_model:', '    max_model_len: None');
    expect(await fixed(seed, 'Change to null')).toContain('max_model_len: null');
  });
});

describe('one thing is told once', () => {
  it('a null that stops the launcher', async () => {
    const text = lines('ajet:', '  backbone: verl', '  trainer_common: {save_freq: null}') + steering;
    expect(await told(text, {}, 'wrong-type', 'null-not-convertible')).toEqual([
      '3 error null-not-convertible: null',
    ]);
  });

  it('a trainer file that is refused, and a runner count that nothing reads', async () => {
    const text = trinity('trainer: {trainer_config_path: old.yaml}', 'explorer: {runner_num: 4}');
    expect(await told(text, {}, 'deprecated-key', 'trinity-trainer', 'renamed-key', 'unused-key')).toEqual([
      '4 error trinity-trainer: old.yaml',
      '5 warning renamed-key: runner_num',
    ]);
  });
});

describe('defaults that come with this program', () => {
  it('keep floats that are whole numbers floats', () => {
    const trinityDefault = bundledDefault('trinity_default', ajetKeys());
    const type = (path: string): string | undefined => {
      const value = valueAt(trinityDefault, path.split('.'));
      return value?.kind === 'scalar' ? value.type : undefined;
    };
    expect(type('trinity.trainer.grad_clip')).toBe('float');
    expect(type('trinity.algorithm.policy_loss_fn_args.clip_ratio_c')).toBe('float');
    expect(type('trinity.buffer.batch_size')).toBe('integer');
  });
});

describe('files of other programs', () => {
  it.each([
    [
      'trainer:\n  nnodes: 1\ndata:\n  train_files: x\nactor_rollout_ref: {}\nalgorithm: {adv_estimator: gae}\n',
    ],
    ['name: ci\non: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n'],
    ['services:\n  web:\n    image: nginx\nvolumes: {}\n'],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: {name: explorer}\n'],
    ['model:\n  name: x\ntrainer:\n  epochs: 1\nmode: train\nproject: p\n'],
  ])('are none of ours: %j', (text) => {
    expect(dialectOf(text)).toBeUndefined();
  });
});
