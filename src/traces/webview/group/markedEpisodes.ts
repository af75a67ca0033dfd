import type { EpisodeRow } from '../../core/protocol/traceLists.ts';
import { usePersistentState } from '../state/persistentState.ts';

/** Episodes that a comparison has room for. */
const mostMarked = 2;

export interface MarkedEpisodes {
  /** In the order in which they were marked. */
  readonly marked: readonly number[];
  readonly toggle: (episode: number) => void;
}

/** The episodes of a group that one has marked. One more takes the place of the oldest. */
export function useMarkedEpisodes(group: number, episodes: readonly EpisodeRow[]): MarkedEpisodes {
  const [marked, keep] = usePersistentState(`group.${group}.marked`, (saved): readonly number[] => {
    const numbers = Array.isArray(saved) ? saved.filter((one): one is number => typeof one === 'number') : [];
    return numbers.filter((one) => episodes.some(({ episode }) => episode === one)).slice(-mostMarked);
  });
  return { marked, toggle: (episode) => keep(toggled(marked, episode)) };
}

export function toggled(marked: readonly number[], episode: number): readonly number[] {
  if (marked.includes(episode)) return marked.filter((one) => one !== episode);
  return [...marked, episode].slice(-mostMarked);
}
