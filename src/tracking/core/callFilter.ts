import { afterMadness, afterStop, degenerate } from './callProblems.ts';
import { madnessOf, type MadnessOptions } from './madness.ts';
import type { CallProblem } from './problems.ts';
import type { BegunRequest, ContextCheck, TrackerReply, TrackerRequest, UnsafeReason } from './tracker.ts';

/** Decides which calls of an episode training keeps, like AgentJet at the start of each call. */
export class CallFilter {
  readonly #madness: MadnessOptions;
  readonly #report: (call: number, problem: CallProblem) => void;
  /** The end of the first degenerate reply, in milliseconds. */
  #madFrom: number | undefined;

  constructor(madness: MadnessOptions, report: (call: number, problem: CallProblem) => void) {
    this.#madness = madness;
    this.#report = report;
  }

  /** The reward of an episode with a degenerate reply. Undefined: it has none. */
  get madnessReward(): number | undefined {
    return this.#madFrom === undefined ? undefined : this.#madness.reward;
  }

  /** Drops the calls of a failed attempt. */
  restart(): void {
    this.#madFrom = undefined;
  }

  /**
   * Checks a call at its start. It is dropped if the episode was requested to stop, if an earlier reply was degenerate,
   * or if its prompt is too long.
   */
  check({ startedAt, interrupted }: BegunRequest, overflows: boolean): ContextCheck {
    const isMad = this.#madness.terminates && this.#madFrom !== undefined && startedAt >= this.#madFrom;
    if (interrupted === true) return { unsafe: 'externally_interrupted', overflows };
    if (isMad) return { unsafe: 'already_mad', overflows };
    return { unsafe: overflows ? 'token_overflow' : null, overflows };
  }

  /** Returns whether training keeps an answered call. Checks every reply for degeneration, like AgentJet. */
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

/** The problems of dropped calls. An overflow was already reported at the start of the call. */
const notKeptFor: Readonly<Record<UnsafeReason, CallProblem | undefined>> = {
  externally_interrupted: afterStop,
  already_mad: afterMadness,
  token_overflow: undefined,
};
