import type { RecordedBatch, RecordedRun, TracedMessage } from '../protocol/trace.ts';
import type {
  CallView,
  EpisodesView,
  EpisodeView,
  RunView,
  TimelineView,
  TokensView,
  TraceSummary,
} from '../protocol/traceRpc.ts';

/**
 * A trace that is open for reading, finished or still being written. Each method answers from one consistent state
 * of the file and throws a CodedError `trace/…` where the file cannot be read or has no such episode, call or
 * timeline. Answers are windows; the limits of `largestWindow` are the caller's to keep.
 */
export interface TraceReader {
  run(): RunView;
  /** Episodes that have started, in order of their numbers. Their queries are shortened; see {@link episode}. */
  episodes(from: number, limit: number): EpisodesView;
  episode(episode: number): EpisodeView;
  call(episode: number, call: number): CallView;
  timeline(episode: number, timeline: number): TimelineView;
  tokens(episode: number, timeline: number, from: number, limit: number): TokensView;
  /** What judges need of every episode. Throws `trace/no-outputs` for a trace of a version that did not keep it. */
  recorded(): RecordedRun;
  /** What the samples of the episodes that have ended depend on, beside their messages. */
  batch(): RecordedBatch;
  /** The messages of a timeline, whole. */
  timelineMessages(episode: number, timeline: number): readonly TracedMessage[];
  summary(): TraceSummary;
  /** Differs from what it was whenever something has been written since; cheap enough to ask several times a second. */
  changeCount(): number;
  /** Lets go of the file; the last to do so after the run's end leaves one file. */
  close(): void;
}
