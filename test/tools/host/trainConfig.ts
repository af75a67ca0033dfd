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
