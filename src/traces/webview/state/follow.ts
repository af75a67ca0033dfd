import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunView } from '../../core/protocol/runRpc.ts';
import type { Memory } from './memory.ts';
import type { Navigator } from './navigator.ts';
import { episodeRoute, type EpisodeRoute, type Route } from './route.ts';

export interface Follow {
  readonly on: boolean;
  readonly set: (on: boolean) => void;
  /** The number of started episodes when the newest was last shown; null: not seen yet. */
  readonly seen: number | null;
  readonly see: (started: number) => void;
  /** Shows an episode without ending the follow mode. Any other navigation ends it. */
  readonly keepTo: (route: EpisodeRoute) => void;
}

/** @returns the state for the page, and a function to call with every navigation */
export function useFollow(
  navigator: Navigator,
  memory: Memory,
): { readonly follow: Follow; readonly moved: (route: Route) => void } {
  const [on, setOn] = useState(memory.read('follow') === true);
  const [seen, setSeen] = useState(() => numberOf(memory.read('seen')));
  const last = useRef(navigator.route);
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
    keepTo: (route) => {
      keeping.current = true;
      navigator.replace(route);
      keeping.current = false;
    },
  };
  const moved = (route: Route): void => {
    const stays = route.kind === 'run' && last.current.kind === 'run';
    last.current = route;
    if (!stays && !keeping.current) set(false);
  };
  return { follow, moved };
}

function numberOf(saved: unknown): number | null {
  return typeof saved === 'number' ? saved : null;
}

/** On the run's screen the table follows; on an episode's screen the next episode replaces it. */
export function useKeepingUp(run: RunView | undefined, route: Route, follow: Follow): void {
  const started = run?.totals.started;
  const newest = run?.live === true ? run.newest : null;
  useEffect(() => {
    if (started === undefined) return;
    if ((follow.on || follow.seen === null) && follow.seen !== started) follow.see(started);
    const isBehind = newest !== null && 'episode' in route && route.episode !== newest;
    if (follow.on && isBehind && route.kind !== 'compare') follow.keepTo(episodeRoute(newest));
  }, [started, newest, follow.on, route]);
}
