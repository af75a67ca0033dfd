/** Configs that code builds: all defaults, changed as plain data, and written as YAML. */
import { closest } from 'fastest-levenshtein';
import { CodedError } from '../../base/core/errors.ts';
import { isRecord } from '../../base/core/isRecord.ts';
import { bundledDefault } from './compose/bundledDefaults.ts';
import { ajetKeys, type KeyTable } from './key-tables/keyTable.ts';
import { mergeMappings, scalarOf, toPlain, type MappingValue, type Plain, type Value } from './value.ts';

type PlainTree = Record<string, Plain>;

/** The arguments of AgentJet's `AgentJetJob`, of all releases, and the keys below `ajet` that they set. */
export const jobArguments: Readonly<Record<string, string>> = {
  experiment_dir: 'experiment_dir',
  project_name: 'project_name',
  experiment_name: 'experiment_name',
  backbone: 'backbone',
  model: 'model.path',
  logging: 'trainer_common.logger',
  n_gpu: 'trainer_common.n_gpus_per_node',
  nnodes: 'trainer_common.nnodes',
  algorithm: 'trainer_common.algorithm.adv_estimator',
  n_gpu_for_infer: 'rollout.n_vllm_engine',
  num_repeat: 'rollout.num_repeat',
  batch_size: 'data.train_batch_size',
  swarm_mode: 'enable_swarm_mode',
  swarm_mode_sample_collection_method: 'swarm_mode_sample_collection_method',
  max_env_worker: 'rollout.max_env_worker',
  max_prompt_length: 'data.max_prompt_length',
  max_response_length: 'data.max_response_length',
  max_response_length_in_one_turn: 'rollout.max_response_length_in_one_turn',
  max_model_len: 'rollout.max_model_len',
  tensor_model_parallel_size: 'rollout.tensor_model_parallel_size',
  max_num_seqs: 'rollout.max_num_seqs',
  ppo_max_token_len_per_gpu: 'rollout.ppo_max_token_len_per_gpu',
  gpu_memory_utilization: 'rollout.gpu_memory_utilization',
  compute_madness_checklist: 'rollout.compute_madness_checklist',
  ulysses_sequence_parallel_size: 'trainer_common.ulysses_sequence_parallel_size',
  mini_batch_num: 'trainer_common.mini_batch_num',
  lr: 'trainer_common.optim.lr',
  ppo_epochs: 'trainer_common.ppo_epochs',
  use_kl_loss: 'trainer_common.use_kl_loss',
  use_kl_in_reward: 'trainer_common.use_kl_in_reward',
  kl_penalty_type: 'trainer_common.kl_penalty_type',
  total_training_steps: 'trainer_common.total_training_steps',
  val_print_to_markdown_file_path: 'trainer_common.val_print_to_markdown_file_path',
  train_print_to_markdown_file_path: 'trainer_common.train_print_to_markdown_file_path',
  lora_rank: 'lora.lora_rank',
  lora_alpha: 'lora.lora_alpha',
  lora_target_modules: 'lora.target_modules',
  lora_load_format: 'lora.load_format',
  layered_summon: 'lora.layered_summon',
  timeline_compare_level: 'context_tracker.timeline_merging_policy.timeline_compare_level',
};

/** Upstream's skeleton of a job without a file, less what the launcher takes out for the backbone. */
function steering(other: 'verl' | 'trinity'): PlainTree {
  const folder = 'file://ajet/default_config';
  return {
    hydra: { searchpath: [folder, `${folder}/${other}`] },
    defaults: [`${other}_default`, 'ajet_default', '_self_'],
  };
}

export function jobDefaults(backbone: string): MappingValue {
  const other = backbone === 'trinity' ? 'trinity' : 'verl';
  const table = ajetKeys();
  const layers = [bundledDefault(`${other}_default`, table), bundledDefault('ajet_default', table)];
  const defaults = layers.reduce((earlier, later) => mergeMappings(earlier, later));
  return withPlain(defaults, { ...plainOf(defaults), ...steering(other) });
}

export function plainOf(tree: MappingValue): PlainTree {
  return toPlain(tree) as PlainTree;
}

/** `tree` with the values of `plain`; a number stays a float where `tree` has one there. */
export function withPlain(tree: MappingValue, plain: Readonly<Record<string, unknown>>): MappingValue {
  const entries = Object.entries(plain).map(([key, value]): [string, Value] => [
    key,
    valueFrom(value, tree.entries.get(key), tree),
  ]);
  return { ...tree, entries: new Map(entries) };
}

/** Returns the part of `plain` that differs from `defaults`; undefined if none does. Lists are compared as a whole. */
export function changedFrom(defaults: unknown, plain: unknown): unknown {
  if (!isRecord(plain) || !isRecord(defaults)) return isEqual(plain, defaults) ? undefined : plain;
  const changed = Object.entries(plain).flatMap(([key, value]) => {
    const change = Object.hasOwn(defaults, key) ? changedFrom(defaults[key], value) : value;
    return change === undefined ? [] : [[key, change] as const];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function valueFrom(plain: unknown, was: Value | undefined, { origin }: Value): Value {
  if (Array.isArray(plain)) {
    const items = was?.kind === 'sequence' ? was.items : [];
    return {
      kind: 'sequence',
      origin,
      items: plain.map((item, index) => valueFrom(item, items[index], { kind: 'scalar', origin, ...none })),
    };
  }
  if (isRecord(plain)) {
    const mapping = was?.kind === 'mapping' ? was : { kind: 'mapping' as const, origin, entries: new Map() };
    return withPlain(mapping, plain);
  }
  const float = was?.kind === 'scalar' && was.type === 'float';
  return { kind: 'scalar', origin, ...scalarOf(plain, float) };
}

const none = { type: 'null', value: null } as const;

/**
 * Returns `plain` with checked assignments. Setting a key under `ajet` that neither it nor the key table has throws
 * `job/unknown-key`. Users own the sections next to `ajet`.
 */
export function strictTree<T extends object>(plain: T): T {
  return strict(plain, '', ajetKeys());
}

function strict<T extends object>(tree: T, path: string, table: KeyTable): T {
  return new Proxy(tree, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, receiver);
      if (typeof value !== 'object' || value === null || Array.isArray(value) || typeof key === 'symbol') {
        return value;
      }
      return strict(value, join(path, key), table);
    },
    set(target, key, value, receiver) {
      if (typeof key === 'string' && !Object.hasOwn(target, key)) mustBeKnown(target, path, key, table);
      return Reflect.set(target, key, value, receiver);
    },
  });
}

function mustBeKnown(target: object, path: string, key: string, table: KeyTable): void {
  const section = path === '' ? undefined : table.get(path);
  const isOpen = section === undefined || section.children.size === 0 || section.anyChild !== undefined;
  if (isOpen || section.children.has(key)) return;
  const names = [...new Set([...Object.keys(target), ...section.children.keys()])];
  throw new CodedError({
    code: 'job/unknown-key',
    message: `${join(path, key)} is not a key of AgentJet.`,
    hint: `Did you mean ${join(path, closest(key, names))}?`,
  });
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
