import { CodedError } from '../../../base/core/errors.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';

/** The numbers of episodes per task in an oversampled rollout. */
export interface Oversampling {
  /** Episodes that training needs: `num_repeat`. */
  readonly repeat: number;
  /** Episodes with equal rewards after which a task stops early. */
  readonly confirm: number;
  /** Episodes started. */
  readonly over: number;
}

const section = 'ajet.rollout';

/**
 * Returns undefined for a run that does not oversample: it is not enabled, or `num_repeat` is 1 (as in upstream).
 * Throws `task-rollout/oversample-multiplier` if the multiplier leaves no room between the three numbers.
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
    message: `\`submit_oversample_multiplier\` ${multiplier} is too small for ${repeat} repeats: it starts ${over} episodes per task, and ${confirm} confirm equal rewards. Required: ${repeat} < ${confirm} < ${over}.`,
    location: config.locate(key),
    hint: 'Increase the multiplier or the repeats, or set enable_oversample to false. AgentJet rejects these values too.',
  });
}

/** The rewards of the ended episodes of one task; undefined for an episode without one. */
type Ended = (number | undefined)[];

/**
 * Decides which tasks of an oversampled rollout stop early. A task stops once enough of its episodes have ended with equal
 * rewards. All tasks stop once none needs more episodes. Upstream decides every 5 s, this class after every episode.
 */
export class EarlyStop {
  readonly #plan: Oversampling;
  readonly #tasks: readonly Ended[];
  readonly #stopped = new Set<number>();

  constructor(plan: Oversampling, tasks: number) {
    this.#plan = plan;
    this.#tasks = Array.from({ length: tasks }, () => []);
  }

  /** @param reward undefined for an episode that ended without one */
  ended(task: number, reward: number | undefined): void {
    this.#tasks[task]?.push(reward);
  }

  /** Returns the positions of the tasks that stop now and did not before. */
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
