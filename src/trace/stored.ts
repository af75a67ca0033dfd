import type * as z from 'zod/mini';
import { episodeResult, type EpisodeResult } from '../protocol/run.ts';
import type {
  BatchRules,
  MergeRules,
  RecordedEpisode,
  TracedMessage,
  TracedRunEnd,
  TracedTimeline,
} from '../protocol/trace.ts';
import type { RunTotals } from '../protocol/traceRpc.ts';
import type { MergeableCall } from '../tracking/mergeCalls.ts';
import { float32Values, int32Values } from './blobs.ts';
import { withSelection } from '../protocol/selection.ts';
import { traceErrors } from './errors.ts';
import { contentKey, metaKeys } from './layout.ts';
import * as records from './records.ts';
import type { SqlParameters, SqlReader } from './sql.ts';

/** A message's tokens as stored. */
export type StoredTokens = Pick<TracedMessage, 'tokenIds' | 'logprobs' | 'lossMask'>;

export interface StoredCallDetails {
  readonly options: string;
  readonly tools: string | null;
  readonly messages: readonly number[];
}

/** The rows of a trace, checked: files come from anywhere. What is not as the layout says throws `trace/damaged`. */
export class StoredTrace {
  /** For errors. */
  readonly file: string;
  readonly #sql: SqlReader;

  constructor(sql: SqlReader, file: string) {
    this.#sql = sql;
    this.file = file;
  }

  /** Undefined: nothing is written yet. */
  run(): records.StoredRun | undefined {
    return this.#meta(metaKeys.run, records.storedRun);
  }

  merging(): MergeRules | undefined {
    return this.#meta(metaKeys.merging, records.storedMerging);
  }

  /** Undefined: the trace is of a version that did not keep it. */
  batch(): BatchRules | undefined {
    return this.#meta(metaKeys.batch, records.storedBatch);
  }

  writer(): records.WriterIdentity | undefined {
    return this.#meta(metaKeys.writer, records.writerIdentity);
  }

  end(): TracedRunEnd | undefined {
    return this.#meta(metaKeys.end, records.storedEnd);
  }

  /** Tokens and timelines are those of episodes that ended. */
  totals(): RunTotals {
    return this.#one(records.totalsRecord, totals, {}) ?? this.#damaged('it has no totals');
  }

  episodeCount(): number {
    return this.#one(records.countRecord, 'SELECT count(*) AS count FROM episodes', {})?.count ?? 0;
  }

  episodes(from: number, limit: number): readonly records.EpisodeRecord[] {
    const statement = `SELECT ${episodeColumns} FROM episodes ORDER BY episode LIMIT :limit OFFSET :from`;
    return this.#all(records.episodeRecord, statement, { from, limit });
  }

  episode(episode: number): records.EpisodeRecord | undefined {
    const statement = `SELECT ${episodeColumns} FROM episodes WHERE episode = :episode`;
    return this.#one(records.episodeRecord, statement, { episode });
  }

  /** Undefined: the trace is of a version that kept nothing for judges. */
  recorded(): readonly RecordedEpisode[] | undefined {
    const table = "SELECT count(*) AS count FROM sqlite_master WHERE type = 'table' AND name = 'outputs'";
    if (this.#one(records.countRecord, table, {})?.count === 0) return undefined;
    const statement = `SELECT episode, uuid, taskId, taskIndex, repeat, reward, isSuccess, task, output
      FROM episodes LEFT JOIN outputs USING (episode) ORDER BY episode`;
    return this.#all(records.recordedRecord, statement, {}).map(
      ({ task, output, isSuccess, ...episode }) => ({
        ...episode,
        isSuccess: isSuccess !== 0,
        returned: task === null || output === null ? null : { task, output },
      }),
    );
  }

  /** Whole; undefined: the episode's row has it so. */
  query(episode: number): string | undefined {
    const statement = 'SELECT query AS value FROM queries WHERE episode = :episode';
    return this.#one(records.valueRecord, statement, { episode })?.value;
  }

  /** Results that came after a sequence number, in order. */
  resultsAfter(sequence: number): readonly { readonly sequence: number; readonly result: EpisodeResult }[] {
    const statement = 'SELECT sequence, result FROM results WHERE sequence > :sequence ORDER BY sequence';
    return this.#all(records.resultRecord, statement, { sequence }).map((row) => ({
      sequence: row.sequence,
      result: this.#json(row.result, episodeResult, 'the result of an episode'),
    }));
  }

  /** Results of the episodes `first` … `last`, in order. */
  resultsBetween(first: number, last: number): readonly EpisodeResult[] {
    const statement = `SELECT sequence, result FROM episodes JOIN results USING (sequence)
      WHERE episode BETWEEN :first AND :last ORDER BY episode`;
    const results = this.#all(records.resultRecord, statement, { first, last }).map(({ result }) =>
      this.#json(result, episodeResult, 'the result of an episode'),
    );
    return withSelection(results, this.end()?.selection);
  }

  /** In the order of their numbers, which is the one in which they arrived. */
  calls(episode: number): readonly records.CallRecord[] {
    const statement = `SELECT ${callColumns} FROM calls WHERE episode = :episode ORDER BY call`;
    return this.#all(records.callRecord, statement, { episode });
  }

  call(episode: number, call: number): records.CallRecord | undefined {
    const statement = `SELECT ${callColumns} FROM calls WHERE episode = :episode AND call = :call`;
    return this.#one(records.callRecord, statement, { episode, call });
  }

  callDetails(episode: number, call: number): StoredCallDetails {
    const row =
      this.#one(records.callDetailsRecord, callDetails, { key: contentKey(episode, call) }) ??
      this.#damaged(`call ${call} of episode ${episode} has no details`);
    return { ...row, messages: [...int32Values(row.messages)] };
  }

  /** The calls of an episode in the order in which they ended. */
  mergeableCalls(episode: number): readonly MergeableCall[] {
    return this.#all(records.mergeableCallRecord, mergeableCalls, { episode }).map((row) => ({
      ...row,
      messages: [...int32Values(row.messages)],
    }));
  }

  /** All messages of an episode, without their texts and tokens. */
  messages(episode: number): readonly records.MessageRecord[] {
    const statement = `SELECT position, role, author, toolCallId, tokens, trainableTokens FROM messages
      WHERE episode = :episode ORDER BY position`;
    return this.#all(records.messageRecord, statement, { episode });
  }

  messageText(episode: number, position: number): records.MessageTextRecord {
    const statement = 'SELECT text, toolCalls FROM messageContents WHERE key = :key';
    const row = this.#one(records.messageTextRecord, statement, { key: contentKey(episode, position) });
    return row ?? this.#damaged(`message ${position} of episode ${episode} has no text`);
  }

  messageTokens(episode: number, position: number): StoredTokens {
    const statement = 'SELECT tokenIds, logprobs, lossMask FROM messageContents WHERE key = :key';
    const row =
      this.#one(records.messageTokensRecord, statement, { key: contentKey(episode, position) }) ??
      this.#damaged(`message ${position} of episode ${episode} has no tokens`);
    return {
      tokenIds: int32Values(row.tokenIds),
      logprobs: row.logprobs === null ? null : float32Values(row.logprobs),
      lossMask: row.lossMask,
    };
  }

  timelines(episode: number): readonly TracedTimeline[] {
    const statement = `SELECT calls, messages, tokens, trainableTokens FROM timelines
      WHERE episode = :episode ORDER BY timeline`;
    return this.#all(records.timelineRecord, statement, { episode }).map((row) => ({
      ...row,
      calls: [...int32Values(row.calls)],
      messages: [...int32Values(row.messages)],
    }));
  }

  token(id: number): { readonly bytes: Uint8Array; readonly special: boolean } | undefined {
    const row = this.#one(records.tokenRecord, 'SELECT bytes, special FROM tokens WHERE id = :id', { id });
    return row && { bytes: row.bytes, special: row.special !== 0 };
  }

  specialTokens(): readonly number[] {
    const statement = 'SELECT id FROM tokens WHERE special = 1';
    return this.#all(records.tokenIdRecord, statement, {}).map(({ id }) => id);
  }

  #meta<T>(key: string, schema: z.ZodMiniType<T>): T | undefined {
    const row = this.#one(records.valueRecord, 'SELECT value FROM meta WHERE key = :key', { key });
    return row && this.#json(row.value, schema, `its ${key}`);
  }

  #one<T>(schema: z.ZodMiniType<T>, statement: string, parameters: SqlParameters): T | undefined {
    return this.#all(schema, statement, parameters)[0];
  }

  #all<T>(schema: z.ZodMiniType<T>, statement: string, parameters: SqlParameters): readonly T[] {
    return this.#sql.all(statement, parameters).map((row) => {
      const parsed = schema.safeParse(row);
      return parsed.success ? parsed.data : this.#damaged('it has rows of another form than a trace has');
    });
  }

  #json<T>(text: string, schema: z.ZodMiniType<T>, what: string): T {
    const parsed = schema.safeParse(parseJson(text));
    return parsed.success ? parsed.data : this.#damaged(`${what} cannot be read`);
  }

  #damaged(why: string): never {
    throw traceErrors.damaged(this.file, why);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // which is of no schema here
  }
}

/** Counted while it runs, told by its row afterwards. */
const callsOfEpisode = `iif(sequence IS NULL,
  (SELECT count(*) FROM calls WHERE calls.episode = episodes.episode), episodes.calls)`;

const totals = `
SELECT count(*) AS started,
  count(sequence) AS ended,
  count(sequence) - count(reward) AS failed,
  avg(reward) AS meanReward,
  avg(isSuccess) FILTER (WHERE reward IS NOT NULL) AS successRate,
  coalesce(sum(${callsOfEpisode}), 0) AS calls,
  coalesce(sum(timelines), 0) AS timelines,
  coalesce(sum(tokens), 0) AS tokens,
  coalesce(sum(trainableTokens), 0) AS trainableTokens
FROM episodes`;

const episodeColumns = `episode, taskId, repeat, query, startedAt, sequence IS NOT NULL AS ended,
  ${callsOfEpisode} AS calls,
  reward, isSuccess, seconds, error, timelines, tokens, trainableTokens`;

const callColumns = `call, agent, tag, startedAt, seconds, status, error, finishReason, reply, promptTokens,
  replyTokens`;

const callDetails = `
SELECT options, tools.tools, messages FROM callDetails LEFT JOIN tools ON tools.id = callDetails.tools
WHERE key = :key`;

const mergeableCalls = `
SELECT call, reply, tools.tools, messages FROM calls JOIN callDetails ON key = (episode << 20) + call
  LEFT JOIN tools ON tools.id = callDetails.tools
WHERE episode = :episode ORDER BY ended`;
