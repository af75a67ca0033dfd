import type { RuleEntry } from '../ruleEntry.ts';

/**
 * The rules of Trinity's validator. An exception is an error. A warning or a changed value is a warning or an
 * information. A filled-in value is a hint.
 */
export const trinityAcross = {
  'trinity-mode': {
    title: 'Unknown mode',
    severity: 'error',
    explanation: '`mode` is `both`, `explore`, `train`, `bench`, `serve` or, from 0.5 on, `colocate`.',
  },
  'trinity-checkpoint-root': {
    title: 'Checkpoint folder relative to the working folder',
    severity: 'hint',
    explanation: 'A relative `checkpoint_root_dir` is relative to the working folder of the launcher.',
  },
  'trinity-continue': {
    title: 'Run that is written to another folder',
    severity: 'information',
    explanation:
      'If `continue_from_checkpoint` is false and the folder already has files, Trinity adds the time to the name of the run. In mode `bench`, Trinity sets the key to true.',
  },
  'trinity-monitor': {
    title: 'Unknown monitor',
    severity: 'warning',
    explanation:
      '`monitor.monitor_type` is `tensorboard`, `wandb`, `mlflow`, `swanlab` or the name of a plug-in.',
  },
  'trinity-default-applied': {
    title: 'Value that Trinity sets',
    severity: 'hint',
    explanation: 'The key is null, empty or not set. The message shows the value that Trinity uses.',
  },
  'trinity-value-rewritten': {
    title: 'Value that Trinity replaces',
    severity: 'information',
    explanation: 'The value does not fit another value, so the validator replaces it.',
  },
  'trinity-offline': {
    title: 'Algorithm that only trains',
    severity: 'error',
    explanation:
      '`sft` and `dpo` learn from a data set. They need `mode: train` and `buffer.trainer_input.experience_buffer.path`.',
  },
  'trinity-registry': {
    title: 'Name that may be misspelled',
    severity: 'warning',
    explanation:
      'Trinity finds algorithms, workflows and functions by name, in registries that plug-ins can extend. The registries of Trinity do not have this name, but have a similar one.',
  },
  'trinity-group-size': {
    title: 'Group of one run',
    severity: 'warning',
    explanation:
      'Group algorithms compare the runs of one task. If `algorithm.repeat_times` is less than 2, every advantage is 0.',
  },
  'trinity-function-args': {
    title: 'Arguments that a function rejects',
    severity: 'error',
    explanation:
      'Functions check their arguments when they are created. `m2po` needs `loss_agg_mode: token-mean` and a finite `m2_threshold` of at least 0. `gigpo` needs an `fnorm` of `std` or `none`. `rec` needs numbers in range and known modes. An adaptive KL coefficient needs `target_kl` and `horizon`.',
  },
  'trinity-auxiliary-buffer': {
    title: 'Missing auxiliary buffer',
    severity: 'error',
    explanation:
      '`mix` and `mix_chord` read examples from the auxiliary buffer that `sample_strategy_args.sft_dataset_name` names (default: `sft_dataset`). Every auxiliary buffer needs a `path`.',
  },
  'trinity-lengths': {
    title: 'Lengths that exceed the model length',
    severity: 'error',
    explanation:
      '`model.max_prompt_tokens` + `model.max_response_tokens` must not be more than `model.max_model_len`. Set `max_model_len`, or set both of the others.',
  },
  'trinity-prompt-truncation': {
    title: 'Handling of long prompts',
    severity: 'hint',
    explanation:
      'Trinity prints a warning about `model.enable_prompt_truncation` for both values, because each of them loses data.',
  },
  'trinity-external-model': {
    title: 'External model that cannot be used',
    severity: 'error',
    explanation:
      '`model.external_model` works only in mode `bench`. It needs `base_url_env`, `api_key_env` and `model_name`.',
  },
  'trinity-tinker': {
    title: 'Setting that the Tinker service does not support',
    severity: 'error',
    explanation:
      'The Tinker service does not support algorithms with a critic. It only estimates the entropy of a reply, so leave `entropy_coef` at 0. Warm-up and decay of the learning rate need `trainer.total_steps`.',
  },
  'trinity-tinker-save': {
    title: 'Checkpoint in place of synchronized weights',
    severity: 'error',
    explanation:
      'With Tinker and `sync_method: checkpoint`, Trinity-RFT 0.6 saves either a checkpoint or weights for the explorer. If `save_interval` and `sync_interval` fall on the same step, the explorer gets no weights and waits until `sync_timeout`. With `sync_method: memory`, both are saved.',
  },
  'trinity-engine': {
    title: 'Engine that does not fit on its nodes',
    severity: 'error',
    explanation:
      'An engine needs tensor × data × pipeline parallel GPUs, either in one node or in whole nodes. vLLM cannot use data parallelism across nodes. In sglang, the data parallel size must divide the tensor parallel size.',
  },
  'trinity-gpu-share': {
    title: 'Not enough GPUs',
    severity: 'error',
    explanation:
      'Engines, including auxiliary ones, need `engine_num` × their GPUs. In mode `both` the trainer needs at least one more GPU. If it uses more than one node, it needs whole nodes.',
  },
  'trinity-colocate': {
    title: 'More than one GPU can run',
    severity: 'error',
    explanation:
      'Mode `colocate` is for exactly one GPU: one engine of one GPU, no auxiliary models, no sequence parallelism.',
  },
  'trinity-auxiliary-model': {
    title: 'Auxiliary model without a path',
    severity: 'error',
    explanation: 'Each entry of `explorer.auxiliary_models` needs a `model_path`.',
  },
  'agentscope-tuner': {
    title: 'AgentScope without the tuner',
    severity: 'warning',
    explanation:
      'A script that calls `tune` needs `agentscope.tuner` (AgentScope 1.0.12 and later, before 2.0) or `agentscope.tune` (1.0.8 to 1.0.11). The version in the Python environment does not have it. Debug runs work without it.',
  },
  'trinity-over-rollout': {
    title: 'Over-rollout that is not possible',
    severity: 'error',
    explanation:
      '`explorer.over_rollout` needs a `ratio` of at least 0 and less than 1, and a `sync_style` other than `fixed`.',
  },
  'trinity-lora': {
    title: 'More than one LoRA adapter',
    severity: 'error',
    explanation: '`model.lora_configs` can have one entry.',
  },
  'trinity-sync-method': {
    title: 'Synchronization method that Trinity replaces',
    severity: 'warning',
    explanation:
      '`nccl` needs an explorer and a trainer at the same time. With only one of them, with LoRA, with Tinker and for algorithms that only train, it becomes `checkpoint`. In mode `colocate` it becomes `memory`.',
  },
  'trinity-intervals': {
    title: 'Interval that is not positive',
    severity: 'error',
    explanation:
      '`synchronizer.sync_interval` must be more than 0. For `sft` and `dpo` it is set to `trainer.save_interval`, which then must not be 0.',
  },
  'trinity-eval-interval': {
    title: 'Evaluation between two synchronizations',
    severity: 'warning',
    explanation:
      '`explorer.eval_interval` is rounded down to a multiple of the interval at which weights are synchronized.',
  },
  'trinity-concurrency': {
    title: 'More runners than tasks',
    severity: 'warning',
    explanation:
      'If `concurrent_mode` is not `sequential`, `runner_per_model` is lowered to `batch_size` ÷ `engine_num`, rounded up.',
  },
  'trinity-agent-model': {
    title: 'Engine that an agent framework cannot use',
    severity: 'warning',
    explanation:
      'Workflows that use an agent framework need `enable_openai_api` and `enable_history` under `explorer.rollout_model`. To call tools they also need `enable_auto_tool_choice` and a `tool_call_parser`.',
  },
  'trinity-train-batch': {
    title: 'Training step without a size',
    severity: 'error',
    explanation:
      'Mode `train`, `sft` and `dpo` need `buffer.train_batch_size`. Otherwise 0 means `batch_size` × `repeat_times`.',
  },
  'trinity-tasksets': {
    title: 'Missing or ambiguous tasks',
    severity: 'error',
    explanation: 'An explorer needs `taskset` or `tasksets`, not both. Every set needs a `path`.',
  },
  'trinity-pipeline': {
    title: 'Data that a pipeline cannot write',
    severity: 'error',
    explanation:
      '`input_save_path` is a JSON file or the address of a database. The task pipeline writes to a path that does not exist yet. In mode `train` you must set this path.',
  },
  'trinity-trainer': {
    title: 'Trainer setting that is rejected',
    severity: 'error',
    explanation:
      'Trinity no longer reads `trainer.trainer_config_path`. Put its content under `trainer.trainer_config`.',
  },
  'trinity-trainer-gpus': {
    title: 'Numbers that do not divide the GPUs',
    severity: 'warning',
    explanation:
      '`ulysses_sequence_parallel_size` and `fsdp_size` must divide the number of GPUs that train. `train_batch_size` must be a multiple of the number of groups that share a sequence. Newer trainers accept more, so this is only a warning.',
  },
  'trinity-stage-section': {
    title: 'Stage that resets a section',
    severity: 'information',
    explanation:
      'A section in a stage replaces the whole section of the file. Keys that the stage does not repeat have the default of their class.',
  },
} as const satisfies Readonly<Record<string, RuleEntry>>;
