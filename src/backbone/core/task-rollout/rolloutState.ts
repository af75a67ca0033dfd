import type { EpisodeResult, Selection } from '../../../tracking/core/records/episodeResult.ts';
import { EarlyStop, type Oversampling, selectEpisodes } from './oversampling.ts';

export interface RolloutOptions {
  readonly tasks: number;
  readonly perTask: number;
  /** Undefined if every started episode is trained. */
  readonly oversampling: Oversampling | undefined;
  readonly worldSize: number;
  random(): number;
}

/** The state of a running rollout: the observation window, which episodes stop early, and which are trained. */
export class RolloutState {
  readonly #options: RolloutOptions;
  readonly #early: EarlyStop | undefined;
  readonly window: { step: number[]; token: number[]; stop: boolean[] };
  readonly #groups: readonly { readonly episode: number; readonly reward: number }[][];

  constructor(options: RolloutOptions) {
    const { tasks, perTask, oversampling } = options;
    this.#options = options;
    this.#early = oversampling && new EarlyStop(oversampling, tasks);
    const of = <T>(value: T): T[] => Array.from({ length: tasks * perTask }, () => value);
    this.window = { step: of(0), token: of(0), stop: of(false) };
    this.#groups = Array.from({ length: tasks }, () => []);
  }

  stepped(thread: number): void {
    this.window.step[thread] = (this.window.step[thread] ?? 0) + 1;
  }

  generated(thread: number, tokens: number): void {
    this.window.token[thread] = (this.window.token[thread] ?? 0) + tokens;
  }

  isStopped(thread: number): boolean {
    return this.window.stop[thread] === true;
  }

  /** Records a result. Returns the episodes that stop because of it. */
  ended(result: EpisodeResult): readonly number[] {
    const { episode, reward, tracking } = result;
    const { perTask } = this.#options;
    const task = Math.floor(episode / perTask);
    const compared =
      reward === null
        ? undefined
        : performanceReward(tracking?.madnessReward ?? reward, tracking?.timelines ?? 0);
    if (compared !== undefined) {
      this.#groups[task]?.push({ episode, reward: compared });
      this.window.step[episode] = -1;
    }
    if (this.#early === undefined) return [];
    this.#early.ended(task, compared);
    const threads = this.#early
      .decide()
      .flatMap((stopped) => Array.from({ length: perTask }, (_, at) => stopped * perTask + at));
    for (const thread of threads) this.window.stop[thread] = true;
    return threads;
  }

  /** Returns how often each episode with a reward is trained; undefined without oversampling. Call it after the rollout. */
  selection(): readonly Selection[] | undefined {
    const { oversampling, worldSize } = this.#options;
    if (oversampling === undefined) return undefined;
    const groups = this.#groups.map((group) => group.toSorted((a, b) => a.episode - b.episode));
    const rewards = groups.map((group) => group.map(({ reward }) => reward));
    const selected = selectEpisodes(rewards, {
      repeat: oversampling.repeat,
      worldSize,
      random: () => this.#options.random(),
    });
    return groups.flatMap((group, task) =>
      group.map(({ episode }, at) => {
        const times = selected[task]?.filter((position) => position === at).length ?? 0;
        return { episode, times };
      }),
    );
  }
}

/**
 * Returns the reward by which oversampling compares episodes: NumPy's mean over the timelines, which all have the same
 * reward. Rounding makes it depend on the number of timelines: `numpy.mean([0.1] * 3)` is not 0.1.
 */
export function performanceReward(reward: number, timelines: number): number {
  return timelines === 0 ? reward : sumOf(reward, timelines) / timelines;
}

const lanes = 8;
const block = 128;

/** NumPy's pairwise sum of `count` equal values. */
function sumOf(value: number, count: number): number {
  if (count < lanes) return repeated(value, count);
  if (count > block) {
    const half = Math.floor(count / 2);
    const left = half - (half % lanes);
    return sumOf(value, left) + sumOf(value, count - left);
  }
  const lane = repeated(value, Math.floor(count / lanes));
  const four = lane + lane + (lane + lane);
  let total = four + four;
  for (let rest = count % lanes; rest > 0; rest--) total += value;
  return total;
}

function repeated(value: number, count: number): number {
  let total = 0;
  for (let left = count; left > 0; left--) total += value;
  return total;
}
