import type { RuleEntry } from '../ruleEntry.ts';

export const ajetAcross = {
  'lengths-exceed-model-len': {
    title: 'Prompt and response exceed the model length',
    severity: 'error',
    explanation:
      '`data.max_prompt_length` plus `data.max_response_length` is more than `rollout.max_model_len`. An assertion in the tracker of every episode fails, so the first episode fails. Lower one of them, or raise `max_model_len`.',
  },
  'turn-length': {
    title: 'Reply length exceeds the available space',
    severity: 'error',
    explanation:
      '`rollout.max_response_length_in_one_turn` is reserved for each reply. A call is sent only if its prompt is shorter than `max_model_len` minus that number. If no space is left, no call is ever sent. A reply longer than `data.max_response_length` is truncated before training (a warning).',
  },
  'prompt-never-sent': {
    title: 'Allowed prompt length that is never sent',
    severity: 'warning',
    explanation:
      'A call is sent only if its prompt is shorter than `rollout.max_model_len` minus `rollout.max_response_length_in_one_turn`. A prompt of `data.max_prompt_length` tokens is longer than that. Its episode ends before the first reply.',
  },
  'max-steps-exceed-context': {
    title: 'More steps than fit in the context',
    severity: 'warning',
    explanation:
      'The prompt and the replies of all `rollout.multi_turn.max_steps` steps share `rollout.max_model_len` tokens. A warning if almost no tokens are left for a step. A hint if only replies of full length do not fit.',
  },
  'verl-batch': {
    title: 'Batch that the GPUs cannot share equally',
    severity: 'error',
    explanation:
      'Under verl, the number of episodes per step (`data.train_batch_size` × `rollout.num_repeat`) must be a multiple of the number of GPUs (`trainer_common.n_gpus_per_node` × `trainer_common.nnodes`). The severity is lower if the file does not set a backbone for training.',
  },
  'trinity-batch': {
    title: 'Training batch that is rounded up',
    severity: 'information',
    explanation:
      'For Trinity, the launcher sets `buffer.train_batch_size` to `data.train_batch_size` × `rollout.num_repeat` × `rollout.multi_turn.expected_steps`. It then raises the value to the next multiple of the GPUs that train. A training step then needs more samples than an exploration step provides.',
  },
  'mini-batch': {
    title: 'More mini-batches than the batch can fill',
    severity: 'warning',
    explanation:
      'verl updates the weights `trainer_common.mini_batch_num` times per step. All GPUs share each part of the batch, so each part needs at least one episode per GPU.',
  },
  'expected-steps': {
    title: 'More samples expected than kept',
    severity: 'warning',
    explanation:
      'Trinity plans its training step for `rollout.multi_turn.expected_steps` samples per episode, but an episode keeps at most `max_sample_per_task`.',
  },
  'gpu-share': {
    title: 'Inference engines that do not fit the GPUs',
    severity: 'error',
    explanation:
      'Under Trinity, the engines use `rollout.n_vllm_engine` × `rollout.tensor_model_parallel_size` GPUs. The trainer uses the rest: at least one GPU, and either at most one node or whole nodes. Under verl, `rollout.tensor_model_parallel_size` must divide the number of GPUs.',
  },
  'sequence-parallel': {
    title: 'Sequence parallel size that does not divide the GPUs',
    severity: 'error',
    explanation:
      '`trainer_common.ulysses_sequence_parallel_size` GPUs share one sequence. It must divide the number of GPUs that train. Under verl these are all GPUs. Under Trinity they are the GPUs that the engines leave.',
  },
  'group-size': {
    title: 'Group of one episode',
    severity: 'warning',
    explanation:
      'Group algorithms such as GRPO learn from the differences between the episodes of one task. If `rollout.num_repeat` is less than 2, there is no other episode to compare with.',
  },
  'advantage-estimator': {
    title: 'Unsupported advantage estimator',
    severity: 'error',
    explanation:
      "AgentJet's verl trainer rejects `remax`, which needs a second, greedy rollout of every task.",
  },
  oversample: {
    title: 'Oversampling without room',
    severity: 'error',
    explanation:
      'Let n = `rollout.num_repeat` and m = `rollout.submit_oversample_multiplier`. ⌊n·m⌋ episodes are submitted, and a task may stop at ⌊n(1+m)/2⌋ equal ones. An assertion requires n < ⌊n(1+m)/2⌋ < ⌊n·m⌋. With m = 1.5 this needs n ≥ 4.',
  },
  'validation-passes': {
    title: 'Validation passes that are all the same',
    severity: 'information',
    explanation:
      'The validation set runs `trainer_common.val_pass_n` times to compute pass@n. With `rollout.val_kwargs.temperature` 0, every run selects the same tokens.',
  },
  'validation-sampling': {
    title: 'Validation that samples although training does not',
    severity: 'error',
    explanation:
      'With `rollout.val_kwargs.do_sample`, an assertion in the verl trainer requires that `rollout.temperature` is more than 0.',
  },
  'kl-double-counted': {
    title: 'KL counted twice',
    severity: 'information',
    explanation:
      '`use_kl_in_reward` and `use_kl_loss` both keep the policy close to the reference model. Usually you need only one of them.',
  },
  'judge-task-mismatch': {
    title: 'Judge that needs data that the tasks do not have',
    severity: 'warning',
    explanation:
      '`EnvServiceJudge` calls the environment service, which only the readers `env_service` and `deep_finance` have. The math judges read `metadata.answer` of the task. The countdown judge reads `target` and `nums`. The judge runs for episodes whose workflow returns no reward.',
  },
  'rubrics-grader': {
    title: 'Unsupported settings of the rubrics grader',
    severity: 'warning',
    explanation:
      '`task_judge.judge_type: rubrics_auto_grader` writes rubrics when training starts. The grader that scores an episode does not recognize them as generated, and raises an exception. It scores one answer at a time (`grader_mode: pointwise`) and needs `min_score` < `max_score`.',
  },
  'shared-task-id': {
    title: 'Tasks that share an id',
    severity: 'warning',
    explanation:
      'verl finds the group of a sample by its `task_id`. The readers `tracing` and `data_generation` give all tasks the same id, so advantages are computed over all tasks together.',
  },
  'missing-environment-variable': {
    title: 'Environment variable that must be set',
    severity: 'hint',
    explanation:
      'Some values need a secret in the environment in which training starts. `logger: swanlab` needs `SWANLAB_API_KEY`. The reader `data_generation` needs `DASHSCOPE_API_KEY` and `DASHSCOPE_API_KEY_BACKUP`.',
  },
  'unknown-logger': {
    title: 'Logger that verl does not have',
    severity: 'error',
    explanation:
      'verl checks `trainer_common.logger` when training starts, after the models are loaded. Under Trinity, the rule `trinity-monitor` checks it.',
  },
  'interchange-nodes': {
    title: 'Interchange server that other nodes cannot reach',
    severity: 'warning',
    explanation:
      'If `trainer_common.nnodes` is more than 1, the interchange server needs `interchange_method: tcp`.',
  },
  'port-clash': {
    title: 'Two servers on one port',
    severity: 'warning',
    explanation:
      '`interchange_server.interchange_server_port` and `debug.debug_vllm_port` are the same. Under the debug backbone both servers run on one machine.',
  },
  'madness-checklist': {
    title: 'Check with the opposite effect',
    severity: 'information',
    explanation:
      '`nonsense` in `rollout.compute_madness_checklist` includes a test for unusual characters. `non_ascii` turns this test off. Without `nonsense` it has no effect.',
  },
  'lost-timelines': {
    title: 'Episodes without training data',
    severity: 'warning',
    explanation:
      'With `task_runner.wrapper_type: multi-processing`, each episode runs in a forked child process. The recorded calls are lost when the child process ends.',
  },
  'fixed-batches': {
    title: 'Missing keys for fixed batch sizes',
    severity: 'error',
    explanation:
      'With `actor_rollout_ref.actor.use_dynamic_bsz: false`, AgentJet reads `rollout.log_prob_micro_batch_size` and `rollout.log_prob_micro_batch_size_per_gpu`. No default file has these keys. Set both, one of them to null.',
  },
  'null-not-convertible': {
    title: 'Null value that the launcher copies',
    severity: 'error',
    explanation:
      'For a backbone that trains, the launcher copies many `ajet` keys. It stops at the first one that is null. Remove the key to use its default.',
  },
  'swarm-mode': {
    title: 'Setting that swarm mode does not support',
    severity: 'error',
    explanation:
      '`enable_swarm_mode` needs the backbone `verl` and the interchange server. It does not support `val_before_train` or `val_only`.',
  },
  'lora-settings': {
    title: 'Missing settings for LoRA',
    severity: 'warning',
    explanation:
      'If `lora.lora_rank` is more than 0, AgentJet requires `lora.load_format: safetensors`, `lora.layered_summon: true` and a learning rate above 1e-5.',
  },
  'not-applied': {
    title: 'Key without effect in this config',
    severity: 'hint',
    explanation:
      'The key is read only if another key has a certain value, and that key has a different value.',
  },
} as const satisfies Readonly<Record<string, RuleEntry>>;
