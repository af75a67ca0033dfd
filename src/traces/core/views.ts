import type { PrintedOutput } from '../../tracking/core/records/trace.ts';
import type { StoredRun } from '../../tracking/core/records/tracedRun.ts';
import * as z from 'zod/mini';
import type { LinesView } from './protocol/codeRpc.ts';
import type { CallView, EpisodeView, OutcomeView, SpansView, TimelineView } from './protocol/episodeRpc.ts';
import type { MergeSetting, MergingView } from './protocol/mergingRpc.ts';
import type {
  RecordedBatch,
  RecordedRun,
  CounterpartsView,
  DamageView,
  RunView,
  TraceSummary,
} from './protocol/runRpc.ts';
import type { ReplayedRun } from '../../tracking/core/records/replayed.ts';
import { withSelection } from '../../tracking/core/records/episodeResult.ts';
import type {
  EpisodeLabel,
  NeighborsView,
  EpisodeRow,
  EpisodesView,
  GroupsView,
  GroupView,
  Histogram,
  NamesView,
} from './protocol/traceLists.ts';
import { largestWindow } from './protocol/traceRpc.ts';
import { clip } from './clip.ts';
import { CodeViews, type CodeReader } from './codeViews.ts';
import {
  comparedMessages,
  compareSide,
  mostTrained,
  rewardNumbers,
  type ComparableSide,
  sameTask,
  type Task,
} from './compare.ts';
import { ConversationViews, messageViews } from './conversationViews.ts';
import { episodeRows } from './episodeRows.ts';
import { traceErrors } from './errors.ts';
import { MergeExplanation } from './explain.ts';
import { type FindMatches, findTokens, type TokenSearch } from './findTokens.ts';
import {
  TraceLookup,
  callRow,
  emptyRun,
  timelineRow,
  timelinesByCall,
  type LocatedTimeline,
} from './episodeContent.ts';
import { metadataOf } from './metadata.ts';
import { formatVersion } from './layout.ts';
import { mergeInputs, upstreamRules } from './mergeInputs.ts';
import { ExcludedMessages } from './excludedMessages.ts';
import { outcomeView } from './outcome.ts';
import { tagsOf, type EpisodeNote, type Notes, type NotesStore } from './notes.ts';
import type { EpisodeRecord, WriterIdentity } from './records.ts';
import { replayedRun } from './replayed.ts';
import { RunLists, type EpisodesList, type GroupsList, type Listing } from './runLists.ts';
import { RunVerdicts } from './runVerdicts.ts';
import { spanRows } from './spans.ts';
import { runState } from './runStatus.ts';
import type { SqlScratch } from './sql.ts';
import { TraceQueries } from './traceQueries.ts';
import { LruCache } from './lruCache.ts';
import { TokenTable } from './tokenTable.ts';
import { isJudgeable, sizeOf } from './verdicts.ts';
import type { FindView, StripView, TokenDetail, TokensView } from './protocol/tokenRpc.ts';
import { stripView } from './stripView.ts';
import { tokenDetail } from './tokenDetail.ts';
import { TokenFactSource, type TimelineFacts } from './tokenFacts.ts';
import { tokensView } from './tokensView.ts';

class TokenViews {
  readonly #parts: TraceLookup;
  readonly #facts: TokenFactSource;
  readonly #matches: FindMatches;

  constructor(parts: TraceLookup, table: TokenTable, matches: FindMatches) {
    this.#parts = parts;
    this.#facts = new TokenFactSource(parts.trace, table);
    this.#matches = matches;
  }

  window(episode: number, timeline: number, from: number, limit: number): TokensView {
    const at = this.#parts.timeline(episode, timeline);
    return tokensView(at.found.messages, this.#factsOf(at), { from, limit });
  }

  token(episode: number, timeline: number, token: number): TokenDetail {
    const at = this.#parts.timeline(episode, timeline);
    return tokenDetail(this.#parts.trace, at, this.#factsOf(at), token);
  }

  strip(episode: number, timeline: number, stretches: number): StripView {
    const at = this.#parts.timeline(episode, timeline);
    return stripView(at.found.messages, this.#factsOf(at), stretches);
  }

  find(episode: number, timeline: number, search: TokenSearch): FindView {
    const at = this.#parts.timeline(episode, timeline);
    return findTokens(at.found.messages, this.#factsOf(at), search, this.#matches);
  }

  #factsOf(at: LocatedTimeline): TimelineFacts {
    return this.#facts.of(at, this.#parts.run().tokenizer.exact);
  }
}

export interface TraceFacts {
  /** The absolute path. */
  readonly file: string;
  /** The `user_version` of the file. */
  readonly format: number;
  /** Absent: no damage was found so far. */
  readonly damage?: DamageView | undefined;
  readonly code: CodeReader;
  /** Returns true if the process that writes the trace is alive. Undefined: the trace does not name it yet. */
  lives(writer: WriterIdentity | undefined): boolean;
  /** Returns the bytes of the file and its journal. */
  size(): number;
  readonly matches: FindMatches;
  readonly notes: NotesStore;
}

const episodeIdentity = z.object({ uuid: z.string(), taskIndex: z.number() });

/**
 * Returns the views of a trace from its tables. Call each method within one transaction. Only token texts, results of
 * episodes and merged timelines of running episodes are cached between calls.
 */
export class TraceViews {
  readonly #trace: TraceQueries;
  readonly #file: TraceFacts;
  readonly #parts: TraceLookup;
  /** Explanations of the current episode and the previous one, with their states. */
  readonly #explanations = new LruCache<
    number,
    { readonly state: string; readonly explanation: MergeExplanation }
  >(2);
  readonly #verdicts: RunVerdicts;
  readonly #lists: RunLists;
  readonly #table: TokenTable;
  readonly #own: TimelineViews;
  /** Views by setting, as JSON. There are seven settings other than the run's own. */
  readonly #others = new LruCache<string, TimelineViews>(8);
  readonly excluded: ExcludedMessages;
  readonly code: CodeViews;

  constructor(sql: SqlScratch, facts: TraceFacts) {
    this.#trace = new TraceQueries(sql, facts.file);
    this.#file = facts;
    this.#parts = new TraceLookup(this.#trace);
    this.#table = new TokenTable(this.#trace);
    this.#verdicts = new RunVerdicts(this.#trace);
    this.#lists = new RunLists(this.#trace);
    this.#own = new TimelineViews(this.#parts, this.#table, facts.matches, (episode) => {
      return this.#wholeRow(this.#parts.episode(episode)).advantage;
    });
    this.excluded = new ExcludedMessages(this.#trace);
    this.code = new CodeViews(this.#trace, facts.code);
  }

  timelines(setting?: MergeSetting): TimelineViews {
    return setting === undefined ? this.#own : this.#otherTimelines(setting);
  }

  get tokens(): TokenViews {
    return this.#own.tokens;
  }

  get conversations(): ConversationViews {
    return this.#own.conversations;
  }

  run(): RunView {
    const run = this.#parts.run();
    return {
      ...run,
      end: this.#trace.end() ?? null,
      live: this.isLive(),
      newest: this.#trace.newestEpisode(),
      totals: this.#trace.totals(),
      report: this.#verdicts.view(run),
      untrained: this.#verdicts.untrained(),
      newerFormat: this.#file.format > formatVersion ? this.#file.format : null,
      damage: this.#file.damage,
    };
  }

  recorded(): RecordedRun {
    const { experiment, config, workflow, workflowFile, tasks, repeat } = this.#ownRun('scores are');
    const episodes = this.#trace.recorded();
    return this.#whole({ experiment, config, workflow, workflowFile, tasks, repeat, episodes });
  }

  replayed(only?: number): ReplayedRun {
    if (this.#parts.run().imported?.rollouts !== true) this.#ownRun('replays are');
    return replayedRun(this.#trace, only);
  }

  batch(): RecordedBatch {
    const { limits, tokenizer, repeat } = this.#ownRun('samples are');
    const results = this.#trace.resultsAfter(0).map(({ result }) => result);
    return this.#whole({
      limits,
      tokenizer,
      repeat,
      rules: this.#trace.batch() ?? null,
      results: withSelection(results, this.#trace.end()?.selection).toSorted((a, b) => a.episode - b.episode),
    });
  }

  /** Throws `trace/damaged` for a damaged file: scores and samples of a part of a run would be wrong. */
  #whole<T>(result: T): T {
    if (this.#file.damage !== undefined) throw traceErrors.incomplete(this.#file.file, this.#file.damage);
    return result;
  }

  /** Returns the identity of an episode outside its trace. */
  identity(episode: number): z.infer<typeof episodeIdentity> {
    const statement = 'SELECT uuid, taskIndex FROM episodes WHERE episode = :episode';
    const found = this.#trace.rows.one(episodeIdentity, statement, { episode });
    if (found === undefined) throw traceErrors.noSuchEpisode(this.#file.file, episode);
    return found;
  }

  summary(): TraceSummary {
    const run = this.#trace.run();
    const { experiment, config, workflow, model, startedAt, episodes } = run ?? emptyRun;
    const end = this.#trace.end() ?? null;
    return {
      trace: this.#file.file,
      size: this.#file.size(),
      ...{ experiment, config, workflow, model, startedAt, episodes },
      state: runState({ end, live: this.isLive() }),
      error: end?.error ?? null,
      totals: this.#trace.totals(),
      tokenizer: run?.tokenizer ?? null,
      limits: run?.limits ?? null,
      damage: this.#file.damage,
    };
  }

  /** @param metadata names of metadata for the rows */
  episodes(
    from: number,
    limit: number,
    { metadata = [], ...list }: EpisodesList & { readonly metadata?: readonly string[] | undefined } = {},
  ): EpisodesView {
    const { numbers, ...found } = this.#lists.episodes({ ...list, from, limit }, this.#listing());
    const rows = this.#rows(this.#trace.episodesOf(numbers));
    if (metadata.length === 0) return { ...found, rows };
    const values = metadataOf(this.#trace, numbers, metadata);
    return {
      ...found,
      rows: rows.map((row) => {
        const own = values.get(row.episode);
        return own === undefined ? row : { ...row, metadata: own };
      }),
    };
  }

  neighbors(episode: number, list: EpisodesList): NeighborsView {
    return this.#lists.neighbors(this.#parts.episode(episode).episode, list, this.#listing());
  }

  label(episode: number): EpisodeLabel {
    const { taskId, repeat } = this.#parts.episode(episode);
    return { taskId, repeat };
  }

  groups(from: number, limit: number, list: GroupsList = {}): GroupsView {
    return this.#lists.groups({ ...list, from, limit }, this.#listing());
  }

  group(group: number): GroupView {
    const found = this.#lists.group(group, this.#listing());
    if (found === undefined) throw traceErrors.noSuchGroup(this.#file.file, group);
    const { row, groups, numbers } = found;
    return { row, groups, episodes: this.#rows(this.#trace.episodesOf(numbers)) };
  }

  histograms(): readonly Histogram[] {
    return this.#lists.histograms(this.#listing());
  }

  names(): NamesView {
    return { ...this.#lists.names(), tags: tagsOf(this.#notes()) };
  }

  episode(episode: number): EpisodeView {
    const record = this.#parts.episode(episode);
    const content = this.#parts.open(record);
    const timelineOf = timelinesByCall(content);
    return {
      row: this.#wholeRow(record),
      calls: this.#trace.calls.ofEpisode(episode).map((call) => callRow(call, timelineOf)),
      timelines: content.timelines.map((timeline, index) => timelineRow(timeline, index, content)),
    };
  }

  outcome(episode: number): OutcomeView {
    return outcomeView(this.#trace, this.#parts.episode(episode).episode);
  }

  annotate(episode: number, { note, tags }: EpisodeNote): null {
    const named = new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''));
    this.#file.notes.write(this.#parts.episode(episode).episode, { note: note.trim(), tags: [...named] });
    return null;
  }

  printed(episode: number): PrintedOutput | undefined {
    return this.#trace.printed(this.#parts.episode(episode).episode);
  }

  spans(episode: number): SpansView {
    const { ended } = this.#parts.episode(episode);
    const parts = {
      recorded: this.#trace.calls.spans(episode),
      calls: this.#trace.calls.toolTraces(episode),
      messages: this.#trace.messages.ofEpisode(episode),
    };
    return { spans: spanRows({ ...parts, runs: ended === 0 && this.isLive() }) };
  }

  call(episode: number, call: number): CallView {
    const content = this.#parts.content(episode);
    const record = this.#parts.call(episode, call);
    const { options, tools, messages } = this.#trace.calls.details(episode, call);
    const positions = record.reply === null ? messages : [...messages, record.reply];
    const views = messageViews(positions, content.messages());
    return {
      row: callRow(record, timelinesByCall(content)),
      source: this.code.ofCall(episode, call),
      options: clip(options, largestWindow.json),
      tools: tools === null ? null : clip(tools, largestWindow.json),
      messages: views.slice(0, messages.length),
      reply: views[messages.length] ?? null,
    };
  }

  timeline(episode: number, timeline: number): TimelineView {
    return this.#own.timeline(episode, timeline);
  }

  #otherTimelines(setting: MergeSetting): TimelineViews {
    return this.#others.get(JSON.stringify(setting), () => {
      const parts = new TraceLookup(this.#trace, (record) => {
        const own = this.#parts.open(record);
        const merged = this.#explanationOf(record).withSetting(setting);
        return merged === undefined
          ? own
          : this.#parts.withTimelines(record.episode, merged, own.provisional);
      });
      return new TimelineViews(parts, this.#table, this.#file.matches, () => null);
    });
  }

  merging(episode: number, setting: MergeSetting | null): MergingView {
    return this.#explanationOf(this.#parts.episode(episode)).view(setting);
  }

  /** Explains how an episode was merged, and caches it until its next call. */
  #explanationOf(record: EpisodeRecord): MergeExplanation {
    const { episode, calls, ended } = record;
    const state = `${calls} ${ended}`;
    const explain = (): MergeExplanation => {
      const content = this.#parts.open(record);
      const terms = {
        rules: this.#trace.merging() ?? upstreamRules,
        batch: this.#trace.batch(),
        exact: this.#parts.run().tokenizer.exact,
        stored: content.provisional ? undefined : content.timelines,
      };
      const inputs = mergeInputs(this.#trace, episode, content.messages());
      return new MergeExplanation(inputs, terms, this.#table);
    };
    return this.#explanations.get(
      episode,
      () => ({ state, explanation: explain() }),
      (known) => known.state === state,
    ).explanation;
  }

  lines(): LinesView {
    return this.code.lines(this.isLive());
  }

  counterparts(task: Task): CounterpartsView {
    const { episodes, sameQuery } = sameTask(this.#trace, task);
    const rows = this.#rows(this.#trace.episodesOf(episodes));
    return { experiment: this.#parts.run().experiment, episodes: rows, sameQuery };
  }

  task(episode: number): Task {
    const { taskId, query } = this.#parts.episode(episode);
    return { taskId, query: this.#trace.query(episode) ?? query };
  }

  rewardParts(episode: number): Readonly<Record<string, number>> {
    return rewardNumbers(this.#trace, episode);
  }

  comparable(episode: number, timeline: number | null): ComparableSide {
    const view = this.episode(episode);
    const chosen = timeline ?? mostTrained(view.timelines);
    const side = compareSide(this.#parts.run(), view, chosen);
    const parts = rewardNumbers(this.#trace, episode);
    if (chosen === null) return { side, parts, messages: [] };
    const { content, found } = this.#parts.timeline(episode, chosen);
    return { side, parts, messages: comparedMessages(found.messages, content.messages()) };
  }

  isLive(): boolean {
    return this.#trace.end() === undefined && this.#file.lives(this.#trace.writer());
  }

  #listing(): Listing {
    const run = this.#parts.run();
    return {
      size: sizeOf(run),
      live: this.isLive(),
      judgeable: isJudgeable(run),
      notes: () => this.#file.notes.read(),
      judge: () => this.#verdicts.refresh(run),
    };
  }

  /** Returns the run. Throws `trace/imported` if another tool recorded it. */
  #ownRun(what: string): StoredRun {
    const run = this.#parts.run();
    if (run.imported !== undefined) throw traceErrors.imported(this.#file.file, what, run.imported);
    return run;
  }

  /** Returns the notes. A file that cannot be read is reported when it is written or filtered by. */
  #notes(): Notes {
    try {
      return this.#file.notes.read();
    } catch {
      return new Map();
    }
  }

  #rows(records: readonly EpisodeRecord[]): readonly EpisodeRow[] {
    const notes = this.#notes();
    const context = { parts: this.#parts, run: this.#parts.run(), live: this.isLive(), notes };
    return episodeRows(records, context);
  }

  /** Returns the row with the full query and error. Lists only show their beginnings. */
  #wholeRow(record: EpisodeRecord): EpisodeRow {
    const [row] = this.#rows([record]);
    if (row === undefined) throw traceErrors.noSuchEpisode(this.#file.file, record.episode);
    const query = clip(this.#trace.query(record.episode) ?? row.query, largestWindow.text);
    const [result] = this.#trace.resultsBetween(record.episode, record.episode);
    return { ...row, query, error: result?.error ?? row.error };
  }
}

export class TimelineViews {
  readonly #parts: TraceLookup;
  readonly #advantageOf: (episode: number) => number | null;
  readonly tokens: TokenViews;
  readonly conversations: ConversationViews;

  /** @param advantageOf returns the advantage of an episode with these timelines; null: unknown */
  constructor(
    parts: TraceLookup,
    table: TokenTable,
    matches: FindMatches,
    advantageOf: (episode: number) => number | null,
  ) {
    this.#parts = parts;
    this.#advantageOf = advantageOf;
    this.tokens = new TokenViews(parts, table, matches);
    this.conversations = new ConversationViews(parts);
  }

  timeline(episode: number, timeline: number): TimelineView {
    const { content, found } = this.#parts.timeline(episode, timeline);
    return {
      row: timelineRow(found, timeline, content),
      advantage: found.training?.advantage ?? this.#advantageOf(episode),
      exact: this.#parts.run().tokenizer.exact,
      messages: messageViews(found.messages, content.messages()),
    };
  }
}

/** A trace that is open for reading, finished or still being written. */
export interface TraceReader {
  /**
   * Reads from one consistent state of the file. If the file turns out to be damaged, `ask` runs again on its readable
   * parts. Throws a CodedError `trace/…` if the file cannot be read, or does not have the episode, call or timeline.
   */
  read<T>(ask: (views: TraceViews) => T): T;
  /** Returns a number that changes with every write. It is cheap enough to call several times a second. */
  changeCount(): number;
  /** Closes the file. After the run's end, the last reader that closes it merges its journal. */
  close(): void;
}
