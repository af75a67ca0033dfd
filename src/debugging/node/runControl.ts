import type { Disposable } from '../../base/core/disposable.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { ModelAnswer } from '../../backbone/core/protocol/run.ts';
import { debugErrors } from './errors.ts';
import type { RunExit, RunLauncher, RunProcess, RunSpec } from '../../backbone/node/client/runLauncher.ts';

/** Milliseconds that a run gets to end by itself. A process at a breakpoint never responds. */
const graceMilliseconds = 500;
/** A training saves a checkpoint first, which takes half a minute on a slow server. */
const trainingGraceMilliseconds = 180_000;

/** Controls the one run of a session. It can be stopped at any time, even before its process exists. */
export class RunControl {
  readonly #launcher: RunLauncher;
  readonly #clock: Clock;
  #isClaimed = false;
  /** The process, while it is running. */
  #run: RunProcess | undefined;
  isStopping = false;
  #grace: Disposable | undefined;
  #trains = false;

  constructor(launcher: RunLauncher, clock: Clock) {
    this.#launcher = launcher;
    this.#clock = clock;
  }

  /** Reserves the session for one run, before the first await. Throws if it had one already, or was stopped. */
  claim(): void {
    if (this.isStopping) throw debugErrors.stopped();
    if (this.#isClaimed) throw debugErrors.alreadyLaunched();
    this.#isClaimed = true;
  }

  /** @throws CodedError when the run cannot start, or when it was stopped meanwhile. */
  async start(spec: RunSpec): Promise<RunProcess> {
    const run = await this.#launcher.launch(spec);
    if (this.isStopping) {
      run.killNow();
      throw debugErrors.stopped();
    }
    this.#run = run;
    this.#trains = spec.request.train !== undefined;
    void run.exited.then(() => this.#ended());
    return run;
  }

  /** True while a training runs, which needs time to end. */
  get trains(): boolean {
    return this.#trains && this.#run !== undefined;
  }

  /** Asks the run to end, and kills it after a grace period or at the second call. Returns false if nothing runs. */
  stop(): boolean {
    const again = this.isStopping;
    this.isStopping = true;
    if (this.#run === undefined) return false;
    if (again) {
      this.#kill();
    } else {
      this.#run.cancel();
      const milliseconds = this.#trains ? trainingGraceMilliseconds : graceMilliseconds;
      this.#grace = this.#clock.after(milliseconds, () => this.#kill());
    }
    return true;
  }

  hold(held: boolean): void {
    this.#run?.hold(held);
  }

  /** Sends an answer to the run, which ignores late answers. */
  answer(answer: ModelAnswer): void {
    this.#run?.answer(answer);
  }

  /** Ends the run at once; resolves when its process is gone. */
  async kill(): Promise<RunExit | undefined> {
    this.isStopping = true;
    const exited = this.#run?.exited;
    this.#kill();
    return exited;
  }

  #kill(): void {
    this.#grace?.dispose();
    this.#run?.killNow();
  }

  #ended(): void {
    this.#grace?.dispose();
    this.#run = undefined;
  }
}
