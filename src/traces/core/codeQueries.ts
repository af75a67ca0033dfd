import type * as z from 'zod/mini';
import type { CodeLocations } from '../../tracking/core/records/tracedRun.ts';
import type { CheckedRows } from './checkedRows.ts';
import { metaKeys } from './layout.ts';
import * as records from './records.ts';

/** Queries of the user's source code that a trace refers to. */
export class CodeQueries {
  readonly #trace: CheckedRows;

  constructor(trace: CheckedRows) {
    this.#trace = trace;
  }

  /** Returns the locations; undefined: not yet known, or the trace is of a version that did not store them. */
  places(): CodeLocations | undefined {
    return this.#trace.meta(metaKeys.places, records.storedPlaces);
  }

  /** Returns the line that made a call, with the file as the trace names it; undefined: unknown. */
  callSource(episode: number, call: number): records.SourceRecord | undefined {
    if (!this.#trace.has('sources')) return undefined;
    return this.#trace.all(records.sourceRecord, callSource, { episode, call })[0];
  }

  /** Returns the lines that made calls, with statistics of these calls. */
  lines(): readonly records.LineRecord[] {
    return this.#trace.has('sources') ? this.#trace.all(records.lineRecord, lines, {}) : [];
  }

  /** Returns the tools that were called, ordered by number of episodes. */
  tools(): readonly z.infer<typeof records.toolLineRecord>[] {
    return this.#trace.has('usedTools') ? this.#trace.all(records.toolLineRecord, tools, {}) : [];
  }

  part(kind: 'workflow' | 'judge'): records.PartRecord {
    const [found] = this.#trace.has('spans') ? this.#trace.all(records.partRecord, part, { kind }) : [];
    return found ?? { episodes: 0, failed: 0, seconds: null, reward: null, successRate: null };
  }

  /** Returns the fingerprint of a source file during the run; undefined: unknown. */
  fingerprint(file: string): string | undefined {
    if (!this.#trace.has('sourceFiles')) return undefined;
    const statement = 'SELECT fingerprint AS value FROM sourceFiles WHERE file = :file';
    return this.#trace.all(records.valueRecord, statement, { file })[0]?.value;
  }

  /** Returns the files of the lines that made calls, as the trace names them. */
  sourceFiles(): readonly string[] {
    if (!this.#trace.has('sources')) return [];
    const statement = 'SELECT file AS value FROM sources GROUP BY file ORDER BY min(id)';
    return this.#trace.all(records.valueRecord, statement, {}).map(({ value }) => value);
  }
}

const sourceColumns = 'file, line, sources."column" AS "column", function';

const callSource = `
SELECT ${sourceColumns} FROM calls JOIN sources ON sources.id = calls.source
WHERE episode = :episode AND call = :call`;

/** The maximum number of lines and tools that an editor shows. A workflow has few. */
const mostLines = 1_000;
const mostTools = 50;

/**
 * An episode's reward counts once per line, however often the line made calls. A column without an aggregate has the
 * value of the row with the lowest episode.
 */
const lines = `
WITH perEpisode AS (
  SELECT source, episode, min(call) AS firstCall, count(*) AS calls, count(error) AS failed,
    sum(iif(error IS NULL, promptTokens, 0)) AS promptTokens,
    sum(iif(error IS NULL, replyTokens, 0)) AS replyTokens,
    sum(iif(error IS NULL, seconds, 0)) AS seconds
  FROM calls WHERE source IS NOT NULL GROUP BY source, episode
)
SELECT ${sourceColumns}, sum(perEpisode.calls) AS calls, count(*) AS episodes, sum(perEpisode.failed) AS failed,
  ${meanOfAnswered('promptTokens')}, ${meanOfAnswered('replyTokens')}, ${meanOfAnswered('seconds')},
  avg(episodes.reward) AS reward, min(perEpisode.episode) AS firstEpisode, firstCall
FROM perEpisode JOIN sources ON sources.id = source JOIN episodes USING (episode)
GROUP BY source ORDER BY source LIMIT ${mostLines}`;

function meanOfAnswered(column: string): string {
  return `sum(perEpisode.${column}) * 1.0 / nullif(sum(perEpisode.calls - perEpisode.failed), 0) AS ${column}`;
}

const tools = `
SELECT tool, count(*) AS episodes, avg(reward) AS reward FROM usedTools JOIN episodes USING (episode)
GROUP BY tool ORDER BY episodes DESC, tool LIMIT ${mostTools}`;

/** A retried episode has several spans of one kind. */
const part = `
WITH perEpisode AS (
  SELECT episode, sum(seconds) AS seconds, count(error) AS errors FROM spans WHERE kind = :kind GROUP BY episode
)
SELECT count(*) AS episodes, count(nullif(errors, 0)) AS failed, avg(perEpisode.seconds) AS seconds,
  avg(reward) AS reward, avg(isSuccess) FILTER (WHERE reward IS NOT NULL) AS successRate
FROM perEpisode JOIN episodes USING (episode)`;
