/** The Trinity-RFT config that a call of AgentScope's `tune(…)` comes to, as its tuner makes it. */
import { isRecord } from '../../../base/core/isRecord.ts';
import { valueAtPath, setAtPath } from '../../../base/core/plainTree.ts';
import { strftime } from '../../../base/core/strftime.ts';
import { compareVersions } from '../key-tables/releases.ts';
import type { TuneCall } from './tuneCall.ts';
import type { Plain } from '../value.ts';

/** Workflow types that call a function: which it is only the process knows that makes the config. */
export const functionAdapters = {
  tune: 'agentscope_workflow_adapter',
  tuner: 'agentscope_workflow_adapter_v1',
} as const satisfies Record<TuneCall['package'], string>;

/** The versions of AgentScope that have `agentscope.tuner` or `agentscope.tune`: from the first, before the second. */
const packageVersions: Readonly<Record<TuneCall['package'], readonly [from: string, before: string]>> = {
  tune: ['1.0.8', '1.0.12'],
  tuner: ['1.0.12', '2'],
};

/** Returns what is wrong with a version of AgentScope, and what to do; undefined if the version has the package. */
export function tunerProblem(
  name: TuneCall['package'],
  version: string,
): { readonly message: string; readonly hint: string } | undefined {
  const [from, before] = packageVersions[name];
  if (compareVersions(version, from) >= 0 && compareVersions(version, before) < 0) return undefined;
  return {
    message: `AgentScope ${version} does not have \`agentscope.${name}\`, so the script cannot train.`,
    hint: `Install a version that has it: pip install "agentscope>=${from},<${before}".`,
  };
}

type Tree = Record<string, Plain>;

export interface TunedConfig {
  readonly config: Readonly<Tree>;
  /** Sentences about arguments that training ignores. */
  readonly unused: readonly string[];
}

/**
 * @param base the config that `config_path` names; undefined: the tuner's own template
 * @param locators of the functions, which stand in the config in their place
 */
export function tuneConfig(
  call: TuneCall,
  base: Readonly<Tree> | undefined,
  locators: { readonly workflow: string; readonly judge: string | undefined },
  now: Date,
): TunedConfig {
  const { given } = call;
  const config = JSON.parse(JSON.stringify(base ?? template)) as Tree;
  if (base === undefined && given.experiment_name === undefined) {
    setAtPath(config, 'name', `Experiment-${strftime(now, '%Y%m%d%H%M%S')}`);
  }
  for (const [from, to] of renamed) {
    const value = valueAtPath(given, from);
    if (value !== undefined) setAtPath(config, to, value);
  }
  if (given.model !== undefined) putModel(config, given.model);
  const name = `${taskset}.name`;
  if (given.train_dataset !== undefined && valueAtPath(config, name) === undefined) {
    setAtPath(config, name, 'train_taskset');
  }
  append(config, 'explorer.auxiliary_models', auxiliaryModels(given));
  append(config, 'buffer.explorer_input.eval_tasksets', evaluated(given));
  putFunctions(config, functionAdapters[call.package], locators);
  return { config, unused: unusedOf(call, config) };
}

const taskset = 'buffer.explorer_input.taskset';

/** The tuner's defaults if no config is named. */
const template: Tree = {
  project: 'AgentScope',
  name: 'Experiment',
  checkpoint_root_dir: './checkpoints',
  algorithm: { algorithm_type: 'multi_step_grpo' },
  buffer: { total_epochs: 1 },
  explorer: { runner_per_model: 16, max_timeout: 3600, max_repeat_times_per_runner: 1 },
  synchronizer: {
    sync_style: 'dynamic_by_explorer',
    sync_method: 'nccl',
    sync_interval: 1,
    sync_timeout: 7200,
  },
  trainer: { save_interval: 100 },
  monitor: { monitor_type: 'tensorboard' },
};

/** The overrides of the config: parameters of `tune` and fields of their classes, by Trinity's names. */
const renamed: readonly (readonly [from: string, to: string])[] = [
  ['project_name', 'project'],
  ['monitor_type', 'monitor.monitor_type'],
  ['train_dataset.path', `${taskset}.path`],
  ['train_dataset.split', `${taskset}.split`],
  ['train_dataset.name', `${taskset}.subset_name`],
  ['train_dataset.total_epochs', 'buffer.total_epochs'],
  ['train_dataset.total_steps', 'buffer.total_steps'],
  ['model.model_path', 'model.model_path'],
  ['model.max_model_len', 'model.max_model_len'],
  ['model.max_tokens', 'model.max_response_tokens'],
  ['algorithm.algorithm_type', 'algorithm.algorithm_type'],
  ['algorithm.group_size', 'algorithm.repeat_times'],
  ['algorithm.learning_rate', 'algorithm.optimizer.lr'],
  ['algorithm.batch_size', 'buffer.batch_size'],
  ['algorithm.save_interval_steps', 'trainer.save_interval'],
  ['algorithm.eval_interval_steps', 'explorer.eval_interval'],
];

/** The keys that a call of `tune` sets in its config, by the names of its arguments. */
export function keysSetBy(given: readonly string[]): readonly string[] {
  const others: Readonly<Record<string, readonly string[]>> = {
    workflow_func: ['buffer.explorer_input.default_workflow_type'],
    train_dataset: [`${taskset}.name`],
    eval_dataset: ['buffer.explorer_input.eval_tasksets'],
    model: ['explorer.rollout_model', 'model.tinker'],
    auxiliary_models: ['explorer.auxiliary_models'],
  };
  return [
    ...renamed.flatMap(([from, to]) => (given.includes(from.split('.')[0] ?? '') ? [to] : [])),
    ...given.flatMap((name) => others[name] ?? []),
  ];
}

/** The fields of a model that its engine gets, by Trinity's names. */
const engineKeys = {
  model_path: 'model_path',
  max_model_len: 'max_model_len',
  tensor_parallel_size: 'tensor_parallel_size',
  inference_engine_num: 'engine_num',
  tool_call_parser: 'tool_call_parser',
  reasoning_parser: 'reasoning_parser',
} as const;

function engineOf(model: Readonly<Record<string, unknown>>): Tree {
  const own = Object.entries(engineKeys).flatMap(([from, to]) =>
    model[from] === undefined ? [] : [[to, model[from] as Plain] as const],
  );
  return { ...Object.fromEntries(own), enable_openai_api: true, enable_auto_tool_choice: true };
}

function putModel(config: Tree, model: Readonly<Record<string, unknown>>): void {
  setAtPath(config, 'explorer.rollout_model', { ...engineOf(model), enable_history: true });
  const tinker = model['tinker_config'];
  if (isRecord(tinker)) setAtPath(config, 'model.tinker', { ...tinker, enable: true });
}

function auxiliaryModels({ auxiliary_models = {} }: TuneCall['given']): readonly Tree[] {
  return Object.entries(auxiliary_models).map(([name, model]) => ({ ...engineOf(model), name }));
}

function evaluated({ eval_dataset }: TuneCall['given']): readonly Tree[] {
  if (eval_dataset === undefined) return [];
  const { path = null, split = null, name = null } = eval_dataset as Tree;
  return [{ name: 'eval_taskset', path, split, subset_name: name }];
}

function putFunctions(
  config: Tree,
  adapter: string,
  { workflow, judge }: { readonly workflow: string; readonly judge: string | undefined },
): void {
  const args = { workflow_func: workflow, ...(judge !== undefined && { judge_func: judge }) };
  setAtPath(config, 'buffer.explorer_input.default_workflow_type', adapter);
  setAtPath(config, `${taskset}.default_workflow_type`, adapter);
  const evaluations = valueAtPath(config, 'buffer.explorer_input.eval_tasksets');
  const tasksets = [valueAtPath(config, taskset), ...(isList(evaluations) ? evaluations : [])];
  for (const one of tasksets.filter(isRecord)) {
    one['workflow_args'] = { ...(isRecord(one['workflow_args']) && one['workflow_args']), ...args };
  }
}

/** The fields of a model that AgentScope's tuner ignores, with their defaults. */
const idleFields = { temperature: 1, top_p: 1, enable_thinking: null } as const;

function unusedOf({ given }: TuneCall, config: Tree): readonly string[] {
  const idle = Object.entries(idleFields).flatMap(([field, idle]) => {
    const value = given.model?.[field];
    if (value === undefined || value === idle) return [];
    const key = `model.${field}`;
    const instead = valueAtPath(config, key);
    const effect = instead === undefined ? "it uses Trinity-RFT's default" : `it uses ${key} of the config`;
    return [
      `tune() ignores \`${field}=${JSON.stringify(value)}\` of TunerModelConfig. In training ${effect}.`,
    ];
  });
  if (given.experiment_name === undefined) return idle;
  const name = JSON.stringify(valueAtPath(config, 'name'));
  return [...idle, `tune() ignores its experiment_name. In training the name of the experiment is ${name}.`];
}

function append(tree: Tree, path: string, values: readonly Tree[]): void {
  if (values.length === 0) return;
  const before = valueAtPath(tree, path);
  setAtPath(tree, path, [...(isList(before) ? before : []), ...values]);
}

function isList(value: unknown): value is Plain[] {
  return Array.isArray(value);
}
