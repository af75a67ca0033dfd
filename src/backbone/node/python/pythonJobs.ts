/** Implements `AgentJetJob` for Python scripts. Its config is stored here, with the rules of every other job. */
import { isRecord } from '../../../base/core/isRecord.ts';
import type { JobConfig } from '../../../sdk/core/jobHost.ts';
import type { PythonJobCall } from '../../core/protocol/pythonJob.ts';
import { jobErrors, pythonNames } from '../job/errors.ts';
import { ScriptJobs, type JobPorts, locatorOf } from '../job/jobHost.ts';

type WorkflowOf = Extract<PythonJobCall, { op: 'tune' }>['workflow'];

export class PythonJobs {
  readonly #ports: Pick<JobPorts, 'cwd' | 'script'>;
  readonly #jobs: ScriptJobs;
  readonly #configs = new Map<number, JobConfig>();

  constructor(ports: Omit<JobPorts, 'findExport' | 'userFrame' | 'names'>) {
    this.#ports = ports;
    this.#jobs = new ScriptJobs({
      ...ports,
      names: pythonNames,
      // Only the worker knows both. It names files and locations of calls.
      findExport: () => Promise.resolve(undefined),
      userFrame: () => undefined,
    });
  }

  /** Answers a call. Rejects with errors `job/…` that use the names of Python's API. */
  async answer(call: PythonJobCall): Promise<unknown> {
    switch (call.op) {
      case 'config':
        return this.#keep(call.job, this.#jobs.config(call.options));
      case 'load':
        return this.#keep(call.job, await this.#jobs.load(call.path));
      case 'check':
        return checkKey(this.#configOf(call.job), call.key);
      case 'set-data': {
        const config = this.#became(call);
        this.#jobs.setData(config, call.type, call.path ?? undefined, call.splits);
        return config;
      }
      case 'dump':
        return this.#jobs.dump(this.#became(call), this.#exported(call.workflow), call.path);
      case 'tune':
        return this.#jobs.tune(this.#became(call), this.#locator(call.workflow));
    }
  }

  #keep(job: number, config: JobConfig): JobConfig {
    this.#configs.set(job, config);
    return config;
  }

  #configOf(job: number): JobConfig {
    const config = this.#configs.get(job);
    if (config === undefined) throw new RangeError(`There is no job ${job}.`);
    return config;
  }

  /** Updates the stored config with the changes of the script. */
  #became({ job, config }: { readonly job: number; readonly config: JobConfig }): JobConfig {
    const kept = this.#configOf(job);
    overlay(kept, config);
    return kept;
  }

  #locator(workflow: WorkflowOf): string | undefined {
    if (workflow === null || typeof workflow === 'string') return workflow ?? undefined;
    return locatorOf(workflow, this.#ports.cwd);
  }

  /**
   * Returns the locator of an exported workflow. Throws for one in the script, because loading it would run the
   * script.
   */
  #exported(workflow: WorkflowOf): string | undefined {
    const isLocal = workflow !== null && typeof workflow !== 'string' && workflow.file === this.#ports.script;
    if (isLocal) throw jobErrors.notExported(workflow.name);
    return this.#locator(workflow);
  }
}

/** Throws if AgentJet does not have the key. */
function checkKey(config: JobConfig, key: readonly string[]): null {
  const last = key.at(-1) ?? '';
  let section: unknown = config;
  for (const step of key.slice(0, -1)) section = isRecord(section) ? section[step] : undefined;
  // A section that the script added can have any key.
  if (!isRecord(section) || last in section) return null;
  Reflect.set(section, last, null);
  Reflect.deleteProperty(section, last);
  return null;
}

function overlay(kept: Readonly<Record<string, unknown>>, now: Readonly<Record<string, unknown>>): void {
  for (const key of Object.keys(kept)) if (!(key in now)) Reflect.deleteProperty(kept, key);
  for (const [key, value] of Object.entries(now)) {
    const was = kept[key];
    if (isRecord(was) && isRecord(value)) overlay(was, value);
    else Reflect.set(kept, key, value);
  }
}
