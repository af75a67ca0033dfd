import path from 'node:path';
import type { LaunchPorts } from '../../core/launcher/batch.ts';
import type { UserFunction } from '../../core/function-form/bindByName.ts';
import type { WorkflowClass } from '../../core/function-form/functionWorkflow.ts';
import { CodedError, toReport } from '../../../base/core/errors.ts';
import type { Composition } from '../../../configs/core/compose.ts';
import { jobHostKey } from '../../../sdk/core/jobHost.ts';
import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';
import type { RunEvent, RunRequest } from '../../core/protocol/run.ts';
import { jobErrors, typeScriptNames, ScriptJobs, type JobPorts } from './jobHost.ts';

/** Returns true if the file is a script that creates its config itself. */
export function isScript(file: string): boolean {
  return /\.[cm]?[jt]s$/i.test(file);
}

export interface ScriptPorts extends Pick<JobPorts, 'findExport' | 'userFrame'> {
  emit(event: RunEvent): void;
  load(file: string): Promise<unknown>;
  /** @param text undefined to read the file */
  compose(file: string, text: string | undefined): Promise<Composition>;
  /** Executes a whole run with these ports instead of those for a config. Never rejects. */
  launch(changes: Pick<LaunchPorts, 'emit'> & Partial<LaunchPorts>): Promise<void>;
}

export type RunEnded = Extract<RunEvent, { type: 'run-ended' }>;

/** Never rejects. The run ends with the script, so that processing the results is part of it. */
export async function runScript(request: RunRequest, ports: ScriptPorts): Promise<void> {
  let ended: RunEnded | undefined;
  const jobs = new ScriptJobs({
    ...ports,
    cwd: request.cwd,
    expDir: path.resolve(request.cwd, request.expDir ?? 'saved_experiments'),
    script: request.config,
    names: typeScriptNames,
    now: () => new Date(),
    compose: (file) => ports.compose(file, undefined),
    run: async (job) => {
      const { file, text, workflow } = job;
      const { end, results } = await runJob(ports, {
        readConfig: () => ports.compose(file, text),
        ...(workflow !== undefined && {
          loadWorkflow: () => Promise.resolve(workflow as WorkflowClass | UserFunction),
        }),
      });
      ended = end;
      if (end.error !== null) throw new CodedError(end.error);
      return results;
    },
  });
  Object.defineProperty(globalThis, jobHostKey, { value: jobs });
  try {
    await ports.load(request.config);
    if (jobs.tuned === undefined) throw jobErrors.notTuned(request.config);
    await jobs.tuned;
  } catch (error) {
    // The error of the run explains more than that of the script.
    ended = ended?.status === 'failed' ? ended : failed(error, ports);
  }
  if (ended !== undefined) ports.emit(ended);
}

function failed(error: unknown, ports: ScriptPorts): RunEnded {
  const cause = causeOf(error);
  const report = toReport(cause, 'job/failed');
  const location = report.location ?? ports.userFrame(cause);
  return { type: 'run-ended', status: 'failed', error: { ...report, ...(location && { location }) } };
}

/** Returns the error behind a file that cannot be loaded, if it is a `CodedError`. */
function causeOf(error: unknown): unknown {
  const cause = error instanceof CodedError && error.code === 'loader/threw' ? error.cause : undefined;
  return cause instanceof CodedError ? cause : error;
}

/** Runs a job. Holds back the `run-ended` event until the script has ended. */
export async function runJob(
  ports: Pick<ScriptPorts, 'emit' | 'launch'>,
  changes: Partial<LaunchPorts>,
): Promise<{ readonly end: RunEnded; readonly results: readonly EpisodeResult[] }> {
  const results: EpisodeResult[] = [];
  let end: RunEnded | undefined;
  await ports.launch({
    ...changes,
    emit: (event) => {
      if (event.type === 'episode-ended') results.push(event.result);
      if (event.type === 'run-ended') end = event;
      else ports.emit(event);
    },
  });
  if (end === undefined) throw new Error('The run ended without a result.');
  return { end, results: results.sort((a, b) => a.episode - b.episode) };
}
