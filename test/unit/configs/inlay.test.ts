import { describe, expect, it } from 'vitest';
import { dialectOf } from '../../../src/configs/core/dialect.ts';
import { inlayHints } from '../../../src/configs/core/inlay/inlayHints.ts';
import { parseConfig } from '../../../src/configs/core/parse.ts';
import { readContext } from '../../../src/configs/core/readContext.ts';
import { memoryFiles, posix, type Composing } from './memoryFiles.ts';

interface Around extends Composing {
  readonly rows?: (file: string) => Promise<number | undefined>;
}

/** The text with its hints where they stand, each as `‹…›`. */
async function shown(
  text: string,
  { files = {}, environment = () => undefined, rows }: Around = {},
): Promise<string> {
  const dialect = dialectOf(text);
  if (dialect === undefined) throw new Error('of no dialect');
  const context = await readContext(parseConfig(text), dialect, {
    file: '/project/conf/exp.yaml',
    cwd: '/project',
    files: memoryFiles(files),
    paths: posix,
    environment,
    classes: { find: () => Promise.resolve({ status: 'elsewhere' }), all: () => Promise.resolve([]) },
    ...(rows && { rows }),
  });
  const hints = inlayHints(context);
  expect(hints.map(({ offset }) => offset)).toEqual(hints.map(({ offset }) => offset).sort((a, b) => a - b));
  return hints.reduceRight(
    (all, hint) => `${all.slice(0, hint.offset)} ‹${hint.text}›${all.slice(hint.offset)}`,
    text,
  );
}

const steering = `hydra:
  searchpath: [file://ajet/default_config]
defaults: [ajet_default, _self_]
`;

describe('inlay hints of an AgentJet config', () => {
  it('show totals, and what Trinity and verl make of them', async () => {
    const text = `ajet:
  data:
    train_batch_size: 8
  rollout:
    num_repeat: 4
    n_vllm_engine: 2
    max_env_worker: 200
    max_model_len: 1000
    tensor_model_parallel_size: 1
    multi_turn:
      expected_steps: 2
  trainer_common:
    n_gpus_per_node: 8
    nnodes: 1
${steering}`;
    expect(await shown(text)).toBe(`ajet:
  data:
    train_batch_size: 8
  rollout:
    num_repeat: 4 ‹8 × 4 = 32 episodes per step›
    n_vllm_engine: 2 ‹Trinity: 2 of 8 GPUs explore, 6 train›
    max_env_worker: 200 ‹Trinity: runner_per_model 64›
    max_model_len: 1000 ‹≤ 32,000 tokens per step›
    tensor_model_parallel_size: 1
    multi_turn:
      expected_steps: 2 ‹Trinity: train_batch_size 66›
  trainer_common:
    n_gpus_per_node: 8 ‹verl: 8 GPUs explore and train›
    nnodes: 1
${steering}`);
  });

  it('speak of the backbone only that the config names', async () => {
    const text = (backbone: string) => `ajet:
  backbone: ${backbone}
  rollout:
    n_vllm_engine: 8
  trainer_common:
    n_gpus_per_node: 8
${steering}`;
    expect(await shown(text('verl'))).toContain('n_gpus_per_node: 8 ‹verl: 8 GPUs explore and train›');
    expect(await shown(text('verl'))).not.toContain('Trinity');
    expect(await shown(text('trinity'))).toContain(
      'n_vllm_engine: 8 ‹Trinity: 8 of 8 GPUs explore, none train›',
    );
    expect(await shown(text('trinity'))).not.toContain('verl:');
  });

  it('count steps where the rows of the data are known', async () => {
    const text = `ajet:
  task_reader:
    type: jsonl_dataset_file
    jsonl_dataset_file:
      training:
        file_path: data/train.jsonl
  data:
    train_batch_size: 32
  trainer_common:
    total_epochs: 100
${steering}`;
    const files = { '/project/data/train.jsonl': '' };
    const rows = () => Promise.resolve(1000);
    expect(await shown(text, { files, rows })).toContain(
      'total_epochs: 100 ‹1,000 / 32 = 31 steps per epoch›',
    );
    expect(await shown(text, { files })).not.toContain('steps per epoch');
    const other = text.replace('type: jsonl_dataset_file', 'type: huggingface_dat_repo');
    expect(await shown(other, { files, rows })).not.toContain('steps per epoch');
  });

  it('tell what conversion replaces, unless it is the same', async () => {
    const text = `ajet:
  data:
    train_batch_size: 32
  trainer_common:
    optim:
      lr: 0.5
data:
  train_batch_size: 7
  max_prompt_length: \${ajet.data.max_prompt_length}
actor_rollout_ref:
  actor:
    optim:
      num_cycles: 1
trinity:
  buffer:
    batch_size: 32
    train_batch_size: 99
${steering}`;
    const hints = await shown(text);
    expect(hints).toContain('train_batch_size: 7 ‹overwritten: 32›');
    expect(hints).toContain('    optim: ‹overwritten›\n      num_cycles: 1');
    expect(hints).toMatch(/batch_size: 32\n {4}train_batch_size: 99 ‹overwritten: \d+›/);
  });

  it('show what interpolations come to, but nothing of the environment', async () => {
    const text = `ajet:
  project_name: p
  experiment_name: \${ajet.project_name}-1
  model:
    path: \${oc.env:SECRET}
  data:
    max_prompt_length: \${ajet.nothing.there}
    max_response_length: \${.max_prompt_length}
${steering}`;
    const hints = await shown(text, { environment: () => 'hidden' });
    expect(hints).toContain('experiment_name: ${ajet.project_name}-1 ‹= p-1›');
    expect(hints).not.toContain('hidden');
    expect(hints).toContain('max_prompt_length: ${ajet.nothing.there}\n');
  });

  it('show what wins over this file', async () => {
    const text = `ajet:
  project_name: mine
  rollout:
    num_repeat: 2
hydra:
  searchpath: [file://layers]
defaults: [_self_, late]
`;
    const files = {
      '/project/layers/late.yaml': 'ajet:\n  project_name: late\n  rollout: {num_repeat: 2}\n',
    };
    const hints = await shown(text, { files });
    expect(hints).toContain('project_name: mine ‹overridden: late›');
    expect(hints).not.toContain('overridden: 2');
  });

  it('come of an unfinished text as well', async () => {
    const text = 'ajet:\n  rollout:\n    num_repeat: 4\n    n_vllm_engine: [\n  data: "\n';
    expect(await shown(text)).toContain('num_repeat: 4');
  });
});

describe('inlay hints of a Trinity config', () => {
  const head = `mode: both
model:
  max_model_len: 2048
algorithm:
  algorithm_type: grpo
  repeat_times: 8
cluster:
  node_num: 1
  gpu_per_node: 8
`;

  it('show totals and the share of the GPUs', async () => {
    const text = `${head}buffer:
  batch_size: 12
  train_batch_size: 0
  explorer_input:
    taskset:
      repeat_times: 3
explorer:
  eval_interval: 25
  runner_per_model: 32
  concurrent_mode: asynchronous
  rollout_model:
    engine_num: 2
    tensor_parallel_size: 2
  auxiliary_models:
    - model_path: judge
      engine_num: 1
      tensor_parallel_size: 2
synchronizer:
  sync_interval: 10
`;
    const hints = await shown(text);
    expect(hints).toContain('max_model_len: 2048 ‹≤ 196,608 tokens per step›');
    expect(hints).toContain('repeat_times: 8 ‹12 × 8 = 96 episodes per step›');
    expect(hints).toContain('train_batch_size: 0 ‹becomes 96›');
    expect(hints).toContain('      repeat_times: 3 ‹becomes 8›');
    expect(hints).toContain('eval_interval: 25 ‹becomes 20›');
    expect(hints).toContain('runner_per_model: 32 ‹becomes 6›');
    expect(hints).toContain('engine_num: 2 ‹6 of 8 GPUs explore, 2 train›');
  });

  it.each([
    ['algorithm_type: dpo\n  repeat_times: 5', 'repeat_times: 5 ‹becomes 2›'],
    ['algorithm_type: dpo\n  kl_loss_fn: none', 'kl_loss_fn: none ‹becomes k2›'],
    [
      'algorithm_type: grpo\n  loss_agg_mode: seq-mean-token-sum\n  policy_loss_fn_args:\n    loss_agg_mode: token-mean',
      '    loss_agg_mode: token-mean ‹becomes seq-mean-token-sum›',
    ],
  ])('show what the validator makes of algorithm: %s', async (algorithm, wanted) => {
    expect(
      await shown(`mode: train\nalgorithm:\n  ${algorithm}\nbuffer:\n  batch_size: 4\nexplorer: {}\n`),
    ).toContain(wanted);
  });

  it.each([
    ['bench', 'nccl', ' ‹becomes checkpoint›'],
    ['colocate', 'NCCL', ' ‹becomes memory›'],
    ['both', 'nccl', ''],
    ['train', 'checkpoint', ''],
  ])('show how weights are synchronized in mode %s with %s', async (mode, method, hint) => {
    const text = `mode: ${mode}\nsynchronizer:\n  sync_method: ${method}\nbuffer: {}\nexplorer: {}\n`;
    expect(await shown(text)).toContain(`sync_method: ${method}${hint}\n`);
  });

  it.each([
    [
      'max_model_len: null',
      'max_prompt_tokens: 100',
      'max_response_tokens: 200',
      'max_model_len: null ‹becomes 300›',
    ],
    [
      'max_model_len: 300',
      'max_prompt_tokens: 100',
      'max_response_tokens: null',
      'max_response_tokens: null ‹becomes 200›',
    ],
    [
      'max_model_len: 300',
      'max_prompt_tokens: null',
      'max_response_tokens: 200',
      'max_prompt_tokens: null ‹becomes 100›',
    ],
    [
      'max_model_len: 300',
      'min_response_tokens: 200',
      'max_response_tokens: 200',
      'min_response_tokens: 200 ‹becomes 199›',
    ],
  ])('complete lengths: %s, %s, %s', async (first, second, third, wanted) => {
    const text = `model:\n  ${first}\n  ${second}\n  ${third}\nbuffer: {}\nexplorer: {}\nmode: both\n`;
    expect(await shown(text)).toContain(wanted);
  });
});
