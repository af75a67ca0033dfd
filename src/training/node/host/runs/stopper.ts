import type { Disposable } from '../../../../base/core/disposable.ts';
import type { Clock } from '../../../../base/core/ports.ts';
import type { RunLauncher } from '../../../core/protocol/runs.ts';
import { killGroup, processesInGroup, removeGroup } from '../../../../base/node/process/controlGroup.ts';
import { isAlive, type ProcessIdentity } from '../../../../base/node/process/kill.ts';
import type { Family } from './family.ts';
import { markedProcesses, signalEach, signalGroup, type NotedProcess } from './processes.ts';

/** Milliseconds after each signal before the next one. */
export interface StopTimes {
  readonly interrupt: number;
  readonly terminate: number;
  readonly kill: number;
}

/** Returns the times for a launcher. Ray stops a job slowly, and without its supervisor the job would continue. */
export function stopTimesOf(launcher: RunLauncher, times: StopTimes): StopTimes {
  return launcher === 'ray' ? { ...times, interrupt: 6 * times.interrupt } : times;
}

interface StopperOptions {
  readonly run: string;
  readonly times: StopTimes;
  readonly clock: Pick<Clock, 'after'>;
  /** Descendants that were seen while their parents were alive. */
  readonly family: Pick<Family, 'living' | 'lookNow'>;
  /** Returns the folder of the control group of the run, if it has one. */
  readonly group?: () => string | undefined;
}

/** The number of lists of processes after which the search for new ones ends. */
const mostRounds = 20;

/** Ends the processes of a run with increasing force, including those left behind. */
export class Stopper implements Disposable {
  readonly #options: StopperOptions;
  #timer: Disposable | undefined;
  #isStopping = false;
  hasKilled = false;
  /** Processes that were seen with the mark of the run, which they may have removed since. */
  readonly #marked = new Map<number, ProcessIdentity>();

  constructor(options: StopperOptions) {
    this.#options = options;
  }

  killAll(): void {
    this.#killLeft(() => this.#left(undefined));
  }

  /** Starts to end the launcher. {@link sweep} ends the rest later. */
  begin(launcher: NotedProcess): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const { times, clock } = this.#options;
    this.#send(launcher, 'SIGINT');
    this.#timer = clock.after(times.interrupt, () => {
      this.#send(launcher, 'SIGTERM');
      this.#timer = clock.after(times.terminate, () => this.#kill(launcher));
    });
  }

  /** Ends the processes that the run left behind. Returns their number. */
  async sweep(keeper: number | undefined): Promise<number> {
    this.dispose();
    const { terminate, kill } = this.#options.times;
    const left = (): ProcessIdentity[] => this.#left(keeper);
    const first = left();
    signalEach(first, 'SIGTERM');
    if (first.length > 0 && !(await this.#untilGone(left, terminate))) {
      this.#killLeft(left);
      await this.#untilGone(left, kill);
    }
    const group = this.#options.group?.();
    if (group !== undefined) removeGroup(group);
    return first.length;
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#timer = undefined;
  }

  #send(launcher: NotedProcess, name: NodeJS.Signals): void {
    this.#options.family.lookNow(launcher);
    signalGroup(launcher, name);
  }

  #kill(launcher: NotedProcess): void {
    this.hasKilled = true;
    const { times, clock, family } = this.#options;
    family.lookNow(launcher);
    signalEach(family.living, 'SIGKILL');
    // A process that waits for a device can be killed only later.
    this.#timer = clock.after(times.kill, () => this.#kill(launcher));
  }

  /** Stops all processes before it kills them, so that they start no others meanwhile. */
  #killLeft(left: () => readonly ProcessIdentity[]): void {
    const group = this.#options.group?.();
    if (group !== undefined) killGroup(group);
    const stopped = new Set<number>();
    for (let round = 0; round < mostRounds; round++) {
      const running = left().filter(({ pid }) => !stopped.has(pid));
      if (running.length === 0) break;
      signalEach(running, 'SIGSTOP');
      for (const { pid } of running) stopped.add(pid);
    }
    signalEach(left(), 'SIGKILL');
  }

  /** @param keeper excluded */
  #left(keeper: number | undefined): ProcessIdentity[] {
    const { run, family } = this.#options;
    family.lookNow(undefined);
    for (const one of markedProcesses(run, keeper)) this.#marked.set(one.pid, one);
    const group = this.#options.group?.();
    const inGroup = group === undefined ? [] : processesInGroup(group).filter(({ pid }) => pid !== keeper);
    const all = [...this.#marked.values(), ...family.living, ...inGroup];
    return [...new Map(all.map((one) => [one.pid, one])).values()].filter(isAlive);
  }

  async #untilGone(left: () => readonly ProcessIdentity[], milliseconds: number): Promise<boolean> {
    const step = Math.min(100, milliseconds / 4);
    for (let waited = 0; waited < milliseconds; waited += step) {
      if (left().length === 0) return true;
      await new Promise<void>((resolve) => void this.#options.clock.after(step, resolve));
    }
    return left().length === 0;
  }
}
