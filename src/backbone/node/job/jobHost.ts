/** Implements `AgentJetJob` for scripts: configs made in code, and the run of this process. */

import path from 'node:path';
import { closest } from 'fastest-levenshtein';
import { mkdir, writeFile } from 'node:fs/promises';
import { CodedError, type Location, messageOf } from '../../../base/core/errors.ts';
import { valueAtPath, setAtPath } from '../../../base/core/plainTree.ts';
import { strftime } from '../../../base/core/strftime.ts';
import type { Composition } from '../../../configs/core/compose.ts';
import { renderEffective } from '../../../configs/core/effective/render.ts';
import {
  changedFrom,
  jobArguments,
  jobDefaults,
  plainOf,
  strictTree,
  withPlain,
} from '../../../configs/core/jobTree.ts';
import { firstError } from '../../../configs/core/finding.ts';
import type { MappingValue } from '../../../configs/core/value.ts';
import type { JobArguments } from '../../core/protocol/pythonJob.ts';
import type { JobConfig, JobHost, JobOptions, JobSplits, JobWorkflow } from '../../../sdk/core/jobHost.ts';
import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';

export interface JobRun {
  /** The absolute path of the written config. */
  readonly file: string;
  readonly text: string;
  /** The class or function that the script passed; undefined to use the config's locator. */
  readonly workflow: unknown;
}

export interface JobPorts {
  readonly cwd: string;
  /** The absolute parent of run folders. */
  readonly expDir: string;
  readonly script: string;
  readonly names: JobNames;
  now(): Date;
  compose(file: string): Promise<Composition>;
  /** Returns the user's file that exports a value, and its name there. Skips the file `except`. */
  findExport(
    value: unknown,
    except: string,
  ): Promise<{ readonly file: string; readonly name: string } | undefined>;
  /** Runs the job to its end. Rejects if it cannot start. */
  run(job: JobRun): Promise<readonly EpisodeResult[]>;
  userFrame(error: unknown): Location | undefined;
}

/** The jobs of a script. A process runs one of them. */
export class ScriptJobs implements JobHost {
  readonly #ports: JobPorts;
  /** The values of configs that were loaded or created, some of which are floats. */
  readonly #trees = new WeakMap<JobConfig, MappingValue>();
  /** The run; undefined until a job of the script calls `tune`. */
  tuned: Promise<readonly EpisodeResult[]> | undefined;

  constructor(ports: JobPorts) {
    this.#ports = ports;
  }

  config(options: JobOptions): JobConfig {
    const { backbone = 'trinity', nGpu = 8, nGpuForInfer } = options;
    if (!backbones.includes(backbone)) throw this.#at(jobErrors.unknownBackbone(backbone, backbones));
    if (nGpuForInfer !== undefined) this.#checkInfer(backbone, nGpu, nGpuForInfer);
    const config = this.#configOf(jobDefaults(backbone));
    const values: Readonly<Record<string, unknown>> = {
      backbone,
      experiment_name: this.#timed('ajet_job', '%Y%m%d_%H%M%S'),
      'model.path': options.model ?? 'Qwen/Qwen2___5-7B-Instruct',
      'trainer_common.n_gpus_per_node': nGpu,
      'trainer_common.algorithm.adv_estimator': options.algorithm ?? 'grpo',
      ...(nGpuForInfer !== undefined && {
        'rollout.n_vllm_engine': nGpuForInfer,
        'rollout.tensor_model_parallel_size': 1,
      }),
    };
    for (const [key, value] of Object.entries(values)) setAtPath(config.ajet, key, value);
    return config;
  }

  /**
   * Returns the config for arguments of the class in Python, of all releases: those of a base config with these values,
   * or the defaults.
   */
  async configOf(given: JobArguments): Promise<JobConfig> {
    const { base_yaml_config: base, ensure_new_experiment: isNew, ...values } = given;
    const unknown = Object.keys(values).find((name) => !Object.hasOwn(jobArguments, name));
    if (unknown !== undefined) throw this.#at(jobErrors.unknownArgument(unknown));
    const missing = lengthArguments.filter((name) => !(name in values));
    if (missing.length > 0 && missing.length < lengthArguments.length) {
      throw this.#at(jobErrors.missingLengths(missing));
    }
    const isOlder = Object.keys(given).every((name) => olderArguments.includes(name));
    const { backbone = isOlder ? 'trinity' : 'verl', n_gpu: nGpu, n_gpu_for_infer: nGpuForInfer } = values;
    const options = { backbone, nGpu, nGpuForInfer } as JobOptions;
    const config = base === undefined ? this.config(options) : await this.load(base);
    for (const [name, value] of Object.entries(values)) {
      setAtPath(config.ajet, jobArguments[name] ?? name, value);
    }
    if (isNew) {
      const name = String(valueAtPath(config.ajet, 'experiment_name'));
      setAtPath(config.ajet, 'experiment_name', this.#timed(name, '%Y%m%d-%H%M%S'));
    }
    return config;
  }

  setData(config: JobConfig, type: string, datasetPath: string | undefined, splits: JobSplits): void {
    const reader = dataTypes[type];
    if (reader === undefined)
      throw this.#at(jobErrors.unknownData(this.#ports.names, type, Object.keys(dataTypes)));
    setAtPath(config.ajet, 'task_reader.type', reader);
    if (reader === 'random_dummy') return;
    if (datasetPath === undefined) throw this.#at(jobErrors.noDataset(this.#ports.names, type));
    setAtPath(config.ajet, `task_reader.${reader}`, dataSections[reader]?.(datasetPath, splits));
  }

  async load(file: string): Promise<JobConfig> {
    const place = path.resolve(this.#ports.cwd, file);
    const { config, problems } = await this.#ports.compose(place);
    const error = firstError(problems);
    if (error !== undefined) throw error;
    const loaded = this.#configOf(config.root);
    // Names the run after this file, not after the run's copy of the config.
    if ([null, undefined, '', 'read_yaml_name'].includes(valueAtPath(loaded.ajet, 'experiment_name') as null))
      setAtPath(loaded.ajet, 'experiment_name', this.#timed(path.parse(place).name, '%Y%m%d_%H%M%S'));
    return loaded;
  }

  async dump(config: JobConfig, workflow: JobWorkflow | undefined, file: string): Promise<string> {
    const target = path.resolve(this.#ports.cwd, file);
    const locator = await this.#locatorOf(workflow);
    if (locator === 'local') throw this.#at(jobErrors.notExported(nameOf(workflow)));
    await writeConfig(target, this.#textOf(config, locator));
    return target;
  }

  tune(config: JobConfig, workflow: JobWorkflow | undefined): Promise<readonly EpisodeResult[]> {
    if (this.tuned !== undefined) throw this.#at(jobErrors.tunedTwice());
    if (workflow === undefined && !this.#namesWorkflow(config))
      throw this.#at(jobErrors.noWorkflow(this.#ports.names));
    this.tuned = this.#tune(config, workflow);
    // If the script does not await it, the end of the run reports the error.
    this.tuned.catch(() => undefined);
    return this.tuned;
  }

  async #tune(config: JobConfig, workflow: JobWorkflow | undefined): Promise<readonly EpisodeResult[]> {
    const found = await this.#locatorOf(workflow);
    const locator = found === 'local' ? `${this.#ports.script}->${nameOf(workflow)}` : found;
    const text = this.#textOf(config, locator);
    const name = String(valueAtPath(config.ajet, 'experiment_name'));
    const file = runConfigFile(this.#ports.expDir, name);
    await writeConfig(file, text);
    return this.#ports.run({ file, text, workflow: found === 'local' ? workflow : undefined });
  }

  /** Returns true if the config names a workflow other than the default, which is upstream's example. */
  #namesWorkflow(config: JobConfig): boolean {
    const defaults = plainOf(jobDefaults('debug')) as unknown as JobConfig;
    return valueAtPath(config.ajet, workflowKey) !== valueAtPath(defaults.ajet, workflowKey);
  }

  /** `local`: only the script itself exports it. A config cannot name that: loading the script would run it. */
  async #locatorOf(workflow: JobWorkflow | undefined): Promise<string | undefined> {
    if (workflow === undefined || typeof workflow === 'string') return workflow;
    const found = await this.#ports.findExport(workflow, this.#ports.script);
    if (found === undefined) return 'local';
    return locatorOf(found, this.#ports.cwd);
  }

  #textOf(config: JobConfig, locator: string | undefined): string {
    const plain = JSON.parse(JSON.stringify(config)) as JobConfig;
    if (locator !== undefined) setAtPath(plain.ajet, workflowKey, locator);
    const defaults = jobDefaults(String(valueAtPath(plain.ajet, 'backbone')));
    const { ajet, hydra, defaults: list, ...others } = plain;
    // Values that `defaults` adds need not be written. Some are overwritten on the way to the backbone.
    const changed = changedFrom(plainOf(defaults), others) as object | undefined;
    const tree = this.#trees.get(config) ?? defaults;
    return renderEffective(withPlain(tree, { ajet, ...changed, hydra, defaults: list }), {
      format: 'yaml',
      origins: false,
    }).text;
  }

  #configOf(tree: MappingValue): JobConfig {
    const config = strictTree(plainOf(tree)) as unknown as JobConfig;
    this.#trees.set(config, tree);
    return config;
  }

  #checkInfer(backbone: string, nGpu: number, nGpuForInfer: number): void {
    if (backbone === 'verl') throw this.#at(jobErrors.inferOnVerl(this.#ports.names));
    if (!Number.isInteger(nGpuForInfer) || nGpuForInfer < 1 || nGpuForInfer >= nGpu) {
      throw this.#at(jobErrors.badInfer(this.#ports.names, nGpuForInfer, nGpu));
    }
  }

  #timed(name: string, format: string): string {
    return `${name}_${strftime(this.#ports.now(), format)}`;
  }

  #at(error: CodedError): CodedError {
    const location = this.#ports.userFrame(error);
    const { code, message, hint } = error;
    return new CodedError({ code, message, hint, location, cause: error });
  }
}

const backbones = ['trinity', 'verl', 'debug'];

/** The arguments of AgentJet's class in January 2026. Later releases have others, and another default backbone. */
const olderArguments = ['backbone', 'model', 'n_gpu', 'algorithm', 'n_gpu_for_infer'];

/** Arguments that AgentJet takes only together. */
const lengthArguments = [
  'max_prompt_length',
  'max_response_length',
  'max_response_length_in_one_turn',
  'max_model_len',
];

/** Task readers by the names that `setData` accepts. */
const dataTypes: Readonly<Record<string, string>> = {
  hf: 'huggingface_dat_repo',
  huggingface: 'huggingface_dat_repo',
  huggingface_dat_repo: 'huggingface_dat_repo',
  jsonl: 'jsonl_dataset_file',
  jsonl_dataset_file: 'jsonl_dataset_file',
  dummy: 'random_dummy',
  random_dummy: 'random_dummy',
};

const dataSections: Readonly<Record<string, (path: string, splits: JobSplits) => object>> = {
  huggingface_dat_repo: (dataset_path, { trainingSplit = 'train', validationSplit = 'test' }) => ({
    dataset_path,
    training_split: trainingSplit,
    validation_split: validationSplit,
  }),
  jsonl_dataset_file: (file_path, { validationPath = file_path }) => ({
    training: { file_path },
    validation: { file_path: validationPath },
  }),
};

const workflowKey = 'rollout.user_workflow';

function nameOf(workflow: JobWorkflow | undefined): string {
  return typeof workflow === 'function' && workflow.name !== '' ? workflow.name : '(anonymous)';
}

/** Returns the file for the config of a script's run: next to the run folders, by the name of its experiment. */
export function runConfigFile(expDir: string, experiment: string): string {
  return path.join(expDir, `${experiment.replace(/[|/\\:]/g, '-')}.yaml`);
}

/** Rejects with `job/not-written`. */
export async function writeConfig(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  } catch (error) {
    throw jobErrors.notWritten(file, error);
  }
}

/** Returns the locator of an export, relative to the working directory. */
export function locatorOf(
  { file, name }: { readonly file: string; readonly name: string },
  cwd: string,
): string {
  const relative = path.relative(cwd, file);
  const isInside = !relative.startsWith('..') && !path.isAbsolute(relative);
  return `${isInside ? relative.split(path.sep).join('/') : file}->${name}`;
}

/** Names of the job API in the language of the script. */
interface JobNames {
  readonly nGpu: string;
  readonly nGpuForInfer: string;
  readonly setData: string;
  readonly setWorkflow: string;
  /** A file with a workflow, for examples. */
  readonly file: string;
}

export const typeScriptNames: JobNames = {
  nGpu: 'nGpu',
  nGpuForInfer: 'nGpuForInfer',
  setData: 'setData',
  setWorkflow: 'setWorkflow',
  file: 'file.ts',
};

export const pythonNames: JobNames = {
  nGpu: 'n_gpu',
  nGpuForInfer: 'n_gpu_for_infer',
  setData: 'set_data',
  setWorkflow: 'set_workflow',
  file: 'file.py',
};

export const jobErrors = {
  unknownBackbone: (backbone: string, known: readonly string[]) =>
    new CodedError({
      code: 'job/unknown-backbone',
      message: `Unknown backbone ${JSON.stringify(backbone)}.`,
      hint: `Choose from ${known.join(', ')}.`,
    }),

  unknownArgument: (name: string) =>
    new CodedError({
      code: 'job/unknown-argument',
      message: `AgentJetJob has no argument ${name}.`,
      hint: `Did you mean ${closest(name, ['base_yaml_config', 'ensure_new_experiment', ...Object.keys(jobArguments)])}? Other keys are set in job.config.ajet.`,
    }),

  missingLengths: (missing: readonly string[]) =>
    new CodedError({
      code: 'job/missing-lengths',
      message: `AgentJetJob takes its four lengths only together, and ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
      hint: `Pass ${lengthArguments.join(', ')}, or none of them.`,
    }),

  inferOnVerl: ({ nGpuForInfer }: JobNames) =>
    new CodedError({
      code: 'job/infer-on-verl',
      message: `${nGpuForInfer} is only for trinity. On verl, every GPU samples and trains.`,
      hint: `Leave ${nGpuForInfer} out.`,
    }),

  badInfer: (names: JobNames, forInfer: number, all: number) =>
    new CodedError({
      code: 'job/bad-infer',
      message: `${names.nGpuForInfer} is ${forInfer} and ${names.nGpu} is ${all}, so no GPU remains for training.`,
      hint: `Set it to a whole number from 1 to ${names.nGpu} - 1.`,
    }),

  unknownData: ({ setData }: JobNames, type: string, known: readonly string[]) =>
    new CodedError({
      code: 'job/unknown-data',
      message: `${setData} does not support data of type ${JSON.stringify(type)}.`,
      hint: `Use ${known.join(', ')}. For other readers, set job.config.ajet.task_reader.`,
    }),

  noDataset: ({ setData }: JobNames, type: string) =>
    new CodedError({
      code: 'job/no-dataset',
      message: `${setData}(${JSON.stringify(type)}) needs the path of the data set.`,
      hint: `Write ${setData}(${JSON.stringify(type)}, 'path/or/id').`,
    }),

  noWorkflow: ({ setWorkflow, file }: JobNames) =>
    new CodedError({
      code: 'job/no-workflow',
      message: 'The job has no workflow.',
      hint: `Call ${setWorkflow} with the class, or with '${file}->ClassName', before tune.`,
    }),

  notExported: (name: string) =>
    new CodedError({
      code: 'job/not-exported',
      message: `A config cannot name ${name}, because only the script itself defines it.`,
      hint: `Move ${name} to a separate file, export it there, and import it in the script.`,
    }),

  tunedTwice: () =>
    new CodedError({
      code: 'job/tuned-twice',
      message: 'A script can run only one job, and tune was called before.',
      hint: 'Use a separate script for the other job.',
    }),

  notTuned: (script: string) =>
    new CodedError({
      code: 'job/not-tuned',
      message: 'The script ended without a run.',
      location: { file: script },
      hint: 'Create an AgentJetJob in the script, set its workflow and data, and call its tune().',
    }),

  notWritten: (file: string, cause: unknown) =>
    new CodedError({
      code: 'job/not-written',
      message: `The config ${file} cannot be written: ${messageOf(cause)}.`,
      hint: 'Choose another file.',
      cause,
    }),
};
