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

/** Undefined without oversampling, or if `num_repeat` is 1. Throws `task-rollout/oversample-multiplier`. */
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

/** Stops tasks with enough equal rewards, and all once none needs more. Upstream decides every 5 s, not per episode. */
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

interface SelectionOptions {
  /** `num_repeat`. */
  readonly repeat: number;
  /** Number of training processes: nodes × GPUs per node. */
  readonly worldSize: number;
  random(): number;
}

/**
 * Selects the episodes of an oversampled rollout that are trained, as upstream does. Tasks with equal rewards are dropped
 * if the others have enough episodes. Surplus episodes are dropped one at a time from the task that has most.
 *
 * @param groups the rewards of each task's episodes
 * @returns the positions of the selected episodes for each task, sorted by the size of the reward. An episode that is
 * selected several times appears several times.
 */
export function selectEpisodes(
  groups: readonly (readonly number[])[],
  options: SelectionOptions,
): readonly (readonly number[])[] {
  const { repeat } = options;
  const plan = planOf(groups, options);
  let mayLeaveOut = plan.leaveOut;
  return groups.map((rewards, group) => {
    const isEqual = allEqual(rewards);
    if (isEqual && mayLeaveOut > 0) {
      mayLeaveOut -= 1;
      return [];
    }
    const count = isEqual ? repeat : repeat + (plan.extras[group] ?? 0);
    return selectDiverse(rewards, count, options);
  });
}

interface Plan {
  /** The number of tasks with equal rewards that may be dropped. */
  readonly leaveOut: number;
  /** The number of episodes of each task in addition to `repeat`. */
  readonly extras: readonly number[];
}

function planOf(groups: readonly (readonly number[])[], { repeat, worldSize }: SelectionOptions): Plan {
  const useful = groups.map((rewards) => (allEqual(rewards) ? 0 : rewards.length));
  const extras = useful.map((count) => (count === 0 ? 0 : count - repeat));
  if (sum(useful) > worldSize * 2) return { leaveOut: groups.length, extras };
  const equal = useful.filter((count) => count === 0).length;
  const leaveOut = Math.max(0, Math.min(Math.floor(sum(extras) / repeat), equal));
  // Upstream fails where episodes were lost and there is not so much left to take away.
  for (let surplus = sum(extras) - leaveOut * repeat; surplus > 0; surplus--) {
    const most = extras.indexOf(Math.max(...extras));
    if ((extras[most] ?? 0) <= 0) break;
    extras[most] = (extras[most] ?? 0) - 1;
  }
  return { leaveOut, extras };
}

/** Takes one of every different reward, again and again; of the last round those at both ends. */
function selectDiverse(rewards: readonly number[], wanted: number, options: SelectionOptions): number[] {
  const bySize = (a: number, b: number): number => Math.abs(rewards[a] ?? 0) - Math.abs(rewards[b] ?? 0);
  const sorted = [...rewards.keys()].sort(bySize);
  const count = Math.min(wanted, sorted.length);
  const selected: number[] = [];
  let rest = sorted;
  while (selected.length < count) {
    const round = oneOfEach(rest, rewards);
    const room = count - selected.length;
    const left = Math.floor(room / 2);
    selected.push(...(round.length <= room ? round : [...round.slice(0, left), ...round.slice(left - room)]));
    rest = rest.filter((position) => !round.includes(position));
  }
  const distinct = selected.length;
  while (distinct > 0 && selected.length < wanted) {
    selected.push(selected[Math.floor(options.random() * distinct)] ?? 0);
  }
  // Among equal sizes the order of selection stays.
  return selected.sort(bySize);
}

function oneOfEach(positions: readonly number[], rewards: readonly number[]): number[] {
  const seen = new Set<number | undefined>();
  return positions.filter((position) => {
    const reward = rewards[position];
    if (seen.has(reward)) return false;
    seen.add(reward);
    return true;
  });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
