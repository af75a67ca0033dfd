import type { ErrorReport } from '../base/errors.ts';
import type { EpisodeResult } from '../protocol/run.ts';
import type {
  TracedCall,
  TracedEpisode,
  TracedEpisodeEnd,
  TracedMessage,
  TracedRun,
  TracedRunEnd,
  TracedTimeline,
  TracedToken,
  TraceWriter,
} from '../protocol/trace.ts';
import type { AddedMessage } from '../tracking/tracker.ts';
import { float32Bytes, int32Bytes } from './blobs.ts';
import { clip } from './clip.ts';
import { contentKey, listedQueryLength, metaKeys } from './layout.ts';
import type { WriterIdentity } from './records.ts';
import type { SqlParameters, SqlWriter } from './sql.ts';

/** Characters of an episode's error that stand in its row; the result has it whole. */
const listedErrorLength = 2_000;

/** Writes a run into the tables of a trace, each method as one transaction. */
export class TraceRecorder implements Omit<TraceWriter, 'file'> {
  readonly #sql: SqlWriter;
  /** How many calls each running episode has. */
  readonly #calls = new Map<number, number>();
  #ended = 0;
  /** Ids of the tools offered so far. */
  readonly #tools = new Map<string, number>();
  /** Statements by table. */
  readonly #inserts = new Map<string, string>();

  constructor(sql: SqlWriter) {
    this.#sql = sql;
  }

  /** Part of the transaction that makes the tables. */
  begin(run: TracedRun, writer: WriterIdentity): void {
    const { configText, merging, batch, ...rest } = run;
    this.#meta(metaKeys.run, JSON.stringify(rest));
    this.#meta(metaKeys.configText, configText);
    this.#meta(metaKeys.merging, JSON.stringify(merging));
    if (batch !== undefined) this.#meta(metaKeys.batch, JSON.stringify(batch));
    this.#meta(metaKeys.writer, JSON.stringify(writer));
  }

  episodeStarted({ episode, uuid, taskId, taskIndex, repeat, query, startedAt }: TracedEpisode): void {
    const listedQuery = clip(query, listedQueryLength);
    this.#sql.transaction(() => {
      this.#insert('episodes', { episode, uuid, taskId, taskIndex, repeat, query: listedQuery, startedAt });
      if (listedQuery !== query) this.#insert('queries', { episode, query });
    });
  }

  callEnded(call: TracedCall, messages: readonly AddedMessage[], tokens: readonly TracedToken[]): void {
    this.#sql.transaction(() => {
      for (const { id, bytes, special } of tokens) {
        this.#insert('tokens', { id, bytes, special: special ? 1 : 0 });
      }
      this.#insertMessages(call.episode, messages);
      this.#insertCall(call);
    });
    if (call.tools !== null) this.#tools.set(call.tools, this.#idOfTools(call.tools));
    this.#calls.set(call.episode, (this.#calls.get(call.episode) ?? 0) + 1);
  }

  episodeEnded({ result, returned, timelines }: TracedEpisodeEnd, messages: readonly AddedMessage[]): void {
    const { episode } = result;
    this.#sql.transaction(() => {
      this.#insertMessages(episode, messages);
      timelines.forEach((timeline, index) => this.#insertTimeline(episode, timeline, index));
      if (returned !== undefined)
        this.#insert('outputs', { episode, task: returned.task, output: returned.output });
      this.#endEpisode(result, timelines);
    });
    this.#ended += 1;
    this.#calls.delete(episode);
  }

  runEnded(end: TracedRunEnd): void {
    this.#sql.transaction(() => this.#meta(metaKeys.end, JSON.stringify(end)));
  }

  #insertCall({ episode, call, options, tools, messages, ...rest }: TracedCall): void {
    const { agent, tag, startedAt, seconds, status, error } = rest;
    const { finishReason, reply, promptTokens, replyTokens } = rest;
    const ended = this.#calls.get(episode) ?? 0;
    const request = { episode, call, ended, agent, tag, startedAt, seconds, status, error };
    this.#insert('calls', { ...request, finishReason, reply, promptTokens, replyTokens });
    const details = { key: contentKey(episode, call), options, messages: int32Bytes(messages) };
    this.#insert('callDetails', { ...details, tools: tools === null ? null : this.#idOfTools(tools) });
    if (tools === null || this.#tools.has(tools)) return;
    this.#insert('tools', { id: this.#idOfTools(tools), tools });
  }

  #idOfTools(tools: string): number {
    return this.#tools.get(tools) ?? this.#tools.size + 1;
  }

  #insertMessages(episode: number, messages: readonly AddedMessage[]): void {
    for (const { position, message } of messages) {
      const { role, author, toolCallId, text, toolCalls, tokenIds, logprobs, lossMask } = message;
      const counts = { tokens: tokenIds.length, trainableTokens: trainableTokensOf(message) };
      this.#insert('messages', { episode, position, role, author, toolCallId, ...counts });
      this.#insert('messageContents', {
        key: contentKey(episode, position),
        text,
        toolCalls,
        tokenIds: int32Bytes(tokenIds),
        logprobs: logprobs === null ? null : float32Bytes(logprobs),
        lossMask,
      });
    }
  }

  #insertTimeline(episode: number, timeline: TracedTimeline, index: number): void {
    const { calls, messages, tokens, trainableTokens } = timeline;
    const positions = { calls: int32Bytes(calls), messages: int32Bytes(messages) };
    this.#insert('timelines', { episode, timeline: index, ...positions, tokens, trainableTokens });
  }

  #endEpisode(result: EpisodeResult, timelines: readonly TracedTimeline[]): void {
    const { episode, reward, isSuccess, seconds, error } = result;
    const sequence = this.#ended + 1;
    this.#insert('results', { sequence, result: JSON.stringify(result) });
    const row: SqlParameters = {
      sequence,
      calls: this.#calls.get(episode) ?? 0,
      reward,
      isSuccess: isSuccess ? 1 : 0,
      seconds,
      error: error === null ? null : JSON.stringify(listed(error)),
      timelines: timelines.length,
      tokens: timelines.reduce((sum, { tokens }) => sum + tokens, 0),
      trainableTokens: timelines.reduce((sum, { trainableTokens }) => sum + trainableTokens, 0),
    };
    const columns = Object.keys(row).map((column) => `${column} = ?`);
    const statement = `UPDATE episodes SET ${columns.join(', ')} WHERE episode = ?`;
    this.#sql.run(statement, [...Object.values(row), episode]);
  }

  #meta(key: string, value: string): void {
    this.#insert('meta', { key, value });
  }

  /** @param row the same columns in the same order for each row of a table */
  #insert(table: string, row: SqlParameters): void {
    let statement = this.#inserts.get(table);
    if (statement === undefined) {
      const columns = Object.keys(row);
      const places = columns.map(() => '?');
      statement = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places.join(', ')})`;
      this.#inserts.set(table, statement);
    }
    this.#sql.run(statement, Object.values(row));
  }
}

export function trainableTokensOf({ lossMask }: TracedMessage): number {
  return lossMask.reduce((sum, counts) => sum + counts, 0);
}

/** Stacks and long messages are for whoever opens the episode. */
function listed(error: ErrorReport): ErrorReport {
  return { ...error, message: clip(error.message, listedErrorLength), stack: undefined };
}
