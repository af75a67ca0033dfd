import type { FileReader, PathRules } from '../../../base/core/ports.ts';
import { compose, type Composition } from '../../../configs/core/compose.ts';
import { convert } from '../../../configs/core/convert/convert.ts';
import { gpuSplit } from '../../../configs/core/convert/fillTrainer.ts';
import { dialectOf, type DialectId } from '../../../configs/core/dialect.ts';
import type { Environment } from '../../../configs/core/interpolation/host.ts';
import type { ConfigProblem } from '../../../configs/core/finding.ts';
import { valueAt, type MappingValue, type ScalarPart, type Value } from '../../../configs/core/value.ts';
import type { RunOrder } from '../protocol/runs.ts';
import { dataValues, readerKey, type DataSource } from './dataSources.ts';
import type { KeyedValue } from './keyed.ts';
import { keyUsersIn, type KeyUser } from './keyUsers.ts';

export interface TrainingRequest {
  /** Absolute place of the config on the host, where it is or will be. */
  readonly file: string;
  readonly text: string;
  /** The run's working folder. */
  readonly cwd: string;
  readonly backbone: RunOrder['backbone'];
  readonly files: FileReader;
  readonly paths: PathRules;
  readonly environment: Environment;
}

/** The parts of the folder that checkpoints and logs go to. */
export interface JobLocation {
  readonly root: KeyedValue<string>;
  readonly project: KeyedValue<string>;
  /** Empty where there is none. */
  readonly group: KeyedValue<string>;
  /** Null: made of the time when the training starts. */
  readonly name: KeyedValue<string | null>;
}

/**
 * What upstream does with a job's folder that is there already. `alone`: trains and explores in it, so no other run may be at
 * work there; `beside`: is one half of a training, or measures what another one has written; `renamed`: takes a new folder.
 */
export type JobUse = 'alone' | 'beside' | 'renamed';

/** What a stage of a training may have of its own, and a training without stages has as a whole. */
export interface TrainingPart {
  readonly mode: string;
  /** GPUs that the inference engines take, of all; null where Trinity does not tell. */
  readonly engineGpus: KeyedValue<number | null>;
  readonly totalSteps: number | null;
  readonly data: readonly DataSource[];
  /** Names of Trinity's explorer and trainer; files of theirs in the job's folder begin with them. */
  readonly actors: readonly [explorer: string, trainer: string];
  /** What trains: `verl`, `tinker`. */
  readonly trainer: KeyedValue<string>;
  /** Of which checkpoints weights are saved in Hugging Face's form. */
  readonly weights: KeyedValue<string>;
}

/**
 * A section that it has stands for the whole one above. Its folder is in the job's, by its name; its model is what the stage
 * before has saved last.
 */
export interface TrainingStage extends TrainingPart {
  readonly name: KeyedValue<string>;
}

/** Those of a training that may differ: its stages, or itself where it has none. */
export function partsOf(training: Training): readonly TrainingPart[] {
  return training.stages.length > 0 ? training.stages : [training];
}

/** Where all parts have their tasks; what stages share counts once. */
export function dataOf({ data, stages }: Pick<Training, 'data' | 'stages'>): readonly DataSource[] {
  const all = stages.length === 0 ? data : stages.flatMap((stage) => stage.data);
  return [...new Map(all.map((one) => [one.key, one])).values()];
}

/** What a config asks of the machine that it is trained on. What the config leaves open is null. */
export interface Training extends TrainingPart {
  readonly dialect: DialectId;
  readonly backbone: RunOrder['backbone'];
  readonly nodes: KeyedValue<number | null>;
  readonly gpusPerNode: KeyedValue<number | null>;
  /** In their order; none where the training is one. */
  readonly stages: readonly TrainingStage[];
  readonly job: JobLocation;
  /** Whether it goes on from what is in the job's folder. */
  readonly continues: KeyedValue<boolean>;
  readonly model: KeyedValue<string | null>;
  /** Where the workflow is, and the judge, as locators. */
  readonly code: readonly KeyedValue<string>[];
  /** Where metrics go: `swanlab`, `wandb`, `tensorboard`, … */
  readonly monitor: KeyedValue<string | null>;
  /** Where the tasks come from; AgentJet's name of it. */
  readonly reader: KeyedValue<string | null>;
  /** What in AgentJet takes a key of its own from the environment. */
  readonly keyUsers: readonly KeyedValue<KeyUser>[];
  /** What would keep the launcher from starting, or is worth to be told. */
  readonly problems: readonly ConfigProblem[];
}

/** Reads a config as the launcher and the backbone would. Never throws for what is in it. */
export async function readTraining(request: TrainingRequest): Promise<Training> {
  const dialect = dialectOf(request.text);
  const composed = await compose({ ...request, ...(dialect && { dialect }) });
  const reader = new TrainingReader(request, composed, dialect?.id ?? 'ajet');
  return reader.training();
}

/** Where each backbone has what is asked for. */
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

interface ReadStage {
  readonly path: string;
  /** The sections that it has. */
  readonly own: ReadonlyMap<string, Value>;
}

class TrainingReader {
  readonly #request: TrainingRequest;
  readonly #composed: Composition;
  readonly #dialect: DialectId;
  /** What the backbone is given. */
  readonly #root: MappingValue;
  readonly #problems: readonly ConfigProblem[];
  readonly #stage: ReadStage | undefined;

  /** @param stage undefined: the whole is read */
  constructor(request: TrainingRequest, composed: Composition, dialect: DialectId, stage?: ReadStage) {
    this.#request = request;
    this.#composed = composed;
    this.#dialect = dialect;
    this.#stage = stage;
    const conversion = dialect === 'ajet' ? convert(composed, request.backbone) : undefined;
    const root = conversion?.root ?? composed.config.root;
    this.#root = stage === undefined ? root : { ...root, entries: new Map([...root.entries, ...stage.own]) };
    this.#problems = [...composed.problems, ...(conversion?.problems ?? [])];
  }

  training(): Training {
    const { backbone } = this.#request;
    const place = places[backbone];
    return {
      ...this.#part(),
      dialect: this.#dialect,
      backbone,
      nodes: counted(this.#number(place.nodes)),
      gpusPerNode: counted(this.#number(place.gpus)),
      stages: backbone === 'trinity' ? this.#stages() : [],
      job: this.#job(),
      continues: this.#continues(),
      model: this.#text(place.model),
      code: this.#dialect === 'ajet' ? this.#owns(codePlaces) : [],
      monitor: this.#monitor(place.monitor),
      reader: this.#own(readerKey),
      keyUsers: this.#dialect === 'ajet' ? keyUsersIn(this.#composed.config.root) : [],
      problems: this.#problems,
    };
  }

  #part(): TrainingPart {
    const { backbone } = this.#request;
    const { steps } = places[backbone];
    const split = backbone === 'trinity' ? gpuSplit(this.#root) : undefined;
    return {
      mode: backbone === 'trinity' ? (this.#text('mode').value ?? 'both') : 'both',
      engineGpus: { ...this.#number('explorer.rollout_model.engine_num'), value: split?.explorer ?? null },
      totalSteps: steps.map((path) => this.#number(path).value).find((number) => number !== null) ?? null,
      data: this.#data(),
      actors: [this.#actor('explorer'), this.#actor('trainer')],
      trainer: or(this.#text('trainer.trainer_type'), 'verl'),
      weights: or(this.#text('trainer.save_hf_checkpoint'), 'last'),
    };
  }

  #stages(): TrainingStage[] {
    const stages = valueAt(this.#root, 'stages');
    if (stages?.kind !== 'sequence') return [];
    return stages.items.flatMap((stage, index) => {
      if (stage.kind !== 'mapping') return [];
      const own = [...stage.entries].filter(([, value]) => value.kind !== 'scalar' || value.value !== null);
      const read = { path: `stages.${index}`, own: new Map(own) };
      const reader = new TrainingReader(this.#request, this.#composed, this.#dialect, read);
      return [{ name: or(reader.#text('stage_name'), ''), ...reader.#part() }];
    });
  }

  #job(): JobLocation {
    const place = places[this.#request.backbone];
    const group = this.#text('group');
    const name = this.#text(place.name);
    return {
      root: or(this.#text(place.root), './checkpoints'),
      project: or(this.#text(place.project), ''),
      group: this.#request.backbone === 'trinity' ? or(group, '') : { ...group, value: '' },
      name: name.value?.endsWith('<YYYYmmdd_HHMM>') === true ? { ...name, value: null } : name,
    };
  }

  #continues(): KeyedValue<boolean> {
    if (this.#request.backbone === 'verl') {
      const mode = this.#text('trainer.resume_mode');
      return { key: mode.key, value: mode.value === null || mode.value === 'auto' };
    }
    const value = valueAt(this.#root, 'continue_from_checkpoint');
    const isOff = value?.kind === 'scalar' && value.value === false;
    return { key: this.#keyOf(value, 'continue_from_checkpoint'), value: !isOff };
  }

  /** AgentJet finds its own before there is a backbone. */
  #data(): DataSource[] {
    const isTrinitys = this.#dialect === 'trinity';
    const found = isTrinitys ? dataValues(this.#root, 'trinity') : dataValues(this.#composed.config.root, 'ajet');
    return found.flatMap(({ kind, path, value }) => {
      const text = textOf(value);
      return text === null ? [] : [{ kind, key: isTrinitys ? this.#keyOf(value, path) : path, value: text }];
    });
  }

  /** verl takes a list of loggers; the first is the console. */
  #monitor(path: string): KeyedValue<string | null> {
    const value = valueAt(this.#root, path);
    return this.#text(value?.kind === 'sequence' ? `${path}.${value.items.length - 1}` : path);
  }

  /** Under another name where the config's leads out of the job's folder. */
  #actor(kind: 'explorer' | 'trainer'): string {
    const { value } = this.#text(`${kind}.name`);
    return value === null || value.includes('/') ? kind : value;
  }

  /** Of AgentJet's own part of the config. */
  #own(path: string): KeyedValue<string | null> {
    return { value: textOf(valueAt(this.#composed.config.root, path)), key: path };
  }

  #owns(paths: readonly string[]): KeyedValue<string>[] {
    return named(paths.map((path) => this.#own(path)));
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

  /** What the user would change: of a converted value, the key that it was made of. */
  #keyOf(value: Value | undefined, path: string): string {
    const made = value?.origin.kind === 'rule' ? value.origin.inputs[0]?.path : undefined;
    if (made !== undefined) return made;
    const [section = ''] = path.split('.');
    const placed = this.#stage?.own.has(section) === true ? `${this.#stage.path}.${path}` : path;
    return this.#dialect === 'ajet' && this.#request.backbone === 'trinity' ? `trinity.${placed}` : placed;
  }
}

function named(found: readonly KeyedValue<string | null>[]): KeyedValue<string>[] {
  return found.flatMap(({ key, value }) => (value === null ? [] : [{ key, value }]));
}

/** Trinity takes 0 for a number that it is to find out. */
function counted({ key, value }: KeyedValue<number | null>): KeyedValue<number | null> {
  return { key, value: value === 0 ? null : value };
}

function or(found: KeyedValue<string | null>, otherwise: string): KeyedValue<string> {
  return { key: found.key, value: found.value ?? otherwise };
}

function textOf(value: Value | undefined): string | null {
  if (value?.kind !== 'scalar') return null;
  return isText(value) && value.value !== '' ? value.value : null;
}

function isText(value: ScalarPart): value is ScalarPart & { readonly value: string } {
  return typeof value.value === 'string';
}

/** @param isEmpty whether nothing is in the job's folder yet, or it is not there: then upstream takes it as it is */
export function jobUse(
  { backbone, mode, continues, stages }: Pick<Training, 'backbone' | 'mode' | 'continues' | 'stages'>,
  isEmpty: boolean,
): JobUse {
  // Each stage of several is in a folder of its own; which of them goes on is noted in the one above, which stays.
  if (backbone === 'verl' || stages.length > 0) return 'alone';
  if (!continues.value && !isEmpty && mode !== 'bench') return 'renamed';
  return mode === 'both' || mode === 'colocate' ? 'alone' : 'beside';
}

/** Absolute; null where the name is made when the training starts. */
export function jobFolder(job: JobLocation, cwd: string, paths: Pick<PathRules, 'resolve'>): string | null {
  const { root, project, group, name } = job;
  if (name.value === null) return null;
  const parts = [project.value, group.value, name.value].filter((part) => part !== '');
  return paths.resolve(cwd, root.value, ...parts);
}
