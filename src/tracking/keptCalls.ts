import { afterMadness, afterStop, degenerate } from './callProblems.ts';
import { madnessOf, type MadnessOptions } from './madness.ts';
import type { CallProblem } from './problems.ts';
import type { TrackerReply, TrackerRequest } from './tracker.ts';

/** Which calls of an episode training keeps, as upstream decides it when a call begins. */
export class KeptCalls {
  readonly #madness: MadnessOptions;
  readonly #report: (call: number, problem: CallProblem) => void;
  /** When the first degenerate reply was over. */
  #madFrom: number | undefined;

  constructor(madness: MadnessOptions, report: (call: number, problem: CallProblem) => void) {
    this.#madness = madness;
    this.#report = report;
  }

  /** The reward that a degenerate reply gives the whole episode; undefined: none was degenerate. */
  get madnessReward(): number | undefined {
    return this.#madFrom === undefined ? undefined : this.#madness.reward;
  }

  /** Forgets the calls so far: they are of an attempt that failed. */
  restart(): void {
    this.#madFrom = undefined;
  }

  /**
   * Whether training keeps a call, which it does not where the episode had been told to stop, or a reply was degenerate
   * before it began. Upstream judges every reply, kept or not; a call that had begun by then is kept.
   */
  keeps({ call, startedAt, endedAt, interrupted }: TrackerRequest, reply: TrackerReply): boolean {
    const { checklist, reward, terminates } = this.#madness;
    const isStopped = interrupted === true;
    if (isStopped) this.#report(call, afterStop);
    const isAfter = !isStopped && terminates && this.#madFrom !== undefined && startedAt >= this.#madFrom;
    if (isAfter) this.#report(call, afterMadness);
    const madness = this.#madFrom === undefined ? madnessOf(reply, checklist) : undefined;
    if (madness !== undefined) {
      this.#madFrom = endedAt;
      this.#report(call, degenerate(madness, reward));
    }
    return !isAfter && !isStopped;
  }
}
