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
import { rayExits } from '../../../core/runs/outcome.ts';
import { writeFileAtomic } from '../../../../base/node/atomicFile.ts';
import { keeperFiles } from '../runs/keeper.ts';
import { ResumableOutput, type RayOutput } from './rayOutput.ts';
import { RayJobs, type RaySubmission, rayToken } from './rayJobs.ts';
import { RayLog } from './rayLog.ts';
import { packFolder } from './rayPackage.ts';
import { readRaySpec, type RaySpec } from './raySpec.ts';

/** The usual polling interval, in milliseconds. */
const usualInterval = 2_000;

export interface RayJobOptions {
  readonly jobs: RayJobs;
  readonly output: RayOutput;
  readonly stop: AbortSignal;
  /** Milliseconds between two status requests. */
  readonly interval?: number;
  /** Milliseconds of silence after which the job is lost, at most {@link silenceAtEnd} while it stops. */
  readonly silence?: number;
}

/**
 * Supervises a Ray job: submits it, prints its log, and polls its state until it is final. Resolves to its exit code.
 * INT or TERM stops the job and waits for its end. If the supervisor is killed, the job continues, and the next
 * supervisor finds it by its id.
 */
export async function runRayJob(specFile: string, env: NodeJS.ProcessEnv): Promise<number> {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
  const spec = await readRaySpec(specFile);
  const runFolder = path.dirname(specFile);
  const output = new ResumableOutput(
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
 * Submits the job, unless Ray has it already, and stores the progress with `note`. Resolves to a final state if the job
 * cannot be submitted. Rejects with the errors of Ray.
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
    // Ray may have the job even if its answer was lost.
    const after = refusal && (await answerOf(spec.id, options));
    if (after?.kind === 'unknown') throw refusal?.error;
    if (after?.kind === 'silent') return lostWith(after.why, options);
  }
  // Forgets the variables as soon as possible. If that fails, the job is found by its id.
  await note({ handed: 'yes', env: {} }).catch(() => undefined);
  return undefined;
}

/** Polls until the head answers or has been silent for too long. */
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
  const reason = `Ray's head does not report the job: ${why}`;
  output.writeLine(`agentjet: ${reason}\n`);
  return { kind: 'lost', reason };
}

/** Resolves to the final state of a submitted job. Never rejects. */
export async function followRayJob(id: string, options: RayJobOptions): Promise<RayState> {
  const { jobs, output, stop, interval = usualInterval, silence = silenceAllowed } = options;
  const watch = new RayWatch();
  const log = new RayLog(id, { jobs, output, stop, interval });
  let before: RayState['kind'] | undefined;
  let hasAskedToStop = false;
  for (;;) {
    if (stop.aborted && !hasAskedToStop) {
      hasAskedToStop = await jobs.stop(id).then(
        () => true,
        () => false,
      );
    }
    const answer = await jobs.status(id);
    const allowed = stop.aborted ? Math.min(silence, silenceAtEnd) : silence;
    const state = watch.observe(answer, performance.now(), allowed);
    if (state.kind !== before) output.writeLine(stateLine(id, state));
    before = state.kind;
    if (watch.isFinal) {
      const end = state.kind === 'lost' || (await log.whole()) ? state : withoutLog(state);
      log.close();
      output.writeLine(stateLine(id, end, true));
      return end;
    }
    if (state.kind === 'running') log.follow();
    await pause(interval, stop);
  }
}

/** Returns the state without a log. Upstream exits with success in any case, and reports failures only in the log. */
function withoutLog(state: RayState): RayState {
  if (state.kind !== 'succeeded') return state;
  return {
    kind: 'lost',
    reason: 'Ray reports success, but the end of the log, which may report a failure, is unknown',
  };
}

/** Pauses until a stop is requested. A later pause is not interrupted. */
async function pause(milliseconds: number, stop: AbortSignal): Promise<void> {
  await after(milliseconds, undefined, stop.aborted ? {} : { signal: stop }).catch(() => undefined);
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

function stateLine(id: string, state: RayState, isEnd = false): string {
  const reason = 'reason' in state ? `: ${state.reason}` : state.kind === 'silent' ? `: ${state.why}` : '';
  return isEnd
    ? `agentjet: Ray job ${id} ended: ${state.kind}${reason}\n`
    : `agentjet: Ray job ${id} is ${state.kind}\n`;
}

function exitCodeOf(state: RayState): number {
  if (state.kind === 'failed') return state.exitCode === null || state.exitCode <= 0 ? 1 : state.exitCode;
  if (state.kind === 'succeeded' || state.kind === 'stopped') return rayExits[state.kind];
  return rayExits.lost;
}
