import type { Disposable } from '../../base/core/disposable.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { ModelAnswer } from '../../backbone/core/protocol/run.ts';
import { debugErrors } from './errors.ts';
import type { RunExit, RunLauncher, RunProcess, RunSpec } from '../../backbone/node/client/runLauncher.ts';

/** How long a run may take to end by itself once it was asked to. A held process never answers. */
const graceMilliseconds = 500;

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'launching' }
  | { readonly kind: 'running'; readonly run: RunProcess }
  | { readonly kind: 'ended' };

/**
 * The one run of a session: started at most once, stopped gracefully or at once, at any moment, the time before its
 * process exists included.
 */
export class RunControl {
  readonly #launcher: RunLauncher;
  readonly #clock: Clock;
  #state: State = { kind: 'idle' };
  #stopping = false;
  #grace: Disposable | undefined;

  constructor(launcher: RunLauncher, clock: Clock) {
    this.#launcher = launcher;
    this.#clock = clock;
  }

  get isStopping(): boolean {
    return this.#stopping;
  }

  /**
   * Claims the session for one run, before anything is awaited.
   *
   * @throws CodedError when there was a run already, or when the session was stopped.
   */
  claim(): void {
    if (this.#stopping) throw debugErrors.stopped();
    if (this.#state.kind !== 'idle') throw debugErrors.alreadyLaunched();
    this.#state = { kind: 'launching' };
  }

  /** @throws CodedError when the run cannot start, or when it was stopped meanwhile. */
  async start(spec: RunSpec): Promise<RunProcess> {
    const run = await this.#launcher.launch(spec);
    if (this.#stopping) {
      run.killNow();
      throw debugErrors.stopped();
    }
    this.#state = { kind: 'running', run };
    void run.exited.then(() => this.#ended());
    return run;
  }

  /**
   * Asks for the end, and makes it after a grace; asked a second time, makes it at once. False when there is no process
   * whose end could be waited for.
   */
  stop(): boolean {
    const again = this.#stopping;
    this.#stopping = true;
    if (this.#state.kind !== 'running') return false;
    if (again) {
      this.#kill();
    } else {
      this.#state.run.cancel();
      this.#grace = this.#clock.after(graceMilliseconds, () => this.#kill());
    }
    return true;
  }

  hold(held: boolean): void {
    if (this.#state.kind === 'running') this.#state.run.hold(held);
  }

  /** An answer that comes too late is for nobody. */
  answer(answer: ModelAnswer): void {
    if (this.#state.kind === 'running') this.#state.run.answer(answer);
  }

  /** Ends the run at once; resolves when its process is gone. */
  async kill(): Promise<RunExit | undefined> {
    this.#stopping = true;
    const exited = this.#state.kind === 'running' ? this.#state.run.exited : undefined;
    this.#kill();
    return exited;
  }

  #kill(): void {
    this.#grace?.dispose();
    if (this.#state.kind === 'running') this.#state.run.killNow();
  }

  #ended(): void {
    this.#grace?.dispose();
    this.#state = { kind: 'ended' };
  }
}
