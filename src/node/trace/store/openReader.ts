import { existsSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { CodedError } from '../../../base/errors.ts';
import type { LinesView, SourceOf, SourceView } from '../../../protocol/codeRpc.ts';
import type { ReplayedRun } from '../../../protocol/replayed.ts';
import type { CounterpartsView } from '../../../protocol/otherRunRpc.ts';
import type { MergeSetting, MergingView } from '../../../protocol/mergingRpc.ts';
import type { RecordedBatch, RecordedRun } from '../../../protocol/recorded.ts';
import type { TracedMessage } from '../../../protocol/trace.ts';
import type {
  Histogram,
  NamesView,
  EpisodesView,
  GroupsView,
  GroupView,
} from '../../../protocol/traceLists.ts';
import type {
  BinaryView,
  Conversation,
  LeftOutView,
  SearchView,
  TextView,
} from '../../../protocol/conversationRpc.ts';
import type { CallView, EpisodeView, SpansView, TimelineView } from '../../../protocol/episodeRpc.ts';
import type { RunView, TraceSummary } from '../../../protocol/runRpc.ts';
import type { TokensView, FindView, StripView, TokenDetail } from '../../../protocol/tokenRpc.ts';
import { traceErrors } from '../../../trace/errors.ts';
import type { ComparableSide } from '../../../trace/compare.ts';
import { formatVersion } from '../../../trace/layout.ts';
import type { EpisodesList, GroupsList } from '../../../trace/runLists.ts';
import type { EpisodeIdentity } from '../../../trace/identities.ts';
import type {
  CallMessages,
  Search,
  Sought,
  TextWindow,
  TimelineReader,
  TraceReader,
} from '../../../trace/reader.ts';
import type { Task } from '../../../trace/sameTask.ts';
import { timelineReader } from '../../../trace/timelineReader.ts';
import { TraceViews } from '../../../trace/views.ts';
import { boundedMatches } from './boundedMatches.ts';
import { Connection } from './connection.ts';
import { isDamage, storeErrors } from './errors.ts';
import { localCode } from './localCode.ts';
import { changedAt, sizeOf, stampOf } from './fileParts.ts';
import { mergeJournal } from './mergeJournal.ts';
import { openDamaged, openSource, type Source } from './source.ts';
import { sqliteCode, sqliteCodes } from './sqliteCodes.ts';
import { livesStill } from './writerLife.ts';

/**
 * Opens a trace, also while it is written, in a read-only folder, or left behind by a process that was killed. Where
 * the folder is read-only and such a process left a journal, a copy in the temporary folder is read, until closed.
 *
 * @throws CodedError `trace/…` when it cannot be opened
 */
export function openTraceReader(file: string): TraceReader {
  return new FileTraceReader(path.resolve(file));
}

class FileTraceReader implements TraceReader {
  readonly #file: string;
  #source: Source;
  #views: TraceViews;
  /** How often the file was opened anew. */
  #openings = 0;

  constructor(file: string) {
    this.#file = file;
    this.#source = this.#attempt(undefined, () => openSource(file));
    this.#views = this.#viewsOf(this.#source);
  }

  run(): RunView {
    return this.#read((views) => views.run());
  }

  episodes(from: number, limit: number, list?: EpisodesList): EpisodesView {
    return this.#read((views) => views.episodes(from, limit, list));
  }

  groups(from: number, limit: number, list?: GroupsList): GroupsView {
    return this.#read((views) => views.groups(from, limit, list));
  }

  group(group: number): GroupView {
    return this.#read((views) => views.group(group));
  }

  histograms(): readonly Histogram[] {
    return this.#read((views) => views.histograms());
  }

  names(): NamesView {
    return this.#read((views) => views.names());
  }

  episode(episode: number): EpisodeView {
    return this.#read((views) => views.episode(episode));
  }

  spans(episode: number): SpansView {
    return this.#read((views) => views.spans(episode));
  }

  call(episode: number, call: number): CallView {
    return this.#read((views) => views.call(episode, call));
  }

  timeline(episode: number, timeline: number): TimelineView {
    return this.#read((views) => views.timeline(episode, timeline));
  }

  tokens(episode: number, timeline: number, from: number, limit: number): TokensView {
    return this.#read((views) => views.tokens.window(episode, timeline, from, limit));
  }

  token(episode: number, timeline: number, token: number): TokenDetail {
    return this.#read((views) => views.tokens.token(episode, timeline, token));
  }

  strip(episode: number, timeline: number, stretches: number): StripView {
    return this.#read((views) => views.tokens.strip(episode, timeline, stretches));
  }

  find(episode: number, timeline: number, search: Search): FindView {
    return this.#read((views) => views.tokens.find(episode, timeline, search));
  }

  text(episode: number, of: Conversation, message: number, window: TextWindow): TextView {
    return this.#read((views) => views.conversations.text(episode, of, message, window));
  }

  search(episode: number, of: Conversation, sought: Sought): SearchView {
    return this.#read((views) => views.conversations.search(episode, of, sought));
  }

  otherwise(setting: MergeSetting): TimelineReader {
    return timelineReader((ask) => this.#read((views) => ask(views.otherwise(setting))));
  }

  source(episode: number, of: SourceOf): SourceView {
    return this.#read((views) => views.code.source(episode, of));
  }

  lines(): LinesView {
    return this.#read((views) => views.code.lines(views.isLive()));
  }

  task(episode: number): Task {
    return this.#read((views) => views.task(episode));
  }

  counterparts(task: Task): CounterpartsView {
    return this.#read((views) => views.counterparts(task));
  }

  comparable(episode: number, timeline: number | null): ComparableSide {
    return this.#read((views) => views.comparable(episode, timeline));
  }

  leftOut(episode: number, call: number): readonly LeftOutView[] {
    return this.#read((views) => views.leftOut.of(episode, call));
  }

  binary(hash: number, window: TextWindow): BinaryView {
    return this.#read((views) => views.leftOut.binary(hash, window));
  }

  merging(episode: number, setting: MergeSetting | null): MergingView {
    return this.#read((views) => views.merging(episode, setting));
  }

  summary(): TraceSummary {
    return this.#read((views) => views.summary(sizeOf(this.#file)));
  }

  recorded(): RecordedRun {
    return this.#readWhole((views) => views.recorded());
  }

  replayed(only?: number): ReplayedRun {
    return this.#read((views) => views.replayed(only));
  }

  batch(): RecordedBatch {
    return this.#readWhole((views) => views.batch());
  }

  callMessages(episode: number, call: number): CallMessages {
    return this.#read((views) => views.conversations.ofCall(episode, call));
  }

  identity(episode: number): EpisodeIdentity {
    return this.#read((views) => views.identity(episode));
  }

  rewardParts(episode: number): Readonly<Record<string, number>> {
    return this.#read((views) => views.rewardParts(episode));
  }

  timelineMessages(episode: number, timeline: number): readonly TracedMessage[] {
    return this.#read((views) => views.conversations.ofTimeline(episode, timeline));
  }

  changeCount(): number {
    return this.#attempt(this.#source, () => {
      this.#refresh();
      return this.#openings * 2 ** 32 + this.#source.connection.number('data_version');
    });
  }

  close(): void {
    // A damaged file is left as it is: what lies beside it may not even belong to it.
    const over = this.#source.kind === 'direct' && this.#source.damage === undefined && this.#isOver();
    this.#source.close();
    if (over && existsSync(`${this.#file}-wal`)) tidyUp(this.#file);
  }

  #read<T>(ask: (views: TraceViews) => T): T {
    return this.#attempt(this.#source, () => {
      this.#refresh();
      try {
        return this.#ask(ask);
      } catch (error) {
        if (this.#source.damage !== undefined || !isDamage(error)) throw error;
        this.#replace(openDamaged(this.#file));
        return this.#ask(ask);
      }
    });
  }

  /** For what a part would be as good as a lie: scores and samples. */
  #readWhole<T>(ask: (views: TraceViews) => T): T {
    const answer = this.#read(ask);
    const { damage } = this.#source;
    if (damage !== undefined) throw traceErrors.incomplete(this.#file, damage);
    return answer;
  }

  /** Of one state of the file. */
  #ask<T>(ask: (views: TraceViews) => T): T {
    return this.#source.connection.snapshot(() => ask(this.#views));
  }

  /** What stands still is opened anew once the file has changed. */
  #refresh(): void {
    const { kind, stamp, damage } = this.#source;
    const follows = kind === 'direct' && damage === undefined;
    if (follows || (kind !== 'blank' && stamp === stampOf(this.#file))) return;
    const source = openSource(this.#file);
    if (kind === 'blank' && source.kind === 'blank') source.close();
    else this.#replace(source);
  }

  #replace(source: Source): void {
    this.#source.close();
    this.#source = source;
    this.#views = this.#viewsOf(source);
    this.#openings += 1;
  }

  #viewsOf({ connection, format, damage }: Source): TraceViews {
    const file = this.#file;
    return new TraceViews(connection, {
      file,
      format,
      damage,
      code: localCode,
      lives: (writer) => livesStill(writer, changedAt(file)),
      matches: boundedMatches,
    });
  }

  /** Whether nobody writes any more. */
  #isOver(): boolean {
    try {
      return !this.#views.isLive();
    } catch {
      return false; // what cannot be read is left as it is
    }
  }

  #attempt<T>(source: Source | undefined, read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw error instanceof CodedError ? error : readFailure(this.#file, source?.format ?? 0, error);
    }
  }
}

function readFailure(file: string, format: number, error: unknown): CodedError {
  switch (sqliteCode(error)) {
    case sqliteCodes.busy:
    case sqliteCodes.locked:
      return storeErrors.busy(file, error);
    case sqliteCodes.notADatabase:
      return storeErrors.notATrace(file);
    case sqliteCodes.corrupt:
      return storeErrors.damaged(file, error);
    case sqliteCodes.error:
      // No such table or column.
      return format > formatVersion
        ? storeErrors.newerFormat(file, format, error)
        : storeErrors.damaged(file, error);
    default:
      return storeErrors.cannotRead(file, error);
  }
}

/** The last reader leaves one file of a run that is over, as old as it was: nothing of the run is new. */
function tidyUp(file: string): void {
  try {
    const seconds = changedAt(file) / 1_000;
    const connection = new Connection(file);
    mergeJournal(connection);
    connection.close();
    utimesSync(file, seconds, seconds);
  } catch {
    // The folder may not be written: whoever may will do it.
  }
}
