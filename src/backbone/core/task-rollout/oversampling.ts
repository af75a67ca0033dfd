import { CodedError } from '../../../base/core/errors.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';

/** How many episodes of each task are started, and how many decide. */
export interface Oversampling {
  /** What training wants of a task: `num_repeat`. */
  readonly repeat: number;
  /** Episodes after which a task is given up whose rewards are all equal. */
  readonly confirm: number;
  /** Episodes started. */
  readonly over: number;
}

const section = 'ajet.rollout';

/**
 * Undefined where a run does not oversample: as in upstream with a `num_repeat` of 1, and where it is not enabled.
 * Throws `task-rollout/oversample-multiplier` where the multiplier leaves no room between the three numbers.
 */
export function oversamplingOf(config: Config, repeat: number): Oversampling | undefined {
  if (config.booleanOrNull(`${section}.enable_oversample`) !== true || repeat === 1) return undefined;
  const key = `${section}.submit_oversample_multiplier`;
  const multiplier = config.number(key);
  const over = Math.trunc(repeat * multiplier);
  const confirm = Math.trunc((repeat * (1 + multiplier)) / 2);
  if (repeat < confirm && confirm < over) return { repeat, confirm, over };
  throw new CodedError({
    code: 'task-rollout/oversample-multiplier',
    message: `With ${repeat} repeats and \`submit_oversample_multiplier\` ${multiplier}, ${over} episodes of a task are started and ${confirm} confirm equal rewards, but it has to be ${repeat} < ${confirm} < ${over}.`,
    location: config.locate(key),
    hint: 'Raise the multiplier or the repeats, or turn enable_oversample off; AgentJet refuses this, too.',
  });
}

/** Episodes of one task that ended: their rewards, undefined where one gave none. */
type Ended = (number | undefined)[];

/**
 * Follows the tasks of an oversampled rollout and says whose episodes may stop: those of a task with equal rewards once
 * enough of them have ended, and all once no task needs more. Upstream looks every 5 s, this whenever it is asked.
 */
export class EarlyStop {
  readonly #plan: Oversampling;
  readonly #tasks: readonly Ended[];
  readonly #stopped = new Set<number>();

  constructor(plan: Oversampling, tasks: number) {
    this.#plan = plan;
    this.#tasks = Array.from({ length: tasks }, () => []);
  }

  /** @param reward undefined: the episode counts as ended, but not among the rewards */
  ended(task: number, reward: number | undefined): void {
    this.#tasks[task]?.push(reward);
  }

  /** Positions of the tasks whose episodes are told to stop only now. */
  decide(): readonly number[] {
    const all = this.#tasks.every((_, task) => this.#mayEnd(task));
    const now = [...this.#tasks.keys()].filter(
      (task) => !this.#stopped.has(task) && (all || this.#isHopeless(task)),
    );
    for (const task of now) this.#stopped.add(task);
    return now;
  }

  #mayEnd(task: number): boolean {
    const ended = this.#tasks[task]?.length ?? 0;
    const { repeat, over } = this.#plan;
    return ended === over || (this.#hasEqualRewards(task) ? this.#isHopeless(task) : ended >= repeat);
  }

  #isHopeless(task: number): boolean {
    return this.#hasEqualRewards(task) && (this.#tasks[task]?.length ?? 0) >= this.#plan.confirm;
  }

  #hasEqualRewards(task: number): boolean {
    return allEqual(this.#tasks[task]?.filter((reward) => reward !== undefined) ?? []);
  }
}

export function allEqual(values: readonly number[]): boolean {
  return values.every((value) => value === values[0]);
}
