import type { TracedTimeline } from '../../tracking/core/records/trace.ts';
import { EpisodeContents, type EpisodeContent } from './episodeContent.ts';
import { traceErrors } from './errors.ts';
import { nothingYet } from './partRows.ts';
import type { CallRecord, EpisodeRecord, StoredRun } from './records.ts';
import type { StoredTrace } from './stored.ts';

/** A timeline of an episode, and what it is made of. */
export interface FoundTimeline {
  readonly episode: number;
  readonly content: EpisodeContent;
  readonly found: TracedTimeline;
}

/** Finds what requests name; throws where a trace has no such thing. */
export class FoundParts {
  readonly trace: StoredTrace;
  readonly contents: EpisodeContents;
  readonly #contentOf: (record: EpisodeRecord) => EpisodeContent;

  /** @param contentOf absent: with the timelines that the run itself made */
  constructor(trace: StoredTrace, contentOf?: (record: EpisodeRecord) => EpisodeContent) {
    this.trace = trace;
    this.contents = new EpisodeContents(trace);
    this.#contentOf = contentOf ?? ((record) => this.contents.open(record));
  }

  run(): StoredRun {
    return this.trace.run() ?? nothingYet;
  }

  episode(episode: number): EpisodeRecord {
    const record = this.trace.episode(episode);
    if (record === undefined) throw traceErrors.noSuchEpisode(this.trace.rows.file, episode);
    return record;
  }

  content(episode: number): EpisodeContent {
    return this.#contentOf(this.episode(episode));
  }

  call(episode: number, call: number): CallRecord {
    const record = this.trace.calls.one(episode, call);
    if (record === undefined) throw traceErrors.noSuchCall(this.trace.rows.file, episode, call);
    return record;
  }

  timeline(episode: number, timeline: number): FoundTimeline {
    const content = this.content(episode);
    const found = content.timelines[timeline];
    if (found === undefined) throw traceErrors.noSuchTimeline(this.trace.rows.file, episode, timeline);
    return { episode, content, found };
  }
}
