import type { EpisodeContent } from './episodeContent.ts';
import { MergeExplanation } from './explain.ts';
import { mergeInputs, upstreamRules } from './mergeInputs.ts';
import { LruCache } from './lruCache.ts';
import type { EpisodeRecord } from './records.ts';
import type { StoredTrace } from './stored.ts';
import type { TokenTable } from './tokenTable.ts';

/** Episodes that are remembered: one is looked at, and one was. */
const mostRemembered = 2;

interface Explained {
  /** Of the episode then. */
  readonly state: string;
  readonly explanation: MergeExplanation;
}

/** Explains episodes, and remembers what it merged until their next call. */
export class Explanations {
  readonly #trace: StoredTrace;
  readonly #table: TokenTable;
  readonly #known = new LruCache<number, Explained>(mostRemembered);

  constructor(trace: StoredTrace, table: TokenTable) {
    this.#trace = trace;
    this.#table = table;
  }

  of({ episode, calls, ended }: EpisodeRecord, content: EpisodeContent, exact: boolean): MergeExplanation {
    const state = `${calls} ${ended}`;
    const explain = (): Explained => ({ state, explanation: this.#explain(episode, content, exact) });
    return this.#known.get(episode, explain, (known) => known.state === state).explanation;
  }

  #explain(episode: number, content: EpisodeContent, exact: boolean): MergeExplanation {
    const terms = {
      rules: this.#trace.merging() ?? upstreamRules,
      batch: this.#trace.batch(),
      exact,
      stored: content.provisional ? undefined : content.timelines,
    };
    return new MergeExplanation(mergeInputs(this.#trace, episode, content.messages()), terms, this.#table);
  }
}
