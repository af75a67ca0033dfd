import type { EpisodeResult } from './run.ts';

/** How often an episode of an oversampled rollout trains; 0: training leaves it out. */
export interface Selection {
  readonly episode: number;
  readonly times: number;
}

/** The results of a rollout that is over, each with how often training takes it. */
export function withSelection(
  results: readonly EpisodeResult[],
  selection: readonly Selection[] | undefined,
): readonly EpisodeResult[] {
  if (selection === undefined) return results;
  const times = new Map(selection.map((one) => [one.episode, one.times]));
  return results.map((result) => {
    const selected = times.get(result.episode);
    return selected === undefined ? result : { ...result, selected };
  });
}
