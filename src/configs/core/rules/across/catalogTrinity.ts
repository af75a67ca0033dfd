import type { RuleEntry } from '../ruleEntry.ts';

/**
 * The rules of Trinity's validator. An exception is an error. A warning or a changed value is a warning or an
 * information. A filled-in value is a hint.
 */
export const trinityAcross = {
  'trinity-mode': {
    title: 'A mode that Trinity does not have',
    severity: 'error',
    explanation:
      '`mode` is one of `both`, `explore`, `train`, `bench`, `serve` and, from 0.5 on, `colocate`.',
  },
  'trinity-checkpoint-root': {
    title: 'Checkpoints in the folder that training starts in',
    severity: 'hint',
    explanation: 'A relative `checkpoint_root_dir` is taken from the working folder of the launcher.',
  },
  'trinity-continue': {
    title: 'A run that goes to another folder',
    severity: 'information',
    explanation:
      'With `continue_from_checkpoint: false` and a folder that has files, a time is added to the name of the run; in mode `bench` the key is turned to true.',
  },
  'trinity-monitor': {
    title: 'A monitor that Trinity does not have',
    severity: 'warning',
    explanation:
      '`monitor.monitor_type` is looked up among `tensorboard`, `wandb`, `mlflow`, `swanlab` and those of plug-ins.',
  },
  'trinity-default-applied': {
    title: 'A value that Trinity fills in',
    severity: 'hint',
    explanation: 'Null, empty or not set: what Trinity then uses.',
  },
  'trinity-value-rewritten': {
    title: 'A value that Trinity changes',
    severity: 'information',
    explanation:
      'The value does not go with another one, and the validator puts something else in its place.',
  },
  'trinity-offline': {
    title: 'An algorithm that only trains',
    severity: 'error',
    explanation:
      '`sft` and `dpo` learn from a data set: they need `mode: train` and `buffer.trainer_input.experience_buffer.path`.',
  },
  'trinity-registry': {
    title: 'A name that looks mistyped',
    severity: 'warning',
    explanation:
      'Algorithms, workflows and functions are found by name, in registries that plug-ins extend. The name is in none that comes with Trinity, but close to one.',
  },
  'trinity-group-size': {
    title: 'A group of one run',
    severity: 'warning',
    explanation:
      'Group algorithms compare the runs of one task; with `algorithm.repeat_times` below 2 every advantage is 0.',
  },
  'trinity-function-args': {
    title: 'Arguments that a function refuses',
    severity: 'error',
    explanation:
      'What functions assert as they are made: `m2po` wants `loss_agg_mode: token-mean` and a finite `m2_threshold` of at least 0, `gigpo` an `fnorm` of `std` or `none`, `rec` numbers in range and modes it knows, an adaptive KL coefficient `target_kl` and `horizon`.',
  },
  'trinity-auxiliary-buffer': {
    title: 'An auxiliary buffer that is missing',
    severity: 'error',
    explanation:
      '`mix` and `mix_chord` read examples from the auxiliary buffer named by `sample_strategy_args.sft_dataset_name` (`sft_dataset` where it is not set). Every auxiliary buffer needs a `path`.',
  },
  'trinity-lengths': {
    title: 'Lengths that do not fit the model',
    severity: 'error',
    explanation:
      '`model.max_prompt_tokens` + `model.max_response_tokens` may not be more than `model.max_model_len`, which has to be set unless both of them are.',
  },
  'trinity-prompt-truncation': {
    title: 'What becomes of long prompts',
    severity: 'hint',
    explanation:
      'Trinity warns of `model.enable_prompt_truncation` whatever it is: each way loses something.',
  },
  'trinity-external-model': {
    title: 'An external model where it cannot be used',
    severity: 'error',
    explanation:
      '`model.external_model` works in mode `bench` alone, and needs `base_url_env`, `api_key_env` and `model_name`.',
  },
  'trinity-tinker': {
    title: 'What the Tinker service cannot do',
    severity: 'error',
    explanation:
      'No algorithm with a critic. The entropy of a reply is only estimated, so `entropy_coef` is better 0.',
  },
  'trinity-engine': {
    title: 'An engine that does not fit its nodes',
    severity: 'error',
    explanation:
      'An engine takes tensor × data × pipeline parallel GPUs: within a node, or whole nodes. vLLM cannot spread data parallelism over nodes; sglang needs a tensor parallel size that the data parallel size divides.',
  },
  'trinity-gpu-share': {
    title: 'GPUs that do not suffice',
    severity: 'error',
    explanation:
      'Engines, auxiliary ones included, take `engine_num` × their GPUs. In mode `both` the trainer needs at least one more, and whole nodes where it has more than one.',
  },
  'trinity-colocate': {
    title: 'More than one GPU can hold',
    severity: 'error',
    explanation:
      'Mode `colocate` is for exactly one GPU: one engine of one GPU, no auxiliary models, no sequence parallelism.',
  },
  'trinity-auxiliary-model': {
    title: 'An auxiliary model without a path',
    severity: 'error',
    explanation: 'Each of `explorer.auxiliary_models` needs a `model_path`.',
  },
  'trinity-over-rollout': {
    title: 'Runs left behind where that is not possible',
    severity: 'error',
    explanation:
      '`explorer.over_rollout` needs a `ratio` of at least 0 and less than 1, and a `sync_style` other than `fixed`.',
  },
  'trinity-lora': {
    title: 'More than one LoRA adapter',
    severity: 'error',
    explanation: '`model.lora_configs` may have one entry.',
  },
  'trinity-sync-method': {
    title: 'Weights that are passed on another way',
    severity: 'warning',
    explanation:
      '`nccl` needs explorer and trainer side by side: with one of them alone, with LoRA, with Tinker and for algorithms that only train it becomes `checkpoint`, in mode `colocate` it becomes `memory`.',
  },
  'trinity-intervals': {
    title: 'An interval of nothing',
    severity: 'error',
    explanation:
      '`synchronizer.sync_interval` has to be more than 0. For `sft` and `dpo` it is set to `trainer.save_interval`, which then may not be 0.',
  },
  'trinity-eval-interval': {
    title: 'Evaluation between two syncs',
    severity: 'warning',
    explanation:
      '`explorer.eval_interval` is rounded down to a multiple of the interval that weights are synced at.',
  },
  'trinity-concurrency': {
    title: 'More runners than tasks',
    severity: 'warning',
    explanation:
      'With a `concurrent_mode` other than `sequential`, `runner_per_model` is lowered to `batch_size` ÷ `engine_num`, rounded up.',
  },
  'trinity-agent-model': {
    title: 'An engine that an agent framework cannot use',
    severity: 'warning',
    explanation:
      'Workflows on an agent framework need `enable_openai_api` and `enable_history` under `explorer.rollout_model`; to call tools also `enable_auto_tool_choice` and a `tool_call_parser`.',
  },
  'trinity-train-batch': {
    title: 'A training step of no size',
    severity: 'error',
    explanation:
      'Mode `train`, `sft` and `dpo` need `buffer.train_batch_size`; else 0 stands for `batch_size` × `repeat_times`.',
  },
  'trinity-tasksets': {
    title: 'Tasks that are missing or named twice',
    severity: 'error',
    explanation: 'An explorer needs `taskset` or `tasksets`, not both, and every set needs a `path`.',
  },
  'trinity-pipeline': {
    title: 'Data that a pipeline cannot write',
    severity: 'error',
    explanation:
      '`input_save_path` is a JSON file or the address of a database. The task pipeline writes to a path that is not there yet, and in mode `train` has to be told which.',
  },
  'trinity-trainer': {
    title: 'A trainer setting that is refused',
    severity: 'error',
    explanation:
      '`trainer.trainer_config_path` is no longer read: its content belongs under `trainer.trainer_config`.',
  },
  'trinity-trainer-gpus': {
    title: 'Numbers that the GPUs cannot share evenly',
    severity: 'warning',
    explanation:
      'Of the GPUs that train, `ulysses_sequence_parallel_size` and `fsdp_size` have to be divisors, and `train_batch_size` a multiple of the groups that share a sequence. Newer trainers are laxer, hence a warning.',
  },
  'trinity-stage-section': {
    title: 'A stage that forgets a section',
    severity: 'information',
    explanation:
      'A section given in a stage takes the place of the whole section of the file; what it does not repeat has its class default.',
  },
} as const satisfies Readonly<Record<string, RuleEntry>>;
