import { readTraining, type Training } from '../../../../../src/training/core/launch/training.ts';
import type { RunOrder } from '../../../../../src/training/core/protocol/runs.ts';
import { memoryFiles, posix } from '../../../configs/memoryFiles.ts';

export const ajetConfig = `ajet:
  project_name: maths
  experiment_name: first # kept
  model:
    path: /models/qwen/3b/instruct
  trainer_common:
    n_gpus_per_node: 4
    checkpoint_base_dir: ./checkpoints
    logger: tensorboard
  task_reader:
    type: jsonl_dataset_file
    jsonl_dataset_file:
      training:
        file_path: /data/train.jsonl
hydra:
  searchpath:
    - file://ajet/default_config
    - file://ajet/default_config/verl
    - file://ajet/default_config/trinity
defaults:
  - verl_default
  - trinity_default
  - ajet_default
  - _self_
`;

export const trinityConfig = `mode: both
project: maths
group: small
name: first
checkpoint_root_dir: /big/checkpoints
model:
  model_path: /models/qwen/3b/instruct
cluster:
  node_num: 1
  gpu_per_node: 4
explorer:
  rollout_model:
    engine_num: 2
    tensor_parallel_size: 1
trainer:
  total_steps: 120
buffer:
  batch_size: 8
  explorer_input:
    taskset:
      path: /data/tasks
monitor:
  monitor_type: tensorboard
`;

/** The same, with examples to be learnt from before. */
export const stagedConfig = `${trinityConfig}stages:
  - stage_name: sft # first
    mode: train
    buffer:
      trainer_input:
        experience_buffer:
          storage_type: file
          path: /data/examples
    trainer:
      name: teacher
      total_steps: 40
  - stage_name: rl
`;

export function orderOf(order: Partial<RunOrder> = {}): RunOrder {
  return {
    name: 'maths',
    launcher: 'ajet',
    snapshot: '0'.repeat(64),
    config: 'conf/exp.yaml',
    backbone: 'trinity',
    flags: [],
    env: {},
    gpus: 4,
    ...order,
  };
}

export function trainingOf(
  text: string,
  backbone: RunOrder['backbone'] = 'trinity',
  variables: Readonly<Record<string, string>> = {},
): Promise<Training> {
  return readTraining({
    file: '/run/work/conf/exp.yaml',
    text,
    cwd: '/run/work',
    backbone,
    files: memoryFiles({}),
    paths: posix,
    environment: (name) => variables[name],
  });
}
