import type { Plain } from '../value.ts';

/** The paths of the tasks in a Trinity-RFT config, by split; of several tasksets only the first is read. */
export const tasksetPaths = {
  training: ['buffer.explorer_input.taskset', 'buffer.explorer_input.tasksets.0'],
  validation: ['buffer.explorer_input.eval_tasksets.0'],
} as const;

/** A split of a run, which stands for its taskset in paths. */
export type SplitName = keyof typeof tasksetPaths;

/** An AgentJet key and its Trinity-RFT keys: the first of `from` that is set and not null counts. */
export interface RunKey {
  readonly to: string;
  /** `{training}` and `{validation}` stand for the taskset of that split. */
  readonly from: readonly string[];
}

/** The keys for the locators of the functions of AgentScope's tuner. */
export const functionKeys = {
  workflow: ['{training}.workflow_args.workflow_func', '{validation}.workflow_args.workflow_func'],
  judge: ['{training}.workflow_args.judge_func', '{validation}.workflow_args.judge_func'],
} as const;

/**
 * The keys that the debug backbone reads, with their Trinity-RFT names. A taskset's own value wins over the shared
 * one, as Trinity's validator fills them in.
 */
export const runKeys: readonly RunKey[] = [
  { to: 'ajet.task_judge.judge_protocol', from: functionKeys.judge },
  { to: 'ajet.experiment_name', from: ['name'] },
  { to: 'ajet.model.path', from: ['model.model_path'] },
  { to: 'ajet.rollout.num_repeat', from: ['algorithm.repeat_times'] },
  { to: 'ajet.rollout.temperature', from: ['{training}.rollout_args.temperature', 'model.temperature'] },
  { to: 'ajet.rollout.top_p', from: ['{training}.rollout_args.top_p', 'model.top_p'] },
  {
    to: 'ajet.rollout.max_response_length_in_one_turn',
    from: ['{training}.rollout_args.max_tokens', 'model.max_response_tokens'],
  },
  { to: 'ajet.rollout.max_model_len', from: ['model.max_model_len'] },
  { to: 'ajet.data.max_prompt_length', from: ['model.max_prompt_tokens'] },
  { to: 'ajet.trainer_common.val_pass_n', from: ['{validation}.repeat_times'] },
  {
    to: 'ajet.rollout.val_kwargs.temperature',
    from: ['{validation}.rollout_args.temperature', 'model.temperature'],
  },
  { to: 'ajet.rollout.val_kwargs.top_p', from: ['{validation}.rollout_args.top_p', 'model.top_p'] },
  { to: 'ajet.rollout.val_kwargs.top_k', from: ['{validation}.rollout_args.top_k', 'model.top_k'] },
  // For a training through a Tinker server.
  { to: 'ajet.data.train_batch_size', from: ['buffer.batch_size'] },
  { to: 'ajet.trainer_common.total_epochs', from: ['buffer.total_epochs'] },
  { to: 'ajet.trainer_common.total_training_steps', from: ['buffer.total_steps', 'trainer.total_steps'] },
  { to: 'ajet.trainer_common.save_freq', from: ['trainer.save_interval'] },
  { to: 'ajet.trainer_common.test_freq', from: ['explorer.eval_interval'] },
  { to: 'ajet.trainer_common.val_before_train', from: ['explorer.eval_on_startup'] },
  { to: 'ajet.trainer_common.algorithm.adv_estimator', from: ['algorithm.algorithm_type'] },
  { to: 'ajet.trainer_common.kl_loss_type', from: ['algorithm.kl_loss_fn'] },
  { to: 'ajet.trainer_common.kl_loss_coef', from: ['algorithm.kl_loss_fn_args.kl_coef'] },
  { to: 'actor_rollout_ref.actor.clip_ratio', from: ['algorithm.policy_loss_fn_args.clip_range'] },
  { to: 'actor_rollout_ref.actor.entropy_coeff', from: ['algorithm.entropy_loss_fn_args.entropy_coef'] },
  ...['lr', 'lr_warmup_steps', 'lr_warmup_steps_ratio', 'min_lr_ratio', 'lr_scheduler_type', 'betas'].map(
    optimizerKey,
  ),
  optimizerKey('weight_decay'),
  { to: 'ajet.trainer_common.optim.grad_clip', from: ['trainer.grad_clip'] },
];

function optimizerKey(name: string): RunKey {
  return { to: `ajet.trainer_common.optim.${name}`, from: [`algorithm.optimizer.${name}`] };
}

/** The keys of the workflow's name, by split; the first that is set counts. */
export const workflowKeys: Readonly<Record<SplitName, readonly string[]>> = {
  training: ['{training}.default_workflow_type', 'buffer.explorer_input.default_workflow_type'],
  validation: [
    '{validation}.default_workflow_type',
    'buffer.explorer_input.default_eval_workflow_type',
    'buffer.explorer_input.default_workflow_type',
  ],
};

/** Switches off AgentJet features that Trinity-RFT does not have, and sets the reader of its tasksets. */
export const runConstants: Readonly<Record<string, Plain>> = {
  'ajet.task_reader.type': 'trinity_taskset',
  'ajet.rollout.enable_oversample': false,
  'ajet.rollout.compute_madness_checklist': [],
  'ajet.rollout.agent_madness_termination': false,
  'ajet.context_tracker.detect_timeline_snap': false,
  'ajet.trainer_common.kl_loss_coef': 0,
};

/** A key that changes what is trained, and that only a cluster gives a meaning. */
export interface UnsupportedKey {
  readonly path: string;
  readonly matters: (value: Plain) => boolean;
  /** Behind `` `path` ``. */
  readonly message: string;
  readonly hint: string;
}

const isFilled = (value: Plain): boolean =>
  Array.isArray(value) ? value.length > 0 : typeof value === 'object' && value !== null;

export const unsupportedKeys: readonly UnsupportedKey[] = [
  {
    path: 'stages',
    matters: isFilled,
    message:
      'divides the training into stages, each with its own sections. This run uses the sections at the top.',
    hint: 'To debug a stage, write its sections at the top of a copy.',
  },
  {
    path: 'data_processor.task_pipeline',
    matters: isFilled,
    message: 'changes the tasks before they run. This run uses the tasks as they are in the data set.',
    hint: 'To debug the changed tasks, set the path of the taskset to its output.',
  },
  {
    path: 'data_processor.experience_pipeline.operators',
    matters: isFilled,
    message:
      'changes or drops experiences and their rewards after a run. This run shows them as the workflow returned them.',
    hint: 'The rewards of this run are those before the operators.',
  },
  {
    path: 'explorer.over_rollout.ratio',
    matters: (value) => typeof value === 'number' && value > 0,
    message: 'drops the slowest tasks of every step. In this run, all tasks run to their end.',
    hint: 'Set it to 0 to train on all tasks.',
  },
  {
    path: 'buffer.explorer_input.tasksets.1',
    matters: isFilled,
    message: 'is mixed with the first taskset in training. This run uses only the first one.',
    hint: 'To debug another taskset, put it first.',
  },
  ...['task_selector', 'data_selector'].flatMap((selector) =>
    tasksetPaths.training.map((taskset) => ({
      path: `${taskset}.${selector}.selector_type`,
      matters: (value: Plain) => typeof value === 'string' && value !== 'sequential',
      message: 'chooses the order of the tasks. This run uses the order of the data set.',
      hint: 'To choose tasks, use --task-id ROW (launch.json: taskIds). Rows start at 0.',
    })),
  ),
];

/** Modes in which no workflow runs on a taskset, and why. */
export const modesWithoutRollout: Readonly<Record<string, string>> = {
  train: 'trains on existing experiences',
  serve: 'answers requests and runs no workflow',
};
