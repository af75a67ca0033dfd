/** A config of Trinity-RFT for ten steps on two GPUs. */
export const trainConfig = `mode: both
project: maths
name: first
checkpoint_root_dir: ./checkpoints
model:
  model_path: some/model
cluster:
  node_num: 1
  gpu_per_node: 2
trainer:
  total_steps: 10
`;

/** The same with examples to be learnt from before. */
export const stagedConfig = `${trainConfig}stages:
  - stage_name: sft
    mode: train
    trainer:
      total_steps: 2
  - stage_name: rl
`;
