import type { FileReader, PathRules } from '../../../base/core/ports.ts';
import { compose } from '../../../configs/core/compose.ts';
import { convert } from '../../../configs/core/convert/convert.ts';
import { gpuSplit } from '../../../configs/core/convert/fillTrainer.ts';
import { dialectOf, type DialectId } from '../../../configs/core/dialect.ts';
import type { Environment } from '../../../configs/core/interpolation/host.ts';
import type { ConfigProblem } from '../../../configs/core/finding.ts';
import { valueAt, type MappingValue, type Value } from '../../../configs/core/value.ts';
import type { RunOrder } from '../protocol/runs.ts';
import {
  dataValues,
  keyUsersIn,
  readerKey,
  type DataSource,
  type KeyedValue,
  type KeyUser,
} from './dataSources.ts';

export interface TrainingRequest {
  /** Absolute path of the config on the host. The file need not exist yet. */
  readonly file: string;
  readonly text: string;
  readonly cwd: string;
  readonly backbone: RunOrder['backbone'];
  readonly files: FileReader;
  readonly paths: PathRules;
  readonly environment: Environment;
}

export interface JobLocation {
  readonly root: KeyedValue<string>;
  readonly project: KeyedValue<string>;
  /** Empty if there is none. */
  readonly group: KeyedValue<string>;
  /** Null if the launcher derives it from the start time. */
  readonly name: KeyedValue<string | null>;
}

/**
 * The use of an existing job folder by upstream. `alone`: trains and explores in it, so no other run may use it.
 * `beside`: is one half of a training, or evaluates what another run wrote. `renamed`: takes a new folder.
 */
export type JobUse = 'alone' | 'beside' | 'renamed';

/** The settings that can differ between the stages of a training. */
export interface TrainingPart {
  readonly mode: string;
  /** Number of GPUs for inference engines; null if Trinity does not set it. */
  readonly engineGpus: KeyedValue<number | null>;
  readonly totalSteps: number | null;
  readonly data: readonly DataSource[];
  /** Names of Trinity's explorer and trainer. Their files in the job's folder begin with these names. */
  readonly actors: readonly [explorer: string, trainer: string];
  /** The trainer: `verl` or `tinker`. */
  readonly trainer: KeyedValue<string>;
  /** Which checkpoints have weights in Hugging Face format. */
  readonly weights: KeyedValue<string>;
}

/**
 * A stage of a training. A section of a stage replaces the whole section of the config. Its folder is in the job's
 * folder, by its name. Its model is the last one that the stage before saved.
 */
export interface TrainingStage extends TrainingPart {
  readonly name: KeyedValue<string>;
}

export function partsOf(training: Training): readonly TrainingPart[] {
  return training.stages.length > 0 ? training.stages : [training];
}

/** Returns the data of all parts. Data that stages share counts once. */
export function dataOf({ data, stages }: Pick<Training, 'data' | 'stages'>): readonly DataSource[] {
  const all = stages.length === 0 ? data : stages.flatMap((stage) => stage.data);
  return [...new Map(all.map((one) => [one.key, one])).values()];
}

/** The requirements of a config. Settings that the config leaves open are null. */
export interface Training extends TrainingPart {
  readonly dialect: DialectId;
  readonly backbone: RunOrder['backbone'];
  readonly nodes: KeyedValue<number | null>;
  readonly gpusPerNode: KeyedValue<number | null>;
  /** The stages in order; empty if the training has none. */
  readonly stages: readonly TrainingStage[];
  readonly job: JobLocation;
  /** True if training continues from checkpoints in the job's folder. */
  readonly continues: KeyedValue<boolean>;
  readonly model: KeyedValue<string | null>;
  /** Locators of the workflow and the judge. */
  readonly code: readonly KeyedValue<string>[];
  /** The target of metrics: `swanlab`, `wandb`, `tensorboard`, … */
  readonly monitor: KeyedValue<string | null>;
  /** AgentJet's name of the task reader. */
  readonly reader: KeyedValue<string | null>;
  readonly keyUsers: readonly KeyedValue<KeyUser>[];
  /** The Tinker server that samples and trains; null if GPUs of the host or cluster do. */
  readonly tinker: TinkerUse | null;
  readonly problems: readonly ConfigProblem[];
}

export interface TinkerUse {
  /** Its address; null if the environment has it. */
  readonly baseUrl: KeyedValue<string | null>;
  readonly enable: KeyedValue<true>;
}

/** Reads a config as the launcher and the backbone would. Never throws because of its content. */
export async function readTraining(request: TrainingRequest): Promise<Training> {
  const dialect = dialectOf(request.text);
  const composed = await compose({ ...request, ...(dialect && { dialect }) });
  const { id = 'ajet' } = dialect ?? {};
  const { backbone } = request;
  const conversion = id === 'ajet' ? convert(composed, backbone) : undefined;
  const own = composed.config.root;
  const reader = new TrainingReader({ backbone, dialect: id, own, root: conversion?.root ?? own });
  return { ...reader.training(), problems: [...composed.problems, ...(conversion?.problems ?? [])] };
}

const places = {
  trinity: {
    nodes: 'cluster.node_num',
    gpus: 'cluster.gpu_per_node',
    steps: ['trainer.total_steps', 'buffer.total_steps'],
    root: 'checkpoint_root_dir',
    project: 'project',
    name: 'name',
    model: 'model.model_path',
    monitor: 'monitor.monitor_type',
  },
  verl: {
    nodes: 'trainer.nnodes',
    gpus: 'trainer.n_gpus_per_node',
    steps: ['trainer.total_training_steps'],
    root: 'trainer.checkpoint_base_dir',
    project: 'trainer.project_name',
    name: 'trainer.experiment_name',
    model: 'actor_rollout_ref.model.path',
    monitor: 'trainer.logger',
  },
} as const;

const codePlaces = ['ajet.rollout.user_workflow', 'ajet.task_judge.judge_protocol'];

interface ReadConfig {
  readonly backbone: RunOrder['backbone'];
  readonly dialect: DialectId;
  /** The config in its own dialect. */
  readonly own: MappingValue;
  readonly root: MappingValue;
}

interface ReadStage {
  readonly path: string;
  readonly own: ReadonlyMap<string, Value>;
}

class TrainingReader {
  readonly #config: ReadConfig;
  readonly #root: MappingValue;
  readonly #stage: ReadStage | undefined;

  /** @param stage undefined to read the whole config */
  constructor(config: ReadConfig, stage?: ReadStage) {
    const { root } = config;
    this.#config = config;
    this.#stage = stage;
    this.#root = stage === undefined ? root : { ...root, entries: new Map([...root.entries, ...stage.own]) };
  }

  training(): Omit<Training, 'problems'> {
    const { backbone, dialect, own } = this.#config;
    const place = places[backbone];
    const tinker = this.#tinker();
    const nodes = this.#number(place.nodes);
    const gpus = this.#number(place.gpus);
    return {
      ...this.#part(),
      dialect,
      backbone,
      // With Tinker, Trinity ignores the cluster.
      nodes: tinker === null ? counted(nodes) : { ...nodes, value: 1 },
      gpusPerNode: tinker === null ? counted(gpus) : { ...gpus, value: 0 },
      stages: backbone === 'trinity' ? this.#stages() : [],
      job: this.#job(),
      continues: this.#continues(),
      model: this.#text(place.model),
      code: dialect === 'ajet' ? codePlaces.flatMap((path) => this.#code(path)) : [],
      monitor: this.#monitor(place.monitor),
      reader: this.#own(readerKey),
      keyUsers: dialect === 'ajet' ? keyUsersIn(own) : [],
      tinker,
    };
  }

  #tinker(): TinkerUse | null {
    const enable = valueAt(this.#root, 'model.tinker.enable');
    const isOn = this.#config.backbone === 'trinity' && enable?.kind === 'scalar' && enable.value === true;
    if (!isOn) return null;
    return {
      baseUrl: this.#text('model.tinker.base_url'),
      enable: { key: this.#keyOf(enable, 'model.tinker.enable'), value: true },
    };
  }

  #part(): TrainingPart {
    const { backbone } = this.#config;
    const { steps } = places[backbone];
    const isTinker = this.#tinker() !== null;
    const split = backbone === 'trinity' && !isTinker ? gpuSplit(this.#root) : undefined;
    return {
      mode: backbone === 'trinity' ? (this.#text('mode').value ?? 'both') : 'both',
      engineGpus: { ...this.#number('explorer.rollout_model.engine_num'), value: split?.explorer ?? null },
      totalSteps: steps.map((path) => this.#number(path).value).find((number) => number !== null) ?? null,
      data: this.#data(),
      actors: [this.#actor('explorer'), this.#actor('trainer')],
      trainer: isTinker
        ? { ...this.#text('trainer.trainer_type'), value: 'tinker' }
        : or(this.#text('trainer.trainer_type'), 'verl'),
      weights: or(this.#text('trainer.save_hf_checkpoint'), 'last'),
    };
  }

  #stages(): TrainingStage[] {
    const stages = valueAt(this.#root, 'stages');
    if (stages?.kind !== 'sequence') return [];
    return stages.items.flatMap((stage, index) => {
      if (stage.kind !== 'mapping') return [];
      const own = [...stage.entries].filter(([, value]) => value.kind !== 'scalar' || value.value !== null);
      const reader = new TrainingReader(this.#config, { path: `stages.${index}`, own: new Map(own) });
      return [{ name: or(reader.#text('stage_name'), ''), ...reader.#part() }];
    });
  }

  #job(): JobLocation {
    const { backbone } = this.#config;
    const place = places[backbone];
    const name = this.#text(place.name);
    return {
      root: or(this.#text(place.root), './checkpoints'),
      project: or(this.#text(place.project), ''),
      group: backbone === 'trinity' ? or(this.#text('group'), '') : { key: 'group', value: '' },
      name: name.value?.endsWith('<YYYYmmdd_HHMM>') === true ? { ...name, value: null } : name,
    };
  }

  #continues(): KeyedValue<boolean> {
    if (this.#config.backbone === 'verl') {
      const mode = this.#text('trainer.resume_mode');
      return { key: mode.key, value: mode.value === null || mode.value === 'auto' };
    }
    const value = valueAt(this.#root, 'continue_from_checkpoint');
    const isOff = value?.kind === 'scalar' && value.value === false;
    return { key: this.#keyOf(value, 'continue_from_checkpoint'), value: !isOff };
  }

  /** Returns the data of the training. AgentJet reads its own before a backbone exists. */
  #data(): DataSource[] {
    const { dialect, own } = this.#config;
    const found = dialect === 'trinity' ? dataValues(this.#root, dialect) : dataValues(own, 'ajet');
    return found.flatMap(({ kind, path, value }) => {
      const text = textOf(value);
      const key = dialect === 'trinity' ? this.#keyOf(value, path) : path;
      return text === null ? [] : [{ kind, key, value: text }];
    });
  }

  /** Returns the monitor. verl has a list of loggers, and the first is the console. */
  #monitor(path: string): KeyedValue<string | null> {
    const value = valueAt(this.#root, path);
    return this.#text(value?.kind === 'sequence' ? `${path}.${value.items.length - 1}` : path);
  }

  /** Returns the name of an actor, or the default if the configured one would leave the job's folder. */
  #actor(kind: 'explorer' | 'trainer'): string {
    const { value } = this.#text(`${kind}.name`);
    return value === null || value.includes('/') ? kind : value;
  }

  #own(path: string): KeyedValue<string | null> {
    return { value: textOf(valueAt(this.#config.own, path)), key: path };
  }

  #code(path: string): readonly KeyedValue<string>[] {
    const { key, value } = this.#own(path);
    return value === null ? [] : [{ key, value }];
  }

  #text(path: string): KeyedValue<string | null> {
    const value = valueAt(this.#root, path);
    return { value: textOf(value), key: this.#keyOf(value, path) };
  }

  #number(path: string): KeyedValue<number | null> {
    const value = valueAt(this.#root, path);
    const number = value?.kind === 'scalar' && typeof value.value === 'number' ? value.value : null;
    return { value: number, key: this.#keyOf(value, path) };
  }

  /** Returns the key that the user would change. For a converted value, this is its source key. */
  #keyOf(value: Value | undefined, path: string): string {
    const made = value?.origin.kind === 'rule' ? value.origin.inputs[0]?.path : undefined;
    if (made !== undefined) return made;
    const [section = ''] = path.split('.');
    const placed = this.#stage?.own.has(section) === true ? `${this.#stage.path}.${path}` : path;
    const { dialect, backbone } = this.#config;
    return dialect === 'ajet' && backbone === 'trinity' ? `trinity.${placed}` : placed;
  }
}

/** Replaces 0 with null, because Trinity determines a number that is 0. */
function counted({ key, value }: KeyedValue<number | null>): KeyedValue<number | null> {
  return { key, value: value === 0 ? null : value };
}

function or(found: KeyedValue<string | null>, otherwise: string): KeyedValue<string> {
  return { key: found.key, value: found.value ?? otherwise };
}

function textOf(value: Value | undefined): string | null {
  const text = value?.kind === 'scalar' ? value.value : null;
  return typeof text === 'string' && text !== '' ? text : null;
}

/** @param isEmpty whether the job's folder is empty or missing, so that upstream uses it as it is */
export function jobUse(
  { backbone, mode, continues, stages }: Pick<Training, 'backbone' | 'mode' | 'continues' | 'stages'>,
  isEmpty: boolean,
): JobUse {
  // Each stage has its own folder. The parent folder stays, and records the current stage.
  if (backbone === 'verl' || stages.length > 0) return 'alone';
  if (!continues.value && !isEmpty && mode !== 'bench') return 'renamed';
  return mode === 'both' || mode === 'colocate' ? 'alone' : 'beside';
}

/** Returns the absolute folder; null if the name is set when the training starts. */
export function jobFolder(job: JobLocation, cwd: string, paths: Pick<PathRules, 'resolve'>): string | null {
  return job.name.value === null ? null : folderOf(job, job.name.value, cwd, paths);
}

export function folderOf(
  { root, project, group }: JobLocation,
  name: string,
  cwd: string,
  paths: Pick<PathRules, 'resolve'>,
): string {
  const parts = [project.value, group.value, name].filter((part) => part !== '');
  return paths.resolve(cwd, root.value, ...parts);
}
