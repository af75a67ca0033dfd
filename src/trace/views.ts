import type { RecordedBatch, RecordedRun, TracedMessage, TracedTimeline } from '../protocol/trace.ts';
import {
  largestWindow,
  type CallRow,
  type CallView,
  type EpisodeRow,
  type EpisodesView,
  type EpisodeView,
  type RunView,
  type TimelineRow,
  type TimelineView,
  type TokensView,
  type TraceSummary,
} from '../protocol/traceRpc.ts';
import { withSelection } from '../protocol/selection.ts';
import { clip } from './clip.ts';
import { EpisodeContents, type EpisodeContent } from './episodeContent.ts';
import { episodeRows } from './episodeRows.ts';
import { traceErrors } from './errors.ts';
import { formatVersion } from './layout.ts';
import { messageViews } from './messageViews.ts';
import type { CallRecord, EpisodeRecord, StoredRun, WriterIdentity } from './records.ts';
import type { SqlReader } from './sql.ts';
import { StoredTrace } from './stored.ts';
import { tokensView } from './tokensView.ts';
import { TokenTable } from './tokenTable.ts';
import { RunReport } from './verdicts.ts';

/** What of a trace is not in its tables. */
export interface TraceFacts {
  /** Absolute path. */
  readonly file: string;
  /** `user_version` of the file. */
  readonly format: number;
  /** Whether the process that writes it lives; undefined: it has not yet said which that is. */
  lives(writer: WriterIdentity | undefined): boolean;
}

/**
 * Makes the views of a trace out of its tables. Nothing but texts of tokens, results of episodes and the merged
 * timelines of unended ones is remembered from one view to the next. Each must be asked within one transaction.
 */
export class TraceViews {
  readonly #trace: StoredTrace;
  readonly #facts: TraceFacts;
  readonly #contents: EpisodeContents;
  readonly #tokens: TokenTable;
  readonly #report: RunReport;

  constructor(sql: SqlReader, facts: TraceFacts) {
    this.#trace = new StoredTrace(sql, facts.file);
    this.#facts = facts;
    this.#contents = new EpisodeContents(this.#trace);
    this.#tokens = new TokenTable(this.#trace);
    this.#report = new RunReport(this.#trace);
  }

  run(): RunView {
    const run = this.#run();
    return {
      ...run,
      end: this.#trace.end() ?? null,
      live: this.isLive(),
      totals: this.#trace.totals(),
      report: this.#report.view(run),
      newerFormat: this.#facts.format > formatVersion ? this.#facts.format : null,
    };
  }

  recorded(): RecordedRun {
    const { experiment, config, workflow, workflowFile, tasks, repeat } = this.#run();
    const episodes = this.#trace.recorded();
    if (episodes === undefined) throw traceErrors.nothingForJudges(this.#facts.file);
    return { experiment, config, workflow, workflowFile, tasks, repeat, episodes };
  }

  batch(): RecordedBatch {
    const { limits, tokenizer, repeat } = this.#run();
    const results = this.#trace.resultsAfter(0).map(({ result }) => result);
    return {
      limits,
      tokenizer,
      repeat,
      rules: this.#trace.batch() ?? null,
      results: withSelection(results, this.#trace.end()?.selection).toSorted((a, b) => a.episode - b.episode),
    };
  }

  timelineMessages(episode: number, timeline: number): readonly TracedMessage[] {
    const { content, found } = this.#timeline(episode, timeline);
    const messages = content.messages();
    return found.messages.map((position) => {
      const { role, author, toolCallId } = messages.head(position);
      return { role, author, toolCallId, ...messages.text(position), ...messages.tokens(position) };
    });
  }

  /** @param size bytes of the file and what lies beside it */
  summary(size: number): TraceSummary {
    const run = this.#trace.run();
    const { experiment, config, workflow, model, startedAt } = run ?? nothingYet;
    const end = this.#trace.end();
    return {
      trace: this.#facts.file,
      size,
      experiment,
      config,
      workflow,
      model,
      startedAt,
      state: end?.status ?? (this.isLive() ? 'running' : 'killed'),
      error: end?.error ?? null,
      totals: this.#trace.totals(),
      tokenizer: run?.tokenizer ?? null,
      limits: run?.limits ?? null,
    };
  }

  episodes(from: number, limit: number): EpisodesView {
    const rows = this.#rows(this.#trace.episodes(from, limit));
    return { total: this.#trace.episodeCount(), rows };
  }

  episode(episode: number): EpisodeView {
    const record = this.#episode(episode);
    const content = this.#contents.open(record);
    const timelineOf = timelinesByCall(content);
    return {
      row: this.#wholeRow(record),
      calls: this.#trace.calls(episode).map((call) => callRow(call, timelineOf)),
      timelines: content.timelines.map((timeline, index) => timelineRow(timeline, index, content)),
    };
  }

  call(episode: number, call: number): CallView {
    const content = this.#contents.open(this.#episode(episode));
    const record = this.#trace.call(episode, call);
    if (record === undefined) throw traceErrors.noSuchCall(this.#facts.file, episode, call);
    const { options, tools, messages } = this.#trace.callDetails(episode, call);
    const positions = record.reply === null ? messages : [...messages, record.reply];
    const views = messageViews(positions, content.messages());
    return {
      row: callRow(record, timelinesByCall(content)),
      options,
      tools,
      messages: views.slice(0, messages.length),
      reply: views[messages.length] ?? null,
    };
  }

  timeline(episode: number, timeline: number): TimelineView {
    const { content, found } = this.#timeline(episode, timeline);
    return {
      row: timelineRow(found, timeline, content),
      messages: messageViews(found.messages, content.messages()),
    };
  }

  tokens(episode: number, timeline: number, from: number, limit: number): TokensView {
    const { content, found } = this.#timeline(episode, timeline);
    return tokensView(found.messages, content.messages(), this.#tokens, { from, limit });
  }

  /** Whether more may come. */
  isLive(): boolean {
    return this.#trace.end() === undefined && this.#facts.lives(this.#trace.writer());
  }

  #run(): StoredRun {
    return this.#trace.run() ?? nothingYet;
  }

  #episode(episode: number): EpisodeRecord {
    const record = this.#trace.episode(episode);
    if (record === undefined) throw traceErrors.noSuchEpisode(this.#facts.file, episode);
    return record;
  }

  #timeline(
    episode: number,
    timeline: number,
  ): { readonly content: EpisodeContent; readonly found: TracedTimeline } {
    const content = this.#contents.open(this.#episode(episode));
    const found = content.timelines[timeline];
    if (found === undefined) throw traceErrors.noSuchTimeline(this.#facts.file, episode, timeline);
    return { content, found };
  }

  #rows(records: readonly EpisodeRecord[]): readonly EpisodeRow[] {
    const context = { trace: this.#trace, contents: this.#contents, run: this.#run() };
    return episodeRows(records, { ...context, live: this.isLive() });
  }

  /** With the query and the error that lists show the beginnings of. */
  #wholeRow(record: EpisodeRecord): EpisodeRow {
    const [row] = this.#rows([record]);
    if (row === undefined) throw traceErrors.noSuchEpisode(this.#facts.file, record.episode);
    const query = clip(this.#trace.query(record.episode) ?? row.query, largestWindow.text);
    const [result] = this.#trace.resultsBetween(record.episode, record.episode);
    return { ...row, query, error: result?.error ?? row.error };
  }
}

function timelinesByCall({ timelines }: EpisodeContent): ReadonlyMap<number, number> {
  return new Map(timelines.flatMap(({ calls }, timeline) => calls.map((call) => [call, timeline] as const)));
}

function callRow(record: CallRecord, timelineOf: ReadonlyMap<number, number>): CallRow {
  const { call, agent, tag, startedAt, seconds, status, error } = record;
  const { promptTokens, replyTokens, finishReason } = record;
  const request = { call, agent, tag, startedAt, seconds, status, error };
  return {
    ...request,
    promptTokens,
    replyTokens,
    finishReason,
    timeline: timelineOf.get(record.call) ?? null,
  };
}

function timelineRow(found: TracedTimeline, timeline: number, { provisional }: EpisodeContent): TimelineRow {
  const { calls, messages, tokens, trainableTokens } = found;
  return { timeline, calls, messages: messages.length, tokens, trainableTokens, provisional };
}

/** A run that has only just begun to write its trace. */
const nothingYet: StoredRun = {
  experiment: '',
  config: '',
  workflow: '',
  workflowFile: '',
  model: '',
  tokenizer: { name: '', exact: true, file: null },
  limits: { modelLength: 0, promptLength: 0, responseLength: 0, turnLength: 0 },
  tasks: 0,
  repeat: 1,
  episodes: 0,
  startedAt: 0,
};
