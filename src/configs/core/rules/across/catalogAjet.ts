import type { RuleEntry } from '../ruleEntry.ts';

/** About the section that an AgentJet config is written in. */
export const ajetAcross = {
  'lengths-exceed-model-len': {
    title: 'Prompt and response longer than the model takes',
    severity: 'error',
    explanation:
      '`data.max_prompt_length` and `data.max_response_length` together are more than `rollout.max_model_len`. The tracker of every episode asserts that they are not, so the first episode fails. Shorten one of them, or raise `max_model_len`.',
  },
  'turn-length': {
    title: 'One reply longer than there is room for',
    severity: 'error',
    explanation:
      '`rollout.max_response_length_in_one_turn` is kept free for each reply: a call is sent only while its prompt is shorter than `max_model_len` less that number. Where nothing is left, no call is ever sent. A reply longer than `data.max_response_length` is cut before training (a warning).',
  },
  'prompt-never-sent': {
    title: 'Prompts that are allowed but never sent',
    severity: 'warning',
    explanation:
      'A call is sent only while its prompt is shorter than `rollout.max_model_len` less `rollout.max_response_length_in_one_turn`. A prompt of `data.max_prompt_length` tokens is longer than that, so its episode ends before the model said a word.',
  },
  'max-steps-exceed-context': {
    title: 'More steps than fit the context',
    severity: 'warning',
    explanation:
      'The prompt and the replies of all `rollout.multi_turn.max_steps` steps share `rollout.max_model_len` tokens. A warning where hardly any tokens are left for a step; a hint where only replies of full length do not fit.',
  },
  'verl-batch': {
    title: 'A batch that the GPUs cannot share evenly',
    severity: 'error',
    explanation:
      'Under verl the episodes of a step, `data.train_batch_size` × `rollout.num_repeat`, have to be a multiple of all GPUs, `trainer_common.n_gpus_per_node` × `trainer_common.nnodes`. Milder while the file does not name the backbone that trains.',
  },
  'trinity-batch': {
    title: 'A training step that is rounded up',
    severity: 'information',
    explanation:
      'For Trinity the launcher sets `buffer.train_batch_size` to `data.train_batch_size` × `rollout.num_repeat` × `rollout.multi_turn.expected_steps` and raises it to the next multiple of the GPUs that train. A training step then takes more samples than an exploration step gives.',
  },
  'mini-batch': {
    title: 'More updates per step than the batch has parts for',
    severity: 'warning',
    explanation:
      'verl updates the weights `trainer_common.mini_batch_num` times per step, and every part of the batch is shared by all GPUs: each part needs at least one episode per GPU.',
  },
  'expected-steps': {
    title: 'More samples expected than are kept',
    severity: 'warning',
    explanation:
      'Trinity makes up its training step for `rollout.multi_turn.expected_steps` samples of each episode, but no episode keeps more than `max_sample_per_task`.',
  },
  'gpu-share': {
    title: 'Engines that leave no GPUs to train with',
    severity: 'error',
    explanation:
      'Under Trinity `rollout.n_vllm_engine` × `rollout.tensor_model_parallel_size` GPUs belong to the engines. The rest trains: at least one, and no more than a node or whole nodes.',
  },
  'sequence-parallel': {
    title: 'Sequence parallelism that does not divide the GPUs',
    severity: 'error',
    explanation:
      '`trainer_common.ulysses_sequence_parallel_size` GPUs share one sequence, so it has to divide the GPUs that train: all of them under verl, those that the engines leave under Trinity.',
  },
  'group-size': {
    title: 'A group of one episode',
    severity: 'warning',
    explanation:
      'Group algorithms such as GRPO learn from the difference between the episodes of one task. With `rollout.num_repeat` below 2 there is no other episode to differ from.',
  },
  'advantage-estimator': {
    title: 'An advantage estimator that is refused',
    severity: 'error',
    explanation:
      "AgentJet's verl trainer refuses `remax`, which needs a second, greedy rollout of every task.",
  },
  oversample: {
    title: 'Oversampling without room',
    severity: 'error',
    explanation:
      'With n = `rollout.num_repeat` and m = `rollout.submit_oversample_multiplier`, ⌊n·m⌋ episodes are submitted and a task may stop at ⌊n(1+m)/2⌋ equal ones; n < ⌊n(1+m)/2⌋ < ⌊n·m⌋ is asserted. With m = 1.5 that needs n ≥ 4.',
  },
  'validation-passes': {
    title: 'Validation passes that are all the same',
    severity: 'information',
    explanation:
      '`trainer_common.val_pass_n` runs of the validation set tell pass@n, but `rollout.val_kwargs.temperature` 0 makes every run pick the same tokens.',
  },
  'validation-sampling': {
    title: 'Validation that samples while training does not',
    severity: 'error',
    explanation:
      'With `rollout.val_kwargs.do_sample` the verl trainer asserts that `rollout.temperature` is more than 0.',
  },
  'kl-double-counted': {
    title: 'KL counted twice',
    severity: 'information',
    explanation:
      '`use_kl_in_reward` and `use_kl_loss` both keep the policy near the reference model; mostly one is meant.',
  },
  'judge-task-mismatch': {
    title: 'A judge that needs what the tasks do not have',
    severity: 'warning',
    explanation:
      '`EnvServiceJudge` asks the environment service, which only the readers `env_service` and `deep_finance` have; the math judges read `metadata.answer` of the task, the countdown judge `target` and `nums`. The judge runs for episodes whose workflow returns no reward.',
  },
  'rubrics-grader': {
    title: 'What the rubrics grader cannot do',
    severity: 'warning',
    explanation:
      '`task_judge.judge_type: rubrics_auto_grader` writes rubrics as training starts, but the grader that scores an episode never counts them as generated and raises. It works on one answer at a time (`grader_mode: pointwise`) and needs `min_score` < `max_score`.',
  },
  'shared-task-id': {
    title: 'Tasks that share an id',
    severity: 'warning',
    explanation:
      'verl finds the group of a sample through its `task_id`. The readers `tracing` and `data_generation` give all tasks the same one, so advantages are computed over all tasks together.',
  },
  'missing-environment-variable': {
    title: 'A key that the environment has to have',
    severity: 'hint',
    explanation:
      'Some values need a secret in the environment where training starts: `logger: swanlab` needs `SWANLAB_API_KEY`, the reader `data_generation` needs `DASHSCOPE_API_KEY` and `DASHSCOPE_API_KEY_BACKUP`.',
  },
  'interchange-nodes': {
    title: 'An interchange server that other nodes cannot reach',
    severity: 'error',
    explanation:
      'With `trainer_common.nnodes` above 1 the interchange server needs `interchange_method: tcp`.',
  },
  'port-clash': {
    title: 'Two servers on one port',
    severity: 'warning',
    explanation:
      '`interchange_server.interchange_server_port` and `debug.debug_vllm_port` are the same; under the debug backbone both servers run on one machine.',
  },
  'madness-checklist': {
    title: 'A check that works the other way round',
    severity: 'information',
    explanation:
      '`non_ascii` in `rollout.compute_madness_checklist` switches the test for unusual characters off, which `nonsense` includes; alone it does nothing.',
  },
  'lost-timelines': {
    title: 'Episodes that leave nothing to train on',
    severity: 'warning',
    explanation:
      '`task_runner.wrapper_type: multi-processing` runs each episode in a forked child; what was recorded of it is lost with the child.',
  },
  'fixed-batches': {
    title: 'Keys that fixed batch sizes need',
    severity: 'error',
    explanation:
      'With `actor_rollout_ref.actor.use_dynamic_bsz: false` AgentJet reads `rollout.log_prob_micro_batch_size` and `rollout.log_prob_micro_batch_size_per_gpu`, which no default file has. Both have to be there, one of them null.',
  },
  'null-not-convertible': {
    title: 'Null where the launcher copies a value',
    severity: 'error',
    explanation:
      'For a backbone that trains the launcher copies many keys of `ajet`; at the first that is null it stops. A key that is left out has its default.',
  },
  'swarm-mode': {
    title: 'What a swarm does not work with',
    severity: 'error',
    explanation:
      '`enable_swarm_mode` needs the backbone `verl` and the interchange server, and does not go with `val_before_train` or `val_only`.',
  },
  'lora-settings': {
    title: 'What LoRA needs beside its rank',
    severity: 'warning',
    explanation:
      'With `lora.lora_rank` above 0 AgentJet wants `lora.load_format: safetensors`, `lora.layered_summon: true` and a learning rate above 1e-5.',
  },
  'not-applied': {
    title: 'A key without effect as things are',
    severity: 'hint',
    explanation: 'The key is read only where another key has a certain value, and it has not.',
  },
} as const satisfies Readonly<Record<string, RuleEntry>>;
