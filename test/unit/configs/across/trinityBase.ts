import type { Values } from './acrossConfigs.ts';

/** Everything fits: 8 GPUs, of which 4 are engines; 128 samples per step. */
export const trinityBase: Values = {
  mode: 'both',
  project: 'p',
  name: 'n',
  checkpoint_root_dir: '/checkpoints',
  'algorithm.algorithm_type': 'grpo',
  'algorithm.repeat_times': 8,
  'model.model_path': '/models/one',
  'model.max_model_len': 4096,
  'model.max_prompt_tokens': 1024,
  'model.max_response_tokens': 3072,
  'cluster.node_num': 1,
  'cluster.gpu_per_node': 8,
  'buffer.batch_size': 16,
  'buffer.explorer_input.taskset.path': '/data/tasks',
  'explorer.eval_interval': 10,
  'explorer.rollout_model.engine_num': 4,
  'synchronizer.sync_interval': 1,
  'trainer.save_interval': 100,
};

export const taskset = 'buffer.explorer_input.taskset.path';
export const offline: Values = {
  mode: 'train',
  'algorithm.algorithm_type': 'sft',
  'buffer.train_batch_size': 64,
  'buffer.trainer_input.experience_buffer.path': '/data/sft',
  'synchronizer.sync_method': 'checkpoint',
};
export const colocate: Values = {
  mode: 'colocate',
  'cluster.gpu_per_node': 1,
  'explorer.rollout_model.engine_num': 1,
  'synchronizer.sync_method': 'memory',
};
