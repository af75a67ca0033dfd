import { describe, expect, it } from 'vitest';
import { complemented, completionsAt, labelsAt } from './caret.ts';

const lines = (...rows: string[]): string => rows.join('\n');

describe('keys', () => {
  it('offers what a section does not have yet', () => {
    const labels = labelsAt(
      lines('ajet:', '  rollout:', '    num_repeat: 4', '    |', '    temperature: 1.0'),
    );
    expect(labels).toContain('top_p');
    expect(labels).toContain('user_workflow');
    expect(labels).not.toContain('num_repeat');
    expect(labels).not.toContain('temperature');
    expect(labels).not.toContain('project_name');
  });

  it('completes a key that was begun', () => {
    const before = lines('ajet:', '  rollout:', '    num_r|', '  data: {}', '');
    expect(complemented(before, 'num_repeat')).toBe(
      lines('ajet:', '  rollout:', '    num_repeat: ', '  data: {}', ''),
    );
  });

  it('replaces the whole word around the caret', () => {
    expect(complemented('ajet:\n  dat|xx\n', 'data')).toBe('ajet:\n  data:\n    \n');
  });

  it('leaves the value of a key that has one', () => {
    expect(complemented('ajet:\n  data:\n    max_pr|: 3000\n', 'max_prompt_length')).toBe(
      'ajet:\n  data:\n    max_prompt_length: 3000\n',
    );
  });

  it('opens sections and lists on the next line', () => {
    expect(complemented('ajet:\n  |', 'task_judge')).toBe('ajet:\n  task_judge:\n    ');
    expect(complemented('ajet:\n  rollout:\n    |', 'compute_madness_checklist')).toBe(
      'ajet:\n  rollout:\n    compute_madness_checklist:\n      - ',
    );
  });

  it('keeps Windows line ends', () => {
    expect(complemented('ajet:\r\n  |\r\n', 'data')).toBe('ajet:\r\n  data:\r\n    \r\n');
  });

  it('follows the indentation of an empty line', () => {
    const text = (caret: string): string =>
      lines('ajet:', '  rollout:', '    multi_turn:', '      max_steps: 3', caret);
    expect(labelsAt(text('      |'))).toEqual(['max_sample_per_task', 'expected_steps']);
    expect(labelsAt(text('    |'))).toContain('val_kwargs');
    expect(labelsAt(text('  |'))).toContain('task_judge');
    expect(labelsAt(text('|'))).toContain('trinity');
  });

  it('offers nothing at an indentation that fits no section', () => {
    expect(labelsAt(lines('ajet:', '  rollout:', '    num_repeat: 4', '   |'))).toEqual([]);
    expect(labelsAt(lines('ajet:', '  rollout:', '    num_repeat: 4', '      |'))).toEqual([]);
  });

  it('works inside list items', () => {
    const list = lines('ajet:', '  task_reader:', '    feedback_tracing:', '      filters:');
    expect(labelsAt(`${list}\n        - |`)).toEqual(['type', 'enabled', 'params']);
    expect(labelsAt(`${list}\n        - type: deduplication\n          |`)).toEqual(['enabled', 'params']);
    expect(labelsAt(`${list}\n        - type: deduplication\n        - enabled: true\n          |`)).toEqual([
      'type',
      'params',
    ]);
    expect(labelsAt(`${list}\n      - enabled: true\n        |`)).toEqual(['type', 'params']);
    expect(labelsAt(`${list}\n        - enabled: true\n          params:\n            |`)).toContain(
      'db_path',
    );
  });

  it('does not mind broken text above and below', () => {
    const text = lines(
      'ajet:',
      '  data: [1, {',
      '  rollout:',
      '    num_repeat: "4',
      '    |',
      '  : : }',
      'defaults: [',
    );
    const labels = labelsAt(text);
    expect(labels).toContain('temperature');
    expect(labels).not.toContain('num_repeat');
  });

  it('knows quoted keys as present', () => {
    expect(labelsAt('ajet:\n  model:\n    "path": x\n    |')).toEqual([]);
  });

  it('says type and default, and puts keys without effect last', () => {
    const completions = completionsAt('ajet:\n  rollout:\n    |');
    const bySort = [...completions].sort((a, b) => (a.sortText < b.sortText ? -1 : 1));
    expect(bySort.findIndex((one) => one.label === 'max_num_seqs')).toBeGreaterThan(
      bySort.findIndex((one) => one.label === 'val_kwargs'),
    );
    const repeat = completions.find((one) => one.label === 'num_repeat');
    expect(repeat).toMatchObject({ detail: 'integer = 4', kind: 'key' });
    expect(repeat?.documentation).toContain('ajet.rollout.num_repeat');
  });

  it('is silent in comments, in texts of several lines and where the table knows nothing', () => {
    expect(labelsAt('ajet:\n  # ro|')).toEqual([]);
    expect(labelsAt('ajet:\n  project_name: x # |')).toEqual([]);
    expect(labelsAt('ajet:\n  project_name: >-\n    |')).toEqual([]);
    expect(labelsAt('frozen_lake:\n  of_mine:\n    |')).toEqual([]);
  });
});

describe('the order of keys', () => {
  const inOrder = (marked: string): string[] =>
    [...completionsAt(marked)].sort((a, b) => (a.sortText < b.sortText ? -1 : 1)).map((one) => one.label);

  it('is required ones, common ones, then the table, then what nobody should begin to use', () => {
    const rollout = inOrder('ajet:\n  rollout:\n    |');
    expect(rollout[0]).toBe('user_workflow');
    expect(rollout.indexOf('num_repeat')).toBeLessThan(rollout.indexOf('gamma'));
    expect(rollout.indexOf('max_num_seqs')).toBeGreaterThan(rollout.indexOf('vllm_tool_parser'));
    const cluster = inOrder('checkpoint_root_dir: x\nmodel: {}\ncluster:\n  |');
    expect(cluster.slice(0, 2).sort()).toEqual(['gpu_per_node', 'node_num']);
    expect(cluster.at(-1)).toBe('trainer_gpu_num_per_node');
  });

  it('strikes out what is renamed, computed or retired', () => {
    const optimizer = completionsAt('explorer: {}\nmodel: {}\nalgorithm:\n  optimizer:\n    |');
    const struck = optimizer.filter((one) => one.deprecated).map((one) => one.label);
    expect(struck).toEqual(['warmup_style']);
  });
});

describe('sections', () => {
  const model = '/path/to/model/such/as/Qwen/Qwen2___5-14B-Instruct';

  it('come with the keys that they have to have, as a snippet', () => {
    const snippet = completionsAt('ajet:\n  |').find((one) => one.label === 'model');
    expect(snippet).toMatchObject({ snippet: true, kind: 'section', opensNext: false });
    expect(snippet?.edit.newText).toBe(`model:\n    path: \${1:${model}}`);
  });

  it('nest, number their placeholders, and offer choices', () => {
    const ajet = completionsAt('|').find((one) => one.label === 'ajet');
    expect(ajet?.edit.newText.split('\n')).toEqual([
      'ajet:',
      '  model:',
      `    path: \${1:${model}}`,
      '  rollout:',
      '    user_workflow: ${2:tutorial.example_appworld.appworld->ExampleAgentScopeWorkflow}',
      '  task_reader:',
      '    type: ${3|huggingface_dat_repo,env_service,jsonl_dataset_file,tracing,data_generation,random_dummy,deep_finance|}',
    ]);
  });

  it('take for chosen what they are chosen by', () => {
    const reader = completionsAt('ajet:\n  task_reader:\n    |').find(
      (one) => one.label === 'jsonl_dataset_file',
    );
    expect(reader?.edit.newText.split('\n')).toEqual([
      'jsonl_dataset_file:',
      '      training:',
      '        file_path: ${1:/path/to/training/data.jsonl}',
      '      validation:',
      '        file_path: ${2:/path/to/validation/data.jsonl}',
    ]);
  });

  it('are plain where a value follows already, and in braces', () => {
    expect(complemented('ajet:\n  mod|: {}', 'model')).toBe('ajet:\n  model: {}');
    expect(complemented('ajet: {mod|}', 'model')).toBe('ajet: {model: }');
  });
});

describe('in brackets', () => {
  it('offers the keys that braces do not have yet', () => {
    const labels = labelsAt('ajet:\n  rollout: {num_repeat: 4, |, top_p: 1}');
    expect(labels).toContain('temperature');
    expect(labels).not.toContain('num_repeat');
    expect(labels).not.toContain('top_p');
    expect(labelsAt('ajet: {data: {train_batch_size: 8}, rollout: {val_kwargs: {te|}}}')).toContain(
      'temperature',
    );
  });

  it('offers values, and items that a list does not have yet', () => {
    expect(complemented('ajet: {backbone: d|}', 'verl')).toBe('ajet: {backbone: verl}');
    expect(complemented('ajet: {backbone:|, data: {}}', 'debug')).toBe('ajet: {backbone: debug, data: {}}');
    expect(labelsAt('ajet:\n  rollout:\n    compute_madness_checklist: [nonsense, |]')).toEqual([
      'non_ascii',
      'wrong_toolcall',
      'format_type_1',
      'un-paired-think',
    ]);
    expect(labelsAt('ajet: {task_reader: {feedback_tracing: {filters: [{type: x}, {|}]}}}')).toEqual([
      'type',
      'enabled',
      'params',
    ]);
  });

  it('follows brackets over several lines, and comes out of them', () => {
    expect(
      labelsAt('ajet:\n  rollout: {\n    num_repeat: 4, # }\n    "temperature": 1,\n    |\n  }\n'),
    ).toContain('top_p');
    expect(labelsAt('ajet:\n  rollout: {num_repeat: 4}\n  |')).toContain('task_judge');
    expect(labelsAt('ajet:\n  rollout: {num_repeat: 4,\n  |')).toContain('task_judge');
    expect(labelsAt('ajet:\n  project_name: "{|"\n')).not.toContain('rollout');
    expect(labelsAt('ajet:\n  project_name: a{b: |')).not.toContain('rollout');
  });
});

describe('other dialects', () => {
  it('offers what Trinity has at a place, free names aside', () => {
    const head = 'checkpoint_root_dir: x\nmodel: {}\n';
    expect(labelsAt(`${head}synchronizer:\n  sync_method: |`)).toEqual([
      'nccl',
      'hccl',
      'checkpoint',
      'memory',
      'online',
      'offline',
    ]);
    const buffers = `${head}buffer:\n  trainer_input:\n    auxiliary_buffers:\n`;
    expect(labelsAt(`${buffers}      |`)).toEqual([]);
    expect(labelsAt(`${buffers}      mine:\n        |`)).toContain('storage_type');
    expect(labelsAt(`${head}algorithm:\n  policy_loss_fn_args:\n    |`)).toEqual([]);
    expect(labelsAt(`${head}|`)).toContain('explorer');
    expect(labelsAt(`${head}stages:\n  - |`)).toContain('stage_name');
  });

  it('says what is known about a single value', () => {
    const advantages = completionsAt('explorer: {}\nmodel: {}\nalgorithm:\n  advantage_fn: |');
    expect(advantages.find((one) => one.label === 'rloo')?.documentation).toMatch(/^\*\*`algorithm/);
    expect(advantages.find((one) => one.label === 'ppo')?.documentation).toMatch(
      /^`ppo`: gamma 1\.0; lam 1\.0/,
    );
  });

  it('offers what is passed on to the backbones', () => {
    expect(labelsAt('ajet: {}\ntrinity:\n  buffer:\n    |')).toContain('explorer_input');
    expect(labelsAt('ajet: {}\nactor_rollout_ref:\n  actor:\n    strategy: |')).toEqual([
      'fsdp',
      'fsdp2',
      'megatron',
    ]);
  });

  it('offers what the predecessor had', () => {
    expect(labelsAt('astuner:\n  rollout:\n    |')).toContain('agentscope_workflow');
  });
});

describe('values', () => {
  it('offers the allowed values', () => {
    expect(labelsAt('ajet:\n  task_reader:\n    type: |')).toContain('jsonl_dataset_file');
    expect(complemented('ajet:\n  backbone: tri|', 'trinity')).toBe('ajet:\n  backbone: trinity');
    expect(complemented('ajet:\n  backbone: de|bug # x', 'verl')).toBe('ajet:\n  backbone: verl # x');
  });

  it('offers booleans, the default and null', () => {
    expect(labelsAt('ajet:\n  trainer_common:\n    val_before_train: |')).toEqual(['true', 'false']);
    expect(labelsAt('ajet:\n  rollout:\n    num_repeat: |')).toEqual(['4']);
    expect(labelsAt('ajet:\n  task_judge:\n    judge_protocol: |')).toContain('null');
  });

  it('adds the blank behind the colon', () => {
    expect(complemented('ajet:\n  backbone:|', 'debug')).toBe('ajet:\n  backbone: debug');
  });

  it('keeps quotes', () => {
    expect(complemented('ajet:\n  backbone: "ve|"', 'verl')).toBe('ajet:\n  backbone: "verl"');
    expect(complemented("ajet:\n  backbone: '|'", 'verl')).toBe("ajet:\n  backbone: 'verl'");
  });

  it('offers the items that a list does not have yet', () => {
    const list = lines(
      'ajet:',
      '  rollout:',
      '    compute_madness_checklist:',
      '      - "nonsense"',
      '      - |',
    );
    expect(labelsAt(list)).toEqual(['non_ascii', 'wrong_toolcall', 'format_type_1', 'un-paired-think']);
    expect(complemented(list, 'non_ascii').endsWith('      - non_ascii')).toBe(true);
    expect(labelsAt('defaults:\n- ajet_default\n- |')).toEqual(['verl_default', 'trinity_default', '_self_']);
  });

  it('offers nothing for values that only the user knows', () => {
    expect(labelsAt('ajet:\n  task_reader:\n    feedback_tracing:\n      base_url: |')).toEqual([]);
  });
});
