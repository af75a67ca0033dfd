/** A Python script that calls `tune(…)` of AgentScope's tuner, or of an `AgentJetJob`: its run is one on the debug backbone. */
import path from 'node:path';
import { parse, stringify, YAMLParseError } from 'yaml';
import type { LaunchPorts } from '../../core/launcher/launch.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError, toReport, type Location } from '../../../base/core/errors.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import type { Composition } from '../../../configs/core/compose.ts';
import { scanTuneCalls } from '../../../configs/core/code/tuneScan.ts';
import { tuneConfig } from '../../../configs/core/trinity/tuneConfig.ts';
import type { Plain } from '../../../configs/core/value.ts';
import type { RunEvent, RunRequest } from '../../core/protocol/run.ts';
import { jobCall, type PythonJobCall } from '../../core/protocol/pythonJob.ts';
import {
  previewCall,
  tuneCall,
  type PreviewCall,
  type TuneCall,
} from '../../../configs/core/trinity/tuneCall.ts';
import { localFiles } from '../../../base/node/files.ts';
import { locatorOf } from '../job/locatorOf.ts';
import { runConfigFile, writeConfig } from '../job/runConfigFile.ts';
import { deferred } from '../../../base/node/process/deferred.ts';
import { runJob, type RunEnded } from '../job/runScript.ts';
import type { ScriptAnswers } from './pythonClasses.ts';
import { PythonJobs } from './pythonJobs.ts';
import { PythonError } from './pythonError.ts';
import { tuneErrors } from './tuneErrors.ts';

/** Whether what a run is started with is Python, which has to call `tune`. */
export function isPythonScript(file: string): boolean {
  return /\.pyw?$/i.test(file);
}

interface WrittenConfig {
  readonly file: string;
  readonly text: string;
}

export interface TunePorts {
  readonly cancellation: CancellationToken;
  now(): Date;
  emit(event: RunEvent): void;
  runScript(file: string, answers: ScriptAnswers): Promise<void>;
  /** @param text undefined: as the file has it */
  compose(file: string, text: string | undefined): Promise<Composition>;
  /** A whole run whose ports differ in these from what they are for a config. Never rejects. */
  launch(changes: Pick<LaunchPorts, 'emit'> & Partial<LaunchPorts>): Promise<void>;
  /** The first rows of a config's data set. */
  readRows(compose: () => Promise<Composition>, first: number): Promise<readonly unknown[]>;
}

/** Runs the script and the run that it asks for; never rejects. It has ended when the script has. */
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
      await this.#running; // of a thread that the script did not wait for
      this.#ended ??= failed(tuneErrors.notCalled(await placeIn(file)));
    } catch (error) {
      // The episodes of a script whose process died go on in another.
      await this.#running?.catch(() => undefined); // told by `#ended`
      // Why the run failed says more than that the script, too, ended with it.
      if (this.#ended === undefined || (this.#ended.status === 'completed' && !isCancelled(error))) {
        this.#ended = failed(error);
      }
    }
    return this.#ended;
  }

  /** A script is not waited for that has not come to its run, or whose run is over. */
  #cancelled(): void {
    if (this.#isCalled && this.#ended === undefined) return;
    this.#ended ??= { type: 'run-ended', status: 'cancelled', error: null };
    this.#givenUp.reject(tuneErrors.cancelled());
  }

  /** Resolves with how the run ended. Rejects when it could not start. */
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

  /** Resolves to what the job asked for; of `tune`, to the run's status and how its episodes ended. */
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

  /** The script may not tell what it is told, so that the run's end has to. */
  #refuse(error: unknown): unknown {
    this.#ended = failed(error);
    return error;
  }

  /** The config of the run, where a job's would be. */
  async #write(call: TuneCall, place: Location): Promise<WrittenConfig> {
    const { cwd, expDir } = this.#request;
    const base = await this.#baseOf(call, place);
    const locators = {
      workflow: locatorOf(call.workflow, cwd),
      judge: call.judge === null ? undefined : locatorOf(call.judge, cwd),
    };
    const { config, unused } = tuneConfig(call, base, locators, this.#ports.now());
    for (const message of unused) this.#warn(message, place);
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
    const text = await localFiles.readText(file).catch(() => undefined); // told as one that is not there
    if (text === undefined) throw tuneErrors.noConfig(file, place);
    try {
      const parsed: unknown = parse(text);
      if (isRecord(parsed)) return parsed as Record<string, Plain>;
    } catch (error) {
      const line = error instanceof YAMLParseError ? error.linePos?.[0].line : undefined;
      const [why = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
      throw tuneErrors.badConfig(why, { file, ...(line !== undefined && { line }) });
    }
    throw tuneErrors.badConfig('A config of Trinity-RFT is a mapping; this text is none.', { file, line: 1 });
  }

  #warn(message: string, location: Location): void {
    const report = { code: 'tune/unused', message, location };
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

/** Where the script would call it, if it came to it. */
async function placeIn(file: string): Promise<Location> {
  const [call] = scanTuneCalls((await localFiles.readText(file).catch(() => undefined)) ?? '');
  return call === undefined ? { file } : { file, line: call.line + 1 };
}

function located(error: CodedError, place: Location): CodedError {
  const { code, message, hint, location = place } = error;
  return new CodedError({ code, message, hint, location }, { cause: error });
}

function isCancelled(error: unknown): boolean {
  return error instanceof CodedError && error.code === 'tune/cancelled';
}

function failed(error: unknown): RunEnded {
  const hint = 'Set a breakpoint there, or run with --verbose to see the whole stack.';
  const report = { ...(error instanceof PythonError && { hint }), ...toReport(error, 'tune/script-raised') };
  const location = report.location ?? (error instanceof PythonError ? error.location : undefined);
  return { type: 'run-ended', status: 'failed', error: { ...report, ...(location && { location }) } };
}
