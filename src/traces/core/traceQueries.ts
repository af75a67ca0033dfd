import {
  episodeResult,
  type EpisodeResult,
  withSelection,
} from '../../tracking/core/records/episodeResult.ts';
import type { RecordedEpisode } from './protocol/runRpc.ts';
import {
  printedOutput,
  type PrintedOutput,
  type TimelineTraining,
  type TracedReturn,
  type TracedTimeline,
  type TracedToken,
  type TracedTraining,
} from '../../tracking/core/records/trace.ts';
import {
  batchRules,
  mergeRules,
  runEnd,
  storedRun,
  type BatchRules,
  type MergeRules,
  type StoredRun,
  type TracedRunEnd,
} from '../../tracking/core/records/tracedRun.ts';
import { contentKey, float32Values, int32Values, metaKeys } from './layout.ts';
import { CheckedRows } from './checkedRows.ts';
import * as records from './records.ts';
import type { SqlParameters, SqlScratch } from './sql.ts';
import { CallQueries } from './callQueries.ts';
import { MessageQueries } from './messageQueries.ts';
import { callsOfEpisode, totals } from './filterSql.ts';

/** A timeline with what training did with it. */
export interface StoredTimeline extends TracedTimeline {
  /** Absent: no training used it. */
  readonly training?: TimelineTraining;
}

/** Log probabilities of the trainer for consecutive tokens, NaN where none. They may end before the tokens. */
export type TrainerLogprobs = Pick<TracedTraining, 'logprobs' | 'baseLogprobs'>;

export class TraceQueries {
  readonly rows: CheckedRows;
  readonly calls: CallQueries;
  readonly messages: MessageQueries;

  constructor(sql: SqlScratch, file: string) {
    this.rows = new CheckedRows(sql, file);
    this.calls = new CallQueries(this.rows);
    this.messages = new MessageQueries(this.rows);
  }

  /** Returns the run; undefined: nothing is written yet. */
  run(): StoredRun | undefined {
    return this.rows.meta(metaKeys.run, storedRun);
  }

  merging(): MergeRules | undefined {
    return this.rows.meta(metaKeys.merging, mergeRules);
  }

  /** Returns the rules; undefined: the trace was imported. */
  batch(): BatchRules | undefined {
    return this.rows.meta(metaKeys.batch, batchRules);
  }

  writer(): records.WriterIdentity | undefined {
    return this.rows.meta(metaKeys.writer, records.writerIdentity);
  }

  end(): TracedRunEnd | undefined {
    return this.rows.meta(metaKeys.end, runEnd);
  }

  /** Returns the totals. Tokens and timelines are those of ended episodes. */
  totals(): records.RunTotals {
    return this.rows.one(records.totalsRecord, totals, {}) ?? this.rows.damaged('it has no totals');
  }

  /** Returns the highest number; null: no episode has started. */
  newestEpisode(): number | null {
    const statement = 'SELECT episode FROM episodes ORDER BY episode DESC LIMIT 1';
    return this.rows.one(records.episodeNumber, statement, {})?.episode ?? null;
  }

  episode(episode: number): records.EpisodeRecord | undefined {
    const statement = `SELECT ${episodeColumns} FROM episodes WHERE episode = :episode`;
    return this.rows.one(records.episodeRecord, statement, { episode });
  }

  /** Returns episodes in the requested order, without those that do not exist. */
  episodesOf(numbers: readonly number[]): readonly records.EpisodeRecord[] {
    const statement = `SELECT ${episodeColumns} FROM json_each(:numbers) AS wanted
      JOIN episodes ON episode = wanted.value ORDER BY wanted.key`;
    return this.rows.all(records.episodeRecord, statement, { numbers: JSON.stringify(numbers) });
  }

  recorded(): readonly RecordedEpisode[] {
    const statement = `SELECT episode, uuid, taskId, taskIndex, repeat, reward, isSuccess, task, output
      FROM episodes LEFT JOIN outputs USING (episode) ORDER BY episode`;
    return this.rows
      .all(records.recordedRecord, statement, {})
      .map(({ task, output, isSuccess, ...episode }) => ({
        ...episode,
        isSuccess: isSuccess !== 0,
        returned: task === null || output === null ? null : { task, output },
      }));
  }

  /** Returns the task and what the workflow returned; undefined: it returned nothing. */
  returned(episode: number): TracedReturn | undefined {
    const statement = 'SELECT task, output FROM outputs WHERE episode = :episode';
    return this.rows.one(records.returnedRecord, statement, { episode });
  }

  /** Returns what the code of an episode printed; undefined: nothing, or the trace is of an older version. */
  printed(episode: number): PrintedOutput | undefined {
    if (!this.#has('printed')) return undefined;
    const statement = 'SELECT output AS value FROM printed WHERE episode = :episode';
    const row = this.rows.one(records.valueRecord, statement, { episode });
    return row && this.rows.json(row.value, printedOutput, 'the output of an episode');
  }

  /** Returns the full query; undefined: the episode's row has it. */
  query(episode: number): string | undefined {
    const statement = 'SELECT query AS value FROM queries WHERE episode = :episode';
    return this.rows.one(records.valueRecord, statement, { episode })?.value;
  }

  /** Returns results after a sequence number, in order. */
  resultsAfter(
    sequence: number,
    most = -1,
  ): readonly { readonly sequence: number; readonly result: EpisodeResult }[] {
    const statement = `SELECT sequence, result FROM results WHERE sequence > :sequence
      ORDER BY sequence LIMIT :most`;
    return this.rows.all(records.resultRecord, statement, { sequence, most }).map((row) => ({
      ...row,
      result: this.#result(row.result),
    }));
  }

  /** Returns the results of groups of `size` episodes, in order of their episodes. */
  resultsOfGroups(groups: readonly number[], size: number): readonly EpisodeResult[] {
    // CROSS JOIN keeps the order of the tables. Without it, SQLite would scan all episodes.
    const statement = `SELECT sequence, result FROM json_each(:groups) AS wanted
      CROSS JOIN episodes ON episode BETWEEN wanted.value * :size AND (wanted.value + 1) * :size - 1
      JOIN results USING (sequence) ORDER BY episode`;
    return this.#results(statement, { groups: JSON.stringify(groups), size });
  }

  /** Returns the results of the episodes `first` … `last`, in order. */
  resultsBetween(first: number, last: number): readonly EpisodeResult[] {
    const statement = `SELECT sequence, result FROM episodes JOIN results USING (sequence)
      WHERE episode BETWEEN :first AND :last ORDER BY episode`;
    return this.#results(statement, { first, last });
  }

  #results(statement: string, parameters: SqlParameters): readonly EpisodeResult[] {
    const rows = this.rows.all(records.resultRecord, statement, parameters);
    const results = rows.map(({ result }) => this.#result(result));
    return withSelection(results, this.end()?.selection);
  }

  timelines(episode: number): readonly StoredTimeline[] {
    const trainings = this.#trainings(episode);
    const statement = `SELECT calls, messages, tokens, trainableTokens FROM timelines
      WHERE episode = :episode ORDER BY timeline`;
    return this.rows.all(records.timelineRecord, statement, { episode }).map((row, timeline) => {
      const training = trainings.get(timeline);
      return {
        ...row,
        calls: [...int32Values(row.calls)],
        messages: [...int32Values(row.messages)],
        ...(training && { training }),
      };
    });
  }

  /** Returns what training did with the timelines of an episode, by number. */
  #trainings(episode: number): ReadonlyMap<number, TimelineTraining> {
    if (!this.#has('trained')) return new Map();
    const statement = 'SELECT timeline, advantage, clipLow, clipHigh FROM trained WHERE episode = :episode';
    const rows = this.rows.all(records.trainingRecord, statement, { episode });
    return new Map(
      rows.map(({ timeline, advantage, clipLow: low, clipHigh: high }) => {
        const clip = low === null || high === null ? null : { low, high };
        return [timeline, { advantage, clip }];
      }),
    );
  }

  /** Returns the log probabilities of tokens `first` … `end` of a timeline that was trained. */
  trainerLogprobs(episode: number, timeline: number, first: number, end: number): TrainerLogprobs {
    const statement = `SELECT substr(logprobs, :word, :words) AS logprobs, substr(base, :word, :words) AS base
      FROM trainerLogprobs WHERE key = :key`;
    const words = { word: first * 4 + 1, words: Math.max(0, end - first) * 4 };
    const key = contentKey(episode, timeline);
    const row = this.rows.one(records.trainerLogprobsRecord, statement, { key, ...words });
    return {
      logprobs: float32Values(row?.logprobs ?? new Uint8Array()),
      baseLogprobs: float32Values(row?.base ?? new Uint8Array()),
    };
  }

  /** Returns false for tables that are newer than the trace. */
  #has(table: string): boolean {
    const statement = 'SELECT count(*) AS count FROM pragma_table_list WHERE name = :table';
    return this.rows.one(records.countRecord, statement, { table })?.count !== 0;
  }

  token(id: number): Omit<TracedToken, 'id'> | undefined {
    const statement = 'SELECT bytes, special FROM tokens WHERE id = :id';
    const row = this.rows.one(records.tokenRecord, statement, { id });
    return row && { bytes: row.bytes, special: row.special !== 0 };
  }

  specialTokens(): readonly number[] {
    const statement = 'SELECT id AS value FROM tokens WHERE special = 1';
    return this.rows.all(records.numberRecord, statement, {}).map(({ value }) => value);
  }

  #result(text: string): EpisodeResult {
    return this.rows.json(text, episodeResult, 'the result of an episode');
  }
}

const episodeColumns = `episode, taskId, repeat, query, startedAt, sequence IS NOT NULL AS ended,
  ${callsOfEpisode} AS calls,
  reward, isSuccess, seconds, error, timelines, tokens, trainableTokens`;
