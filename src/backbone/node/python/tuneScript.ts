/** Runs a Python script that calls `tune(…)` of AgentScope's tuner or of an `AgentJetJob` on the debug backbone. */

import path from 'node:path';
import { parse, stringify, YAMLParseError } from 'yaml';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import {
  CodedError,
  toReport,
  type ErrorReport,
  type Location,
  messageOf,
  hasCode,
} from '../../../base/core/errors.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import type { Composition } from '../../../configs/core/compose.ts';
import { scanTuneCalls } from '../../../configs/core/code/tuneScan.ts';
import { tuneConfig, tunerProblem } from '../../../configs/core/trinity/tuneConfig.ts';
import type { Plain } from '../../../configs/core/value.ts';
import type { RunRequest } from '../../core/protocol/run.ts';
import { jobCall, type PythonJobCall } from '../../core/protocol/pythonJob.ts';
import {
  previewCall,
  tuneCall,
  type PreviewCall,
  type TuneCall,
} from '../../../configs/core/trinity/tuneCall.ts';
import { localFiles } from '../../../base/node/files.ts';
import {
  locatorOf,
  runConfigFile,
  writeConfig,
  ScriptJobs,
  type JobPorts,
  type JobRun,
  jobErrors,
  pythonNames,
} from '../job/jobHost.ts';
import { deferred } from '../../../base/node/process/deferred.ts';
import { runJob, type RunEnded, type ScriptPorts } from '../job/runScript.ts';
import type { ScriptAnswers } from './pythonClasses.ts';
import { PythonError } from './errors.ts';
import type { JobConfig } from '../../../sdk/core/jobHost.ts';

const tuneErrors = {
  notCalled: (location: Location): CodedError =>
    new CodedError({
      code: 'tune/not-called',
      message: 'The script ended without a call of tune(…), so there was no run.',
      location,
      hint: 'Call tune(workflow_func=…, train_dataset=…) of agentscope.tuner, or tune() of an AgentJetJob. The call may be under if __name__ == "__main__".',
    }),

  calledTwice: (location: Location): CodedError =>
    new CodedError({
      code: 'tune/called-twice',
      message: 'The script calls tune(…) a second time, but a debug run supports only one call.',
      location,
      hint: 'Use a separate script for the other call.',
    }),

  noDataSet: (location: Location): CodedError =>
    new CodedError({
      code: 'tune/no-data-set',
      message: 'tune(…) has no data set: neither train_dataset nor a taskset in its config.',
      location,
      hint: 'Add one, for example train_dataset=DatasetConfig(path="data", split="train").',
    }),

  noConfig: (file: string, location: Location): CodedError =>
    new CodedError({
      code: 'tune/no-config',
      message: `The config of tune(…) cannot be read: ${file}.`,
      location,
      hint: 'Correct config_path. It is relative to the working directory.',
    }),

  badConfig: (why: string, location: Location): CodedError =>
    new CodedError({
      code: 'tune/bad-config',
      message: why,
      location,
      hint: 'Correct the config. agentjet check FILE lists all problems.',
    }),

  cancelled: (): CodedError => new CodedError({ code: 'tune/cancelled', message: 'The run was canceled.' }),
};

/** Returns true if the file is a Python script, which must call `tune`. */
export function isPythonScript(file: string): boolean {
  return /\.pyw?$/i.test(file);
}

type WrittenConfig = Pick<JobRun, 'file' | 'text'>;

export interface TunePorts extends Pick<ScriptPorts, 'emit' | 'compose' | 'launch'> {
  readonly cancellation: CancellationToken;
  now(): Date;
  runScript(file: string, answers: ScriptAnswers): Promise<void>;
  /** Returns the first rows of a config's data set. */
  readRows(compose: () => Promise<Composition>, first: number): Promise<readonly unknown[]>;
}

/** Runs the script and its run. Never rejects. The run ends with the script. */
export async function runTuneScript(request: RunRequest, ports: TunePorts): Promise<void> {
  const script = new TuneScript(request, ports);
  ports.emit(await script.run());
}

class TuneScript {
  readonly #request: RunRequest;
  readonly #ports: TunePorts;
  readonly #givenUp = deferred<never>();
  #running: Promise<unknown> | undefined;
  readonly #jobs: PythonJobs;
  #jobPlace: Location | undefined;
  #ended: RunEnded | undefined;
  #isCalled = false;

  constructor(request: RunRequest, ports: TunePorts) {
    this.#request = request;
    this.#ports = ports;
    this.#jobs = new PythonJobs({
      cwd: request.cwd,
      expDir: path.resolve(request.cwd, request.expDir ?? 'saved_experiments'),
      script: request.config,
      now: () => ports.now(),
      compose: (file) => ports.compose(file, undefined),
      run: async (job) => {
        this.#isCalled = true;
        return (await this.#runOf(job, this.#jobPlace ?? { file: request.config })).results;
      },
    });
  }

  async run(): Promise<RunEnded> {
    const { config: file } = this.#request;
    const work = this.#ports.runScript(file, {
      tune: (call) => this.#tune(tuneCall.parse(call)),
      preview: (call) => this.#preview(previewCall.parse(call)),
      job: (call) => this.#job(jobCall.parse(call)),
    });
    this.#ports.cancellation.onCancelled(() => this.#cancelled());
    try {
      await Promise.race([work, this.#givenUp.promise]);
      await this.#running; // the run of a thread that the script did not wait for
      this.#ended ??= failed(tuneErrors.notCalled(await placeIn(file)));
    } catch (error) {
      // The episodes of a script whose process died continue in another one.
      await this.#running?.catch(() => undefined); // `#ended` has the error
      // The error of the run explains more than that of the script.
      if (
        this.#ended === undefined ||
        (this.#ended.status === 'completed' && !hasCode(error, 'tune/cancelled'))
      ) {
        this.#ended = failed(error);
      }
    }
    return this.#ended;
  }

  /** Handles cancellation. Stops waiting for a script before its run or after it. */
  #cancelled(): void {
    if (this.#isCalled && this.#ended === undefined) return;
    this.#ended ??= { type: 'run-ended', status: 'cancelled', error: null };
    this.#givenUp.reject(tuneErrors.cancelled());
  }

  /** Runs `tune`. Resolves with the status of the run. Rejects if it cannot start. */
  async #tune(call: TuneCall): Promise<RunEnded['status']> {
    const place = placeOf(call, this.#request.config);
    if (this.#isCalled) throw this.#refuse(tuneErrors.calledTwice(place));
    this.#isCalled = true;
    try {
      const { end } = await this.#runOf(await this.#write(call, place), place);
      return end.status;
    } catch (error) {
      throw this.#refuse(error);
    }
  }

  async #runOf({ file, text }: WrittenConfig, place: Location): ReturnType<typeof runJob> {
    const running = runJob(this.#ports, { readConfig: () => this.#ports.compose(file, text) });
    this.#running = running;
    const ran = await running;
    this.#ended = ran.end;
    if (ran.end.status === 'cancelled') this.#cancelled();
    if (ran.end.error !== null) throw new CodedError({ location: place, ...ran.end.error });
    return ran;
  }

  /** Answers a call of a job. For `tune`, this is the run's status and the results of its episodes. */
  async #job(call: PythonJobCall): Promise<unknown> {
    const place = placeOf(call, this.#request.config);
    this.#jobPlace = place;
    try {
      const answer = await this.#jobs.answer(call);
      return call.op === 'tune' ? { status: this.#ended?.status, episodes: answer } : answer;
    } catch (error) {
      throw this.#refuse(error instanceof CodedError ? located(error, place) : error);
    }
  }

  /** Records an error as the end of the run, because the script may not report it. */
  #refuse(error: unknown): unknown {
    this.#ended = failed(error);
    return error;
  }

  /** Writes the config of the run, at the path of a job's config. */
  async #write(call: TuneCall, place: Location): Promise<WrittenConfig> {
    const { cwd, expDir } = this.#request;
    const base = await this.#baseOf(call, place);
    const locators = {
      workflow: locatorOf(call.workflow, cwd),
      judge: call.judge === null ? undefined : locatorOf(call.judge, cwd),
    };
    const { config, unused } = tuneConfig(call, base, locators, this.#ports.now());
    for (const message of unused) this.#warn({ code: 'tune/unused', message, location: place });
    const problem = call.agentscopeWithout && tunerProblem(call.package, call.agentscopeWithout);
    if (problem) this.#warn({ code: 'tune/no-tuner', ...problem, location: place });
    const buffer = isRecord(config['buffer']) ? config['buffer']['explorer_input'] : undefined;
    if (!isRecord(buffer) || !isRecord(buffer['taskset']) || !('path' in buffer['taskset'])) {
      throw tuneErrors.noDataSet(place);
    }
    const name = typeof config['name'] === 'string' ? config['name'] : 'Experiment';
    const file = runConfigFile(path.resolve(cwd, expDir ?? 'saved_experiments'), name);
    const text = stringify(config);
    await writeConfig(file, text);
    return { file, text };
  }

  async #baseOf({ given }: TuneCall, place: Location): Promise<Record<string, Plain> | undefined> {
    if (given.config_path === undefined) return undefined;
    const file = path.resolve(this.#request.cwd, given.config_path);
    const text = await localFiles.readText(file).catch(() => undefined); // reported as missing
    if (text === undefined) throw tuneErrors.noConfig(file, place);
    try {
      const parsed: unknown = parse(text);
      if (isRecord(parsed)) return parsed as Record<string, Plain>;
    } catch (error) {
      const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
      const [why = ''] = messageOf(error).split('\n');
      throw tuneErrors.badConfig(why, { file, ...(line !== undefined && { line }) });
    }
    throw tuneErrors.badConfig('A config of Trinity-RFT must be a mapping.', { file, line: 1 });
  }

  #warn(report: ErrorReport): void {
    this.#ports.emit({ type: 'problem', severity: 'warning', report });
  }

  #preview({ path: dataSet, split, name, rows }: PreviewCall): Promise<readonly unknown[]> {
    const taskset = { path: dataSet, split, subset_name: name };
    const text = stringify({
      mode: 'explore',
      buffer: { explorer_input: { taskset, default_workflow_type: 'none' } },
    });
    return this.#ports.readRows(() => this.#ports.compose(this.#request.config, text), rows);
  }
}

function placeOf({ file, line }: Pick<TuneCall, 'file' | 'line'>, script: string): Location {
  return { file: file ?? script, ...(line !== null && { line }) };
}

async function placeIn(file: string): Promise<Location> {
  const [call] = scanTuneCalls((await localFiles.readText(file).catch(() => undefined)) ?? '');
  return call === undefined ? { file } : { file, line: call.line + 1 };
}

function located(error: CodedError, place: Location): CodedError {
  const { code, message, hint, location = place } = error;
  return new CodedError({ code, message, hint, location, cause: error });
}

function failed(error: unknown): RunEnded {
  const hint = 'Set a breakpoint there, or use --verbose (launch.json: verbose) to see the whole stack.';
  const report = { ...(error instanceof PythonError && { hint }), ...toReport(error, 'tune/script-raised') };
  const location = report.location ?? (error instanceof PythonError ? error.location : undefined);
  return { type: 'run-ended', status: 'failed', error: { ...report, ...(location && { location }) } };
}

type WorkflowOf = Extract<PythonJobCall, { op: 'tune' }>['workflow'];

/** Implements `AgentJetJob` for Python scripts. Its config is stored here, with the rules of every other job. */
class PythonJobs {
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
        return this.#keep(call.job, await this.#jobs.configOf(call.given));
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

  /** Throws for a workflow in the script itself, because loading it would run the script. */
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
