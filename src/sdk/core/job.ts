import {
  jobHostKey,
  type JobConfig,
  type JobHost,
  type JobOptions,
  type JobSplits,
  type JobWorkflow,
} from './jobHost.ts';
import type { EpisodeResult } from '../../tracking/core/records/episodeResult.ts';

export type { JobConfig, JobOptions, JobSection, JobSplits, JobWorkflow } from './jobHost.ts';

/** The result of an episode of a job's run. */
export type JobEpisode = EpisodeResult;

/**
 * A training job that is configured in code instead of YAML, as with upstream's class of this name:
 *
 * ```ts
 * const job = new AgentJetJob({ model: 'Qwen/Qwen2.5-7B-Instruct', nGpu: 8 })
 *   .setWorkflow(MathWorkflow)
 *   .setData('jsonl', 'data/train.jsonl');
 * job.config.ajet.rollout.num_repeat = 4;
 * await job.tune();
 * ```
 *
 * Start a script that creates a job with `agentjet --conf job.ts`, or with F5. Invalid settings throw an Error. Its message
 * explains the fix.
 */
export class AgentJetJob {
  /** All keys with their current values. Keys that AgentJet does not know are rejected. */
  config: JobConfig;
  /** The episodes of the run, once `tune` has resolved. */
  results: readonly JobEpisode[] = [];
  #workflow: JobWorkflow | undefined;

  constructor(options: JobOptions = {}) {
    this.config = host().config(options);
  }

  /**
   * @param workflow `file.ts->Name`, or the class or function, which must be exported for {@link dumpJobAsYaml} to name it
   */
  setWorkflow(workflow: JobWorkflow): this {
    this.#workflow = workflow;
    return this;
  }

  /**
   * @param type `hf`, `huggingface` or `huggingface_dat_repo`: the folder or hub id of a data set; `jsonl` or
   *   `jsonl_dataset_file`: a file; `dummy` or `random_dummy`: a thousand numbered tasks. Others are set in `config`.
   */
  setData(type: string, datasetPath?: string, splits: JobSplits = {}): this {
    host().setData(this.config, type, datasetPath, splits);
    return this;
  }

  /** Writes the whole config, ready for `agentjet --conf` and for `ajet`. Resolves to the file, absolute. */
  dumpJobAsYaml(file: string): Promise<string> {
    return host().dump(this.config, this.#workflow, file);
  }

  /** Takes the config from a YAML file, composed with its defaults; a workflow set before is forgotten. */
  async loadJobFromYaml(file: string): Promise<this> {
    this.config = await host().load(file);
    this.#workflow = undefined;
    return this;
  }

  /**
   * Runs the job on the debug backbone, in this process. Resolves to this job, with `results`, when the run is over;
   * rejects when it cannot start.
   */
  async tune(): Promise<this> {
    this.results = await host().tune(this.config, this.#workflow);
    return this;
  }
}

/** The name that AgentJet had before. */
export { AgentJetJob as AstunerJob };

function host(): JobHost {
  const found = (globalThis as { readonly [jobHostKey]?: JobHost })[jobHostKey];
  if (found !== undefined) return found;
  throw new Error(
    'An AgentJetJob only runs under AgentJet. Start its script with "agentjet --conf FILE", or press F5.',
  );
}
