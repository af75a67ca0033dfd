import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunView } from '../../core/protocol/runRpc.ts';
import type { Memory } from './memory.ts';
import type { Navigator } from './navigator.ts';
import { episodePlace, type EpisodePlace, type Place } from './place.ts';

/** Whether the viewer goes along with a run that goes on. */
export interface Follow {
  readonly on: boolean;
  readonly set: (on: boolean) => void;
  /** How many episodes had started when the newest was last looked at; null: the run has not been seen yet. */
  readonly seen: number | null;
  readonly see: (started: number) => void;
  /** Goes to an episode in place of where one is. Going anywhere else is the user's doing, and ends it. */
  readonly keepTo: (place: EpisodePlace) => void;
}

/** @returns what the page works with, and what is to hear of each move, also of those back and forward */
export function useFollow(
  navigator: Navigator,
  memory: Memory,
): { readonly follow: Follow; readonly moved: (place: Place) => void } {
  const [on, setOn] = useState(memory.read('follow') === true);
  const [seen, setSeen] = useState(() => numberOf(memory.read('seen')));
  const last = useRef(navigator.place);
  const keeping = useRef(false);
  const set = (next: boolean): void => {
    memory.write('follow', next);
    setOn(next);
  };
  const follow: Follow = {
    on,
    set,
    seen,
    see: (started) => {
      memory.write('seen', started);
      setSeen(started);
    },
    keepTo: (place) => {
      keeping.current = true;
      navigator.replace(place);
      keeping.current = false;
    },
  };
  const moved = (place: Place): void => {
    const stays = place.kind === 'run' && last.current.kind === 'run';
    last.current = place;
    if (!stays && !keeping.current) set(false);
  };
  return { follow, moved };
}

function numberOf(saved: unknown): number | null {
  return typeof saved === 'number' ? saved : null;
}

/** Goes along with the run where that is wanted: in its table the table does, in an episode the next one takes its place. */
export function useKeepingUp(run: RunView | undefined, place: Place, follow: Follow): void {
  const started = run?.totals.started;
  const newest = run?.live === true ? run.newest : null;
  useEffect(() => {
    if (started === undefined) return;
    if ((follow.on || follow.seen === null) && follow.seen !== started) follow.see(started);
    const isBehind = newest !== null && 'episode' in place && place.episode !== newest;
    if (follow.on && isBehind && place.kind !== 'compare') follow.keepTo(episodePlace(newest));
  }, [started, newest, follow.on, place]);
}
