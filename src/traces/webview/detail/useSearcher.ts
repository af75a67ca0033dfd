import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TokenQuery } from '../../core/protocol/tokenRpc.ts';
import { useViewer } from '../state/viewer.ts';
import type { TimelineOf } from './timelineOf.ts';
import { overlap, type TokenRange } from './tokenRange.ts';
import { Searcher, type Search } from './tokenSearch.ts';

export interface TokenSearch {
  readonly search: Search | null;
  /** @param first the token to start at */
  readonly start: (wanted: TokenQuery, first: number) => void;
  readonly step: (direction: 1 | -1) => void;
  readonly clear: () => void;
  /** Returns the matches in a range of tokens, and the current match. */
  readonly near: (
    first: number,
    end: number,
  ) => { readonly found: readonly TokenRange[]; readonly current: TokenRange | null };
}

/** Searches the tokens of a timeline while its list is mounted. */
export function useSearcher(of: TimelineOf, onArrive: (match: TokenRange) => void): TokenSearch {
  const { client, trace } = useViewer();
  const [search, setSearch] = useState<Search | null>(null);
  const arrive = useRef(onArrive);
  arrive.current = onArrive;
  const searcher = useMemo(
    () =>
      new Searcher({
        ask: (wanted, from) => client.ask('find', { trace, ...of, wanted, from }),
        onChange: setSearch,
        onArrive: (match) => arrive.current(match),
      }),
    [],
  );
  useEffect(() => () => searcher.clear(), []);
  return {
    search,
    start: (wanted, first) => void searcher.start(wanted, first),
    step: (direction) => searcher.step(direction),
    clear: () => searcher.clear(),
    near: (first, end) => ({
      found: (search?.matches ?? []).filter((match) => overlap(match, { from: first, end }) !== null),
      current: search?.matches[search.at] ?? null,
    }),
  };
}
