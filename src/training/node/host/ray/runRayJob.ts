import path from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import {
  RayWatch,
  silenceAllowed,
  silenceAtEnd,
  type RayAnswer,
  type RayState,
} from '../../../core/launch/rayWatch.ts';
import { writeFileAtomic } from '../../../../base/node/atomicFile.ts';
import { keeperFiles } from '../runs/keeper.ts';
import { NotedOutput, type RayOutput } from './rayOutput.ts';
import { RayJobs, type RaySubmission } from './rayJobs.ts';
import { RayLog } from './rayLog.ts';
import { packFolder } from './rayPackage.ts';
import { readRaySpec, type RaySpec } from './raySpec.ts';
import { rayToken } from './rayToken.ts';

/** How a run on Ray ended, as the exit code of the process that looks after it. */
export const rayExitCodes = { succeeded: 0, stopped: 130, lost: 75 } as const;

/** Milliseconds. */
const usualInterval = 2_000;

export interface RayJobOptions {
  readonly jobs: RayJobs;
  readonly output: RayOutput;
  /** Aborted: the job is to be stopped. */
  readonly stop: AbortSignal;
  /** Milliseconds between two questions. */
  readonly interval?: number;
  /** Milliseconds of it after which the job is lost; none is longer than {@link silenceAtEnd} once it is to be stopped. */
  readonly silence?: number;
}

/**
 * A run on Ray as a process of this host: submits the job, prints what it prints, asks for its state until it is final, and
 * exits as it did. INT or TERM stops the job and waits until it has. Ended itself, the job goes on; started again, it finds
 * the job by its id and prints what it had not.
 */
export async function runRayJob(specFile: string, env: NodeJS.ProcessEnv): Promise<number> {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
  const spec = await readRaySpec(specFile);
  const runFolder = path.dirname(specFile);
  const output = new NotedOutput(
    path.join(runFolder, keeperFiles.log),
    path.join(runFolder, 'ray-printed.json'),
  );
  const jobs = new RayJobs(spec.head, () => rayToken(env));
  const options = { jobs, output, stop: stopping.signal };
  const note = (change: Partial<RaySpec>): Promise<void> =>
    writeFileAtomic(specFile, JSON.stringify({ ...spec, ...change }));
  const state = (await handOver(spec, note, options)) ?? (await followRayJob(spec.id, options));
  return exitCodeOf(state);
}

/**
 * Gives the job to Ray, which may have it already. Resolves to the final state where it has not come to that; rejects with
 * what Ray refuses.
 *
 * @param note keeps how far it has come
 */
export async function handOver(
  spec: RaySpec,
  note: (change: Partial<RaySpec>) => Promise<void>,
  options: RayJobOptions,
): Promise<RayState | undefined> {
  const { jobs, stop } = options;
  if (spec.handed === 'yes') return undefined;
  const before = spec.handed === 'no' ? { kind: 'unknown' as const } : await answerOf(spec.id, options);
  if (before.kind === 'silent') return lostWith(before.why, options);
  if (before.kind === 'unknown') {
    if (stop.aborted) return { kind: 'stopped' };
    const submission = await uploaded(spec, jobs);
    await note({ handed: 'asked' });
    const refusal = await jobs.submit(submission).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    // It may have it all the same, where only the answer was lost.
    const after = refusal && (await answerOf(spec.id, options));
    if (after?.kind === 'unknown') throw refusal?.error;
    if (after?.kind === 'silent') return lostWith(after.why, options);
  }
  // The values of the run's variables are kept no longer than they are needed. Unnoted, the job is found by its id again.
  await note({ handed: 'yes', env: {} }).catch(() => undefined);
  return undefined;
}

/** Asks until the head answers, or has been silent for too long. */
async function answerOf(id: string, options: RayJobOptions): Promise<RayAnswer> {
  const { jobs, stop, interval = usualInterval, silence = silenceAllowed } = options;
  const start = performance.now();
  for (;;) {
    const answer = await jobs.status(id);
    const allowed = stop.aborted ? Math.min(silence, silenceAtEnd) : silence;
    if (answer.kind !== 'silent' || performance.now() - start >= allowed) return answer;
    await pause(interval, stop);
  }
}

function lostWith(why: string, { output }: RayJobOptions): RayState {
  const reason = `Ray's head does not tell whether it has the job: ${why}`;
  output.tell(`agentjet: ${reason}\n`);
  return { kind: 'lost', reason };
}

/** Resolves to the final state of a job that was submitted. Never rejects. */
export async function followRayJob(id: string, options: RayJobOptions): Promise<RayState> {
  const { jobs, output, stop, interval = usualInterval, silence = silenceAllowed } = options;
  const watch = new RayWatch();
  const log = new RayLog(id, { jobs, output, stop, interval });
  let before: RayState['kind'] | undefined;
  let isAsked = false;
  for (;;) {
    if (stop.aborted && !isAsked) isAsked = await asks(jobs.stop(id));
    const answer = await jobs.status(id);
    const allowed = stop.aborted ? Math.min(silence, silenceAtEnd) : silence;
    const state = watch.observe(answer, performance.now(), allowed);
    if (state.kind !== before) output.tell(told(id, state));
    before = state.kind;
    if (watch.isFinal) {
      const end = state.kind === 'lost' || (await log.whole()) ? state : withoutLog(state);
      log.close();
      output.tell(told(id, end, true));
      return end;
    }
    if (state.kind === 'running') log.follow();
    await pause(interval, stop);
  }
}

/** Upstream's loops end well whatever happens, and tell of it in the log alone. */
function withoutLog(state: RayState): RayState {
  if (state.kind !== 'succeeded') return state;
  return {
    kind: 'lost',
    reason: 'Ray tells that it succeeded, and the end of its log, which may tell otherwise, is not known',
  };
}

/** A request to stop is not waited with; once it has come it cannot wake anybody again. */
async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  await after(milliseconds, undefined, stop.aborted ? {} : { signal: stop }).catch(() => undefined);
}

/** Sends the code and the job. Rejects with what Ray refuses. */
export async function submitRayJob(spec: RaySpec, jobs: RayJobs): Promise<void> {
  await jobs.submit(await uploaded(spec, jobs));
}

async function uploaded(
  { id, name, entrypoint, env, folder }: RaySpec,
  jobs: RayJobs,
): Promise<RaySubmission> {
  const code = await packFolder(folder);
  await jobs.upload(code);
  const metadata = { name, from: 'agentjet' };
  return { id, entrypoint, env, workingDir: code.uri, metadata };
}

async function asks(request: Promise<void>): Promise<boolean> {
  return request.then(
    () => true,
    () => false,
  );
}

function told(id: string, state: RayState, isEnd = false): string {
  const reason = 'reason' in state ? `: ${state.reason}` : state.kind === 'silent' ? `: ${state.why}` : '';
  return isEnd
    ? `agentjet: Ray job ${id} ended: ${state.kind}${reason}\n`
    : `agentjet: Ray job ${id} is ${state.kind}\n`;
}

function exitCodeOf(state: RayState): number {
  if (state.kind === 'failed') return state.exitCode === null || state.exitCode <= 0 ? 1 : state.exitCode;
  if (state.kind === 'succeeded' || state.kind === 'stopped') return rayExitCodes[state.kind];
  return rayExitCodes.lost;
}
