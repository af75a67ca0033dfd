import { rm } from 'node:fs/promises';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { RayWatch, type RayState } from '../../../remote/launch/rayWatch.ts';
import { replaceFile } from '../launch/folder.ts';
import { RayJobs } from './rayJobs.ts';
import { packFolder } from './rayPackage.ts';
import { readRaySpec, type RaySpec } from './raySpec.ts';

/** How a run on Ray ended, as the exit code of the process that looks after it. */
export const rayExitCodes = { succeeded: 0, stopped: 130, lost: 75 } as const;

export interface RayJobOptions {
  readonly jobs: RayJobs;
  /** Takes what the job prints, and what there is to tell about it. */
  readonly write: (text: string) => void;
  /** Aborted: the job is to be stopped. */
  readonly stop: AbortSignal;
  /** Milliseconds between two questions. */
  readonly interval?: number;
  readonly silenceAllowed?: number;
}

/**
 * A run on Ray as a process of this host: submits the job, prints what it prints, asks for its state until it is final, and
 * exits as it did. INT or TERM stops the job and waits until it has. Ended itself, the job goes on; started again, it finds
 * the job by its id.
 */
export async function runRayJob(specFile: string, env: NodeJS.ProcessEnv): Promise<number> {
  const spec = await readRaySpec(specFile);
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => stopping.abort());
  const jobs = new RayJobs(spec.head, env['RAY_AUTH_TOKEN']);
  await submitRayJob(spec, jobs);
  // The values of the run's variables are kept no longer than they are needed.
  await replaceFile(specFile, JSON.stringify({ ...spec, env: {} }));
  const write = (text: string): void => void process.stdout.write(text);
  const state = await followRayJob(spec.id, { jobs, write, stop: stopping.signal });
  await rm(specFile, { force: true });
  return exitCodeOf(state);
}

/** Resolves to the final state of a job that was submitted. Never rejects. */
export async function followRayJob(id: string, options: RayJobOptions): Promise<RayState> {
  const { jobs, write, stop, interval = 2_000 } = options;
  const watch = new RayWatch(options.silenceAllowed);
  const log = new RayLog(id, options);
  let before: RayState['kind'] | undefined;
  let isAsked = false;
  for (;;) {
    if (stop.aborted && !isAsked) isAsked = await asks(jobs.stop(id));
    const state = watch.observe(await jobs.status(id), performance.now());
    if (state.kind !== before) write(told(id, state));
    before = state.kind;
    if (watch.isFinal) {
      if (state.kind !== 'lost') await log.whole();
      write(told(id, state, true));
      return state;
    }
    if (state.kind === 'running') await log.more();
    // A request to stop is not waited with; once it has come it cannot wake anybody again.
    await after(interval, undefined, stop.aborted ? {} : { signal: stop }).catch(() => undefined);
  }
}

/** Sends the code and the job; one of this id that is there already is this run's. Rejects with what Ray refuses. */
export async function submitRayJob(
  { id, name, entrypoint, env, folder }: RaySpec,
  jobs: RayJobs,
): Promise<void> {
  const before = await jobs.status(id);
  if (before.kind === 'job') return;
  const code = await packFolder(folder);
  await jobs.upload(code);
  const metadata = { name, from: 'agentjet' };
  await jobs.submit({ id, entrypoint, env, workingDir: code.uri, metadata });
}

async function asks(request: Promise<void>): Promise<boolean> {
  return request.then(
    () => true,
    () => false,
  );
}

/**
 * The log, which Ray gives as a whole each time: asked for the less often the longer it takes, so that it costs a tenth of
 * the time at most.
 */
class RayLog {
  readonly #id: string;
  readonly #options: RayJobOptions;
  #printed = 0;
  #notBefore = 0;

  constructor(id: string, options: RayJobOptions) {
    this.#id = id;
    this.#options = options;
  }

  async more(): Promise<void> {
    const start = performance.now();
    if (start < this.#notBefore) return;
    await this.#read().catch(() => undefined); // it is asked for again
    const end = performance.now();
    this.#notBefore = end + 10 * (end - start);
  }

  /** After the end, some more attempts: the last lines are what tells why. */
  async whole(): Promise<void> {
    const { write, interval = 2_000 } = this.#options;
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      try {
        await this.#read();
        return;
      } catch (error) {
        if (attempt === 5) write(`agentjet: the end of the log cannot be read: ${String(error)}\n`);
        else await after(interval);
      }
    }
  }

  async #read(): Promise<void> {
    const { jobs, write } = this.#options;
    const text = await jobs.logs(this.#id);
    if (text.length <= this.#printed) return;
    write(text.slice(this.#printed));
    this.#printed = text.length;
  }
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
