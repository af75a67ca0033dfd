import { afterMadness, afterStop, degenerate } from './callProblems.ts';
import { madnessOf, type MadnessOptions } from './madness.ts';
import type { CallProblem } from './problems.ts';
import type { BegunRequest, ContextCheck, TrackerReply, TrackerRequest, UnsafeReason } from './tracker.ts';

/** Which calls of an episode training keeps, as upstream decides it when a call begins. */
export class CallFilter {
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
   * Upstream's check when a call begins: it is not kept where the episode had been told to stop, or a reply was
   * degenerate before, or its prompt is too long.
   */
  check({ startedAt, interrupted }: BegunRequest, overflows: boolean): ContextCheck {
    const isMad = this.#madness.terminates && this.#madFrom !== undefined && startedAt >= this.#madFrom;
    if (interrupted === true) return { unsafe: 'externally_interrupted', overflows };
    if (isMad) return { unsafe: 'already_mad', overflows };
    return { unsafe: overflows ? 'token_overflow' : null, overflows };
  }

  /** Whether training keeps a call that the model answered. Upstream judges every such reply, kept or not. */
  keeps({ call, endedAt }: TrackerRequest, { unsafe }: ContextCheck, reply: TrackerReply): boolean {
    const { checklist, reward } = this.#madness;
    const notKept = unsafe === null ? undefined : notKeptFor[unsafe];
    if (notKept !== undefined) this.#report(call, notKept);
    const madness = this.#madFrom === undefined ? madnessOf(reply, checklist) : undefined;
    if (madness !== undefined) {
      this.#madFrom = endedAt;
      this.#report(call, degenerate(madness, reward));
    }
    return unsafe === null;
  }
}

/** What overflows is never answered by the model, and was told of when it began. */
const notKeptFor: Readonly<Record<UnsafeReason, CallProblem | undefined>> = {
  externally_interrupted: afterStop,
  already_mad: afterMadness,
  token_overflow: undefined,
};
