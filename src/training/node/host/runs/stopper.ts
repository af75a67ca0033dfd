import type { Disposable } from '../../../../base/core/disposable.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import type { LauncherName } from '../../../core/protocol/runs.ts';
import { isAlive, type ProcessIdentity } from '../../../../base/node/process/kill.ts';
import type { Family } from './family.ts';
import { markedProcesses, signalEach, signalGroup, type NotedProcess } from './processes.ts';

/** Milliseconds that a run has after each signal before the next one. */
export interface StopTimes {
  readonly interrupt: number;
  readonly terminate: number;
  readonly kill: number;
}

/** Ray stops a job in its own time, and without who looks after it the job would go on. */
export function stopTimesOf(launcher: LauncherName, times: StopTimes): StopTimes {
  return launcher === 'ray' ? { ...times, interrupt: 6 * times.interrupt } : times;
}

/** Ends the processes of one run: politely, then less so; those that it leaves behind as well, and nobody else's. */
export class Stopper implements Disposable {
  readonly #run: string;
  readonly #times: StopTimes;
  readonly #clock: Pick<Clock, 'after'>;
  #timer: Disposable | undefined;
  #isStopping = false;
  #hasKilled = false;
  /** Those that were seen to be the run's while their parents were there to tell. */
  readonly #family: Pick<Family, 'living' | 'lookNow'>;
  /** Those that were seen to have the run's mark, which they may have put off since. */
  readonly #marked = new Map<number, ProcessIdentity>();

  constructor(
    run: string,
    times: StopTimes,
    clock: Pick<Clock, 'after'>,
    family: Pick<Family, 'living' | 'lookNow'>,
  ) {
    this.#run = run;
    this.#times = times;
    this.#clock = clock;
    this.#family = family;
  }

  /** Whether it came to the last signal. */
  get hasKilled(): boolean {
    return this.#hasKilled;
  }

  /** Ends what is there of the run, at once. */
  killAll(): void {
    signalEach(this.#left(undefined), 'SIGKILL');
  }

  /** Has the launcher end; once it has, {@link sweep} is for the rest. */
  begin(launcher: NotedProcess): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const { interrupt, terminate } = this.#times;
    this.#send(launcher, 'SIGINT');
    this.#timer = this.#clock.after(interrupt, () => {
      this.#send(launcher, 'SIGTERM');
      this.#timer = this.#clock.after(terminate, () => this.#kill(launcher));
    });
  }

  /** Ends what the run has left behind, now that its launcher has gone. Returns how many that were. */
  async sweep(keeper: number | undefined): Promise<number> {
    this.dispose();
    const left = (): ProcessIdentity[] => this.#left(keeper);
    const first = left();
    if (first.length === 0) return 0;
    signalEach(first, 'SIGTERM');
    if (await this.#untilGone(left, this.#times.terminate)) return first.length;
    signalEach(left(), 'SIGKILL');
    await this.#untilGone(left, this.#times.kill);
    return first.length;
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #send(launcher: NotedProcess, name: NodeJS.Signals): void {
    this.#family.lookNow(launcher);
    signalGroup(launcher, name);
  }

  #kill(launcher: NotedProcess): void {
    this.#hasKilled = true;
    this.#family.lookNow(launcher);
    signalEach(this.#family.living, 'SIGKILL');
    // Whoever waits for a device cannot be killed now, but possibly later.
    this.#timer = this.#clock.after(this.#times.kill, () => this.#kill(launcher));
  }

  /** @param keeper is left out */
  #left(keeper: number | undefined): ProcessIdentity[] {
    this.#family.lookNow(undefined);
    for (const one of markedProcesses(this.#run, keeper)) this.#marked.set(one.pid, one);
    const all = [...this.#marked.values(), ...this.#family.living];
    return [...new Map(all.map((one) => [one.pid, one])).values()].filter(isAlive);
  }

  async #untilGone(left: () => readonly ProcessIdentity[], milliseconds: number): Promise<boolean> {
    const step = Math.min(100, milliseconds / 4);
    for (let waited = 0; waited < milliseconds; waited += step) {
      if (left().length === 0) return true;
      await new Promise<void>((resolve) => void this.#clock.after(step, resolve));
    }
    return left().length === 0;
  }
}
