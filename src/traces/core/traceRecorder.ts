import type { ErrorReport, Location } from '../../base/core/errors.ts';
import type { EpisodeResult } from '../../tracking/core/records/episodeResult.ts';
import type {
  TracedAlternatives,
  CallSource,
  TracedCall,
  TracedEpisode,
  TracedEpisodeEnd,
  TracedMessage,
  TracedSpan,
  TracedTimeline,
  TracedToken,
  TracedTraining,
  TraceWriter,
} from '../../tracking/core/records/trace.ts';
import type { CodeLocations, TracedRun, TracedRunEnd } from '../../tracking/core/records/tracedRun.ts';
import type { AddedMessage } from '../../tracking/core/tracker.ts';
import { float32Bytes, int32Bytes, contentKey, listedQueryLength, metaKeys } from './layout.ts';
import { clip } from './clip.ts';
import { hashText } from '../../base/core/random.ts';
import { isRecord } from '../../base/core/isRecord.ts';
import type { WriterIdentity } from './records.ts';
import { SourceTable } from './sourceTable.ts';
import type { SqlParameters, SqlWriter } from './sql.ts';
import { toolNames } from './spans.ts';

/** A change of a span's row: insert, replace or delete. */
interface SpanChange {
  readonly change: 'begun' | 'ended' | 'gone';
  readonly span: TracedSpan;
}

/**
 * Spans that wait to be written. A running span and its end are each written at once. Most spans have ended when they
 * are reported. They are written with the next data of their episode, so a short span costs no commit.
 */
class SpanRows {
  /** Waiting changes by episode, in order. */
  readonly #waiting = new Map<number, SpanChange[]>();
  /** Spans that were written as running, by episode and position. */
  readonly #running = new Map<number, Map<number, TracedSpan>>();

  /** Returns whether it must be written immediately. */
  add(span: TracedSpan): boolean {
    const { episode, seconds } = span;
    const running = this.#running.get(episode);
    const known = running?.has(span.span) === true;
    this.#waitingOf(episode).push({ change: known ? 'ended' : 'begun', span });
    if (seconds === null) {
      if (running) running.set(span.span, span);
      else this.#running.set(episode, new Map([[span.span, span]]));
      return true;
    }
    running?.delete(span.span);
    return known;
  }

  /** Returns and removes the changes to write now. */
  take(episode: number, endedCall?: number): readonly SpanChange[] {
    const taken = this.#waiting.get(episode) ?? [];
    this.#waiting.delete(episode);
    const running = this.#running.get(episode);
    if (running === undefined) return taken;
    const gone = [...running.values()].filter(({ call }) => call !== null && call === endedCall);
    for (const { span } of gone) running.delete(span);
    if (running.size === 0) this.#running.delete(episode);
    return [...taken, ...gone.map((span) => ({ change: 'gone', span }) as const)];
  }

  #waitingOf(episode: number): SpanChange[] {
    const waiting = this.#waiting.get(episode) ?? [];
    this.#waiting.set(episode, waiting);
    return waiting;
  }
}

/** Number of characters of an episode's error in its row. The result has the full text. */
const listedErrorLength = 2_000;

/** Writes a run into the tables of a trace. Each method is one transaction. */
export class TraceRecorder implements Omit<TraceWriter, 'file'> {
  readonly #sql: SqlWriter;
  readonly #calls = new Map<number, number>();
  readonly #failures = new Map<number, number>();
  readonly #spans = new SpanRows();
  #ended = 0;
  readonly #tools = new Map<string, number>();
  readonly #sources: SourceTable;
  readonly #inserts = new Map<string, string>();

  /** @param fingerprint returns the fingerprint of a file's content; null: it cannot be read */
  constructor(sql: SqlWriter, config: string, fingerprint: (file: string) => string | null) {
    this.#sql = sql;
    this.#sources = new SourceTable(config, fingerprint);
  }

  /** Writes the run, in the transaction that creates the tables. */
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
      this.#insertTokens(tokens);
      this.#insertMessages(call.episode, messages);
      this.#insertCall(call);
      this.#writeSpans(call.episode, call.call);
    });
    if (call.source !== undefined) this.#sources.keep(call.source);
    if (call.tools !== null) this.#tools.set(call.tools, this.#idOfTools(call.tools));
    this.#calls.set(call.episode, (this.#calls.get(call.episode) ?? 0) + 1);
    if (call.error !== null) this.#failures.set(call.episode, (this.#failures.get(call.episode) ?? 0) + 1);
  }

  span(span: TracedSpan): void {
    if (this.#spans.add(span)) this.#sql.transaction(() => this.#writeSpans(span.episode));
  }

  episodeEnded(end: TracedEpisodeEnd, messages: readonly AddedMessage[]): void {
    const { result, returned, timelines, printed, tokens = [] } = end;
    const { episode } = result;
    this.#sql.transaction(() => {
      this.#insertTokens(tokens);
      this.#insertMessages(episode, messages);
      this.#writeSpans(episode);
      timelines.forEach((timeline, index) => this.#insertTimeline(episode, timeline, index));
      if (returned !== undefined)
        this.#insert('outputs', { episode, task: returned.task, output: returned.output });
      if (printed !== undefined) this.#insert('printed', { episode, output: JSON.stringify(printed) });
      this.#endEpisode(result, timelines);
    });
    this.#ended += 1;
    this.#calls.delete(episode);
    this.#failures.delete(episode);
  }

  trained(timelines: readonly TracedTraining[]): void {
    const facts = 'INSERT OR IGNORE INTO trained VALUES (?, ?, ?, ?, ?)';
    const numbers = 'INSERT OR IGNORE INTO trainerLogprobs VALUES (?, ?, ?)';
    this.#sql.transaction(() => {
      for (const { episode, timeline, advantage, clip, baseLogprobs: base, logprobs } of timelines) {
        this.#sql.run(facts, [episode, timeline, advantage, clip?.low ?? null, clip?.high ?? null]);
        const key = contentKey(episode, timeline);
        this.#sql.run(numbers, [key, base && float32Bytes(base), float32Bytes(logprobs)]);
      }
    });
  }

  codeFound(places: CodeLocations): void {
    const files = Object.values(places).flatMap((place: Location | undefined) => place?.file ?? []);
    this.#sql.transaction(() => {
      this.#meta(metaKeys.places, JSON.stringify(places));
      for (const file of new Set(files)) this.#insertSourceFile(file);
    });
  }

  runEnded(end: TracedRunEnd): void {
    this.#sql.transaction(() => this.#meta(metaKeys.end, JSON.stringify(end)));
  }

  /** Inserts a source. It counts as known when the transaction has succeeded. */
  #insertSource(source: CallSource): number {
    const known = this.#sources.idOf(source);
    if (known !== undefined) return known;
    const id = this.#sources.nextId;
    const { line, column } = source;
    const file = this.#sources.name(source.file);
    this.#insert('sources', { id, file, line, '"column"': column, function: source.function });
    this.#insertSourceFile(source.file);
    return id;
  }

  #insertSourceFile(file: string): void {
    const fingerprint = this.#sources.newFingerprint(file);
    if (fingerprint === undefined) return;
    const statement = 'INSERT OR IGNORE INTO sourceFiles (file, fingerprint) VALUES (?, ?)';
    this.#sql.run(statement, [this.#sources.name(file), fingerprint]);
  }

  #insertTokens(tokens: readonly TracedToken[]): void {
    for (const { id, bytes, special } of tokens) {
      this.#insert('tokens', { id, bytes, special: special ? 1 : 0 });
    }
  }

  #insertCall({ episode, call, options, tools, messages, ...rest }: TracedCall): void {
    const { agent, tag, startedAt, seconds, status, error } = rest;
    const { finishReason, reply, promptTokens, replyTokens, askedAfter = null, firstAfter = null } = rest;
    const ended = this.#calls.get(episode) ?? 0;
    const request = { episode, call, ended, agent, tag, startedAt, seconds, status, error };
    const source = rest.source === undefined ? null : this.#insertSource(rest.source);
    const answer = { finishReason, reply, promptTokens, replyTokens, askedAfter, firstAfter, source };
    this.#insert('calls', { ...request, ...answer });
    this.#sql.run('INSERT OR IGNORE INTO usedAgents (episode, agent) VALUES (?, ?)', [episode, agent]);
    const details = { key: contentKey(episode, call), options, messages: int32Bytes(messages) };
    this.#insert('callDetails', { ...details, tools: tools === null ? null : this.#idOfTools(tools) });
    if (rest.leftOut !== undefined) writeExcluded(this.#sql, details.key, rest.leftOut);
    if (rest.otherMessages !== undefined)
      this.#insert('otherRequests', { key: details.key, messages: int32Bytes(rest.otherMessages) });
    if (tools === null || this.#tools.has(tools)) return;
    this.#insert('tools', { id: this.#idOfTools(tools), tools });
  }

  /** @param endedCall the number of a call whose span ends with it */
  #writeSpans(episode: number, endedCall?: number): void {
    for (const { change, span: one } of this.#spans.take(episode, endedCall)) {
      const { span, kind, name, call, startedAt, seconds, error } = one;
      if (change !== 'begun') {
        this.#sql.run('DELETE FROM spans WHERE episode = ? AND span = ?', [episode, span]);
      }
      if (change !== 'gone')
        this.#insert('spans', { episode, span, kind, name, call, startedAt, seconds, error });
    }
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
      if (message.alternatives !== undefined)
        this.#insertAlternatives(episode, position, message.alternatives);
      if (toolCalls !== null) this.#insertUsedTools(episode, toolCalls);
    }
  }

  #insertUsedTools(episode: number, toolCalls: string): void {
    const statement = 'INSERT OR IGNORE INTO usedTools (episode, tool) VALUES (?, ?)';
    for (const tool of toolNames(toolCalls)) this.#sql.run(statement, [episode, tool]);
  }

  #insertAlternatives(episode: number, position: number, alternatives: TracedAlternatives): void {
    const { width, ids, logprobs } = alternatives;
    const key = contentKey(episode, position);
    this.#insert('alternatives', { key, width, ids: int32Bytes(ids), logprobs: float32Bytes(logprobs) });
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
      failures: this.#failures.get(episode) ?? 0,
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
  return lossMask.reduce((sum, counts) => (counts === 0 ? sum : sum + 1), 0);
}

function listed(error: ErrorReport): ErrorReport {
  return { ...error, message: clip(error.message, listedErrorLength), stack: undefined };
}

/** The minimum number of base64 characters that are stored in a separate row. */
const leastMoved = 64;

/** Stores the messages of a call's request that training excludes. A message or data is stored once, under its hash. */
function writeExcluded(sql: SqlWriter, key: number, excluded: NonNullable<TracedCall['leftOut']>): void {
  const rows = excluded.map(({ before, message }) => {
    const json = JSON.stringify(withoutData(message, sql));
    const hash = hashText(json);
    sql.run('INSERT OR IGNORE INTO sentMessages (hash, message) VALUES (?, ?)', [hash, json]);
    return [before, hash];
  });
  sql.run('INSERT INTO leftOut (key, messages) VALUES (?, ?)', [key, JSON.stringify(rows)]);
}

function withoutData(value: unknown, sql: SqlWriter): unknown {
  if (typeof value === 'string') return movedAddress(value, sql);
  if (Array.isArray(value)) return value.map((one) => withoutData(one, sql));
  if (!isRecord(value)) return value ?? null;
  const fields = Object.entries(value).map(([name, field]) => {
    const isData =
      name === 'data' && typeof field === 'string' && field.length >= leastMoved && isBase64(field);
    return [name, isData ? moved(typeOf(value), field, sql) : withoutData(field, sql)] as const;
  });
  return Object.fromEntries(fields);
}

/** Returns the media type. Audio has it next to the data, Anthropic's images in a separate field. */
function typeOf(part: Readonly<Record<string, unknown>>): string {
  const { media_type: type, format } = part;
  if (typeof type === 'string') return type;
  return typeof format === 'string' ? `audio/${format}` : '';
}

function movedAddress(text: string, sql: SqlWriter): unknown {
  if (text.length < leastMoved || !text.startsWith('data:')) return text;
  const end = text.indexOf(marker);
  if (end < 0) return text;
  const [type = ''] = text.slice('data:'.length, end).split(';');
  const base64 = text.slice(end + marker.length);
  return isBase64(base64) ? moved(type.toLowerCase(), base64, sql) : text;
}

const marker = ';base64,';

function isBase64(text: string): boolean {
  return text !== '' && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text);
}

/** Stores data in a separate row. Returns the placeholder for the message; `size` in characters of base64. */
function moved(type: string, base64: string, sql: SqlWriter): object {
  const hash = hashText(`${type} ${base64}`);
  sql.run('INSERT OR IGNORE INTO binaries (hash, type, base64) VALUES (?, ?, ?)', [hash, type, base64]);
  return { storedData: hash, type, size: base64.length };
}
