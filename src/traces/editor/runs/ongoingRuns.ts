/** The active and failed runs of this window's debug sessions. */
import type { Disposable } from '../../../base/core/disposable.ts';
import { Emitter } from '../../../base/core/event.ts';
import { runStatus } from '../../core/runStatus.ts';
import type {
  RunEndedBody,
  RunProgressBody,
  RunStartedBody,
  TrainingStartedBody,
} from '../../core/runEvents.ts';

export interface OngoingRun extends RunProgressBody, Pick<RunStartedBody, 'episodes'> {
  /** True for a training: `trace` is its folder, and steps are counted in place of episodes. */
  readonly isTraining?: true;
  readonly name: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** `failed`: the run or all of its episodes failed, and the user has not looked at it since. */
  readonly state: 'running' | 'failed';
}

export class OngoingRuns implements Disposable {
  readonly #runs = new Map<string, OngoingRun>();
  /** The trace of each debug session. */
  readonly #sessions = new Map<string, string>();
  readonly #changed = new Emitter<void>();
  readonly #now: () => number;

  readonly onChanged = this.#changed.event;

  /** @param now returns milliseconds since the Unix epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the runs, oldest first. */
  list(): readonly OngoingRun[] {
    return [...this.#runs.values()];
  }

  /** @param steps those that a training has done */
  started({ trace, experiment, episodes }: RunStartedBody, session: string, steps?: number): void {
    this.sessionEnded(session); // a restarted session keeps its id
    this.#sessions.set(session, trace);
    this.#set({
      ...{ trace, name: experiment, episodes, ended: steps ?? 0, failed: 0 },
      ...(steps !== undefined && { isTraining: true as const }),
      ...{ startedAt: this.#now(), state: 'running' },
    });
  }

  trainingStarted({ folder, experiment, step, totalSteps }: TrainingStartedBody, session: string): void {
    this.started({ trace: folder, folder, experiment, episodes: totalSteps }, session, step);
  }

  progressed({ trace, ended, failed }: RunProgressBody): void {
    const run = this.#runs.get(trace);
    if (run?.state === 'running') this.#set({ ...run, ended, failed });
  }

  ended({ trace, status }: Pick<RunEndedBody, 'trace' | 'status'>): void {
    const run = this.#runs.get(trace);
    if (run === undefined) return;
    const allFailed = status === 'completed' && runStatus(status, run).kind === 'all-failed';
    if (status === 'failed' || status === 'died' || allFailed) this.#set({ ...run, state: 'failed' });
    else this.#forget(trace);
  }

  /** Forgets a run whose session ended without saying so: VS Code replaces the adapter when a session is restarted. */
  sessionEnded(session: string): void {
    const trace = this.#sessions.get(session);
    this.#sessions.delete(session);
    if (trace !== undefined && this.#runs.get(trace)?.state === 'running') this.#forget(trace);
  }

  lookedAt(trace: string): void {
    if (this.#runs.get(trace)?.state === 'failed') this.#forget(trace);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #set(run: OngoingRun): void {
    this.#runs.set(run.trace, run);
    this.#changed.fire();
  }

  #forget(trace: string): void {
    this.#runs.delete(trace);
    this.#changed.fire();
  }
}
