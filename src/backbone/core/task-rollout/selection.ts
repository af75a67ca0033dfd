import { allEqual } from './oversampling.ts';

export interface SelectionOptions {
  /** `num_repeat`. */
  readonly repeat: number;
  /** Processes that train: nodes × GPUs of each. */
  readonly worldSize: number;
  /** In [0, 1): which episode is taken twice where there are too few. */
  random(): number;
}

/**
 * Which episodes of an oversampled rollout train, as upstream selects them: tasks with equal rewards are left out where
 * the others have enough to give, and what is left over goes, one at a time from the task that has most.
 *
 * @param groups the rewards of each task's episodes
 * @returns for each task the positions of the episodes it gives, by the size of their rewards; one that is taken more
 * than once, because there are too few, stands there more than once
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
  /** How many tasks with equal rewards may be left out. */
  readonly leaveOut: number;
  /** What each task gives beyond `repeat`. */
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
