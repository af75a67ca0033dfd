import type { LinesView, SourceOf, SourceView } from '../protocol/codeRpc.ts';
import type { ReplayedRun } from '../protocol/replayed.ts';
import type { MergeSetting, MergingView } from '../protocol/mergingRpc.ts';
import type { RecordedBatch, RecordedRun } from '../protocol/recorded.ts';
import type { TracedMessage } from '../protocol/trace.ts';
import type { Histogram, NamesView, EpisodesView, GroupsView, GroupView } from '../protocol/traceLists.ts';
import type {
  BinaryView,
  Conversation,
  LeftOutView,
  SearchView,
  TextView,
} from '../protocol/conversationRpc.ts';
import type { CallView, EpisodeView, SpansView, TimelineView } from '../protocol/episodeRpc.ts';
import type { RequestOf } from '../protocol/traceRpc.ts';
import type { RunView, TraceSummary } from '../protocol/runRpc.ts';
import type { TokensView, FindView, StripView, TokenDetail } from '../protocol/tokenRpc.ts';
import type { ComparableSide } from './compare.ts';
import type { EpisodeIdentity } from './identities.ts';
import type { CounterpartsView } from '../protocol/otherRunRpc.ts';
import type { Task } from './sameTask.ts';
import type { EpisodesList, GroupsList } from './runLists.ts';

export interface CallMessages {
  readonly messages: readonly TracedMessage[];
  readonly reply: TracedMessage | null;
}

/** What is searched for in a timeline's tokens, and from which on. */
export type Search = Pick<RequestOf<'find'>, 'wanted' | 'from'>;

export interface TextWindow {
  readonly from: number;
  readonly limit: number;
}

export interface Sought {
  readonly text: string;
  readonly matchCase: boolean;
}

/** What is asked about timelines. */
export interface TimelineReader {
  timeline(episode: number, timeline: number): TimelineView;
  tokens(episode: number, timeline: number, from: number, limit: number): TokensView;
  token(episode: number, timeline: number, token: number): TokenDetail;
  /** @param stretches how many the answer may have */
  strip(episode: number, timeline: number, stretches: number): StripView;
  /** Searches a part of the timeline from `from` on; `next` of the answer tells where to go on. */
  find(episode: number, timeline: number, search: Search): FindView;
  text(episode: number, of: Conversation, message: number, window: TextWindow): TextView;
  search(episode: number, of: Conversation, sought: Sought): SearchView;
}

/**
 * A trace that is open for reading, finished or still being written. Each method answers from one consistent state
 * of the file and throws a CodedError `trace/…` where the file cannot be read or has no such episode, call or
 * timeline. Answers are windows; the limits of `largestWindow` are the caller's to keep.
 */
export interface TraceReader extends TimelineReader {
  run(): RunView;
  /** Of the episodes that have started, without a list all in order of their numbers. Their queries are shortened; see {@link episode}. */
  episodes(from: number, limit: number, list?: EpisodesList): EpisodesView;
  /** Of the groups that have an episode that has started. */
  groups(from: number, limit: number, list?: GroupsList): GroupsView;
  group(group: number): GroupView;
  /** Of the episodes and groups that have ended, those that have values at all. */
  histograms(): readonly Histogram[];
  names(): NamesView;
  episode(episode: number): EpisodeView;
  /** What the episode did beside its calls. */
  spans(episode: number): SpansView;
  call(episode: number, call: number): CallView;
  /** What there would be of timelines by a setting; by one that makes no difference, the run's own. */
  otherwise(setting: MergeSetting): TimelineReader;
  /** Throws `trace/no-source` where it is not known, or found no more. */
  source(episode: number, of: SourceOf): SourceView;
  /** What the calls come to by the lines of code that made them. */
  lines(): LinesView;
  task(episode: number): Task;
  /** The episodes of a task of another run. Throws `trace/no-such-task`. */
  counterparts(task: Task): CounterpartsView;
  /** What comparing it with another needs; null: its timeline with the most trained tokens. */
  comparable(episode: number, timeline: number | null): ComparableSide;
  leftOut(episode: number, call: number): readonly LeftOutView[];
  binary(hash: number, window: TextWindow): BinaryView;
  /** @param setting null: the run's own */
  merging(episode: number, setting: MergeSetting | null): MergingView;
  /** What judges need of every episode. Throws `trace/no-outputs` for a trace of a version that did not keep it. */
  recorded(): RecordedRun;
  /**
   * What answers the calls once more.
   *
   * @param only an episode's number; absent: all of them, whose texts are held at once
   */
  replayed(only?: number): ReplayedRun;
  /** What the samples of the episodes that have ended depend on, beside their messages. */
  batch(): RecordedBatch;
  /** The messages of a call, whole; unlike a timeline's, all of them are as the request had them. */
  callMessages(episode: number, call: number): CallMessages;
  identity(episode: number): EpisodeIdentity;
  /** Numbers that make up its reward, or stand beside it, by name. */
  rewardParts(episode: number): Readonly<Record<string, number>>;
  /** The messages of a timeline, whole. */
  timelineMessages(episode: number, timeline: number): readonly TracedMessage[];
  summary(): TraceSummary;
  /** Differs from what it was whenever something has been written since; cheap enough to ask several times a second. */
  changeCount(): number;
  /** Lets go of the file; the last to do so after the run's end leaves one file. */
  close(): void;
}
