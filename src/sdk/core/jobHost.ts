/** The interface between an `AgentJetJob` of the SDK and the process that runs its script. */
import type { EpisodeResult } from '../../tracking/core/records/episodeResult.ts';

/** The key of the host on the global object, which is all that user code shares with this program. */
export const jobHostKey = Symbol.for('agentjet.jobHost');

/** A section of a config as plain data; what it has is the key tables' to say. */
// oxlint-disable-next-line typescript/no-explicit-any -- users write job.config.ajet.rollout.temperature = 0.5
export type JobSection = Record<string, any>;

/** The whole config of a job: every default, and what was set. */
export interface JobConfig extends Record<string, unknown> {
  ajet: JobSection;
}

export interface JobOptions {
  /** The backbone of training: `trinity` (default), `verl` or `debug`. `tune` always runs on `debug`. */
  readonly backbone?: string | undefined;
  /** `ajet.model.path`. Default `Qwen/Qwen2___5-7B-Instruct`. */
  readonly model?: string | undefined;
  /** `ajet.trainer_common.n_gpus_per_node`. Default 8. */
  readonly nGpu?: number | undefined;
  /** `ajet.trainer_common.algorithm.adv_estimator`. Default `grpo`. */
  readonly algorithm?: string | undefined;
  /** GPUs that only sample, with one engine each; for `trinity`, fewer than `nGpu`. */
  readonly nGpuForInfer?: number | undefined;
}

export interface JobSplits {
  /** Name of the split to train on, default `train`; for `jsonl` the second file is `validationPath`. */
  readonly trainingSplit?: string | undefined;
  /** Default `test`. */
  readonly validationSplit?: string | undefined;
  /** For `jsonl`: the file of validation tasks. Default: the file of training tasks. */
  readonly validationPath?: string | undefined;
}

/** A locator (`file.ts->Name`), or the class or function itself. */
export type JobWorkflow = string | ((...given: never[]) => unknown) | (abstract new () => unknown);

/** Rejects and throws with errors `job/…`. */
export interface JobHost {
  config(options: JobOptions): JobConfig;
  setData(config: JobConfig, type: string, datasetPath: string | undefined, splits: JobSplits): void;
  load(file: string): Promise<JobConfig>;
  /** Resolves to the file, absolute. */
  dump(config: JobConfig, workflow: JobWorkflow | undefined, file: string): Promise<string>;
  tune(config: JobConfig, workflow: JobWorkflow | undefined): Promise<readonly EpisodeResult[]>;
}
