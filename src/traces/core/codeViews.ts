import { callSource, type CallSource } from '../../tracking/core/records/trace.ts';
import { codeLocations, type CodeLocations } from '../../tracking/core/records/tracedRun.ts';
import type {
  CodeLine,
  LineView,
  LinesView,
  PartLineView,
  SourceOf,
  SourceView,
  ToolLineView,
} from './protocol/codeRpc.ts';
import type { Location } from '../../base/core/errors.ts';
import { traceErrors } from './errors.ts';
import * as records from './records.ts';
import { sourceFile, sourceName } from './sourceTable.ts';
import type { CheckedRows } from './checkedRows.ts';
import { metaKeys } from './layout.ts';
import type { TraceQueries } from './traceQueries.ts';

export interface CodeReader {
  /** Returns the fingerprint of a file as {@link TraceRecorder} gets it; null: the file does not exist. */
  fingerprint(file: string): string | null;
  /** Returns the first definition of a tool in the files; undefined: there is none. */
  findTool(name: string, files: readonly string[]): CallSource | undefined;
}

export class CodeViews {
  readonly #trace: TraceQueries;
  readonly #code: CodeReader;

  constructor(trace: TraceQueries, code: CodeReader) {
    this.#trace = trace;
    this.#code = code;
  }

  ofCall(episode: number, call: number): CallSource | null {
    const source = this.#rows.one(callSource, sourceOfCall, { episode, call });
    return source === undefined ? null : { ...source, file: this.#file(source.file) };
  }

  /** Returns a source location. Throws `trace/no-source` if it is unknown. */
  source(episode: number, of: SourceOf): SourceView {
    const { file } = this.#rows;
    switch (of.kind) {
      case 'call': {
        const source = this.ofCall(episode, of.call);
        if (source === null) throw traceErrors.noSource(file, `call ${of.call} of episode ${episode}`);
        return this.#view(source, 'recorded');
      }
      case 'reward': {
        const place = this.#scorer(episode);
        if (place === undefined) throw traceErrors.noSource(file, `the reward of episode ${episode}`);
        return this.#view(sourceAt(place), 'recorded');
      }
      case 'tool':
        return this.#tool(of.tool);
    }
  }

  /** @param live true if the run is active; then the numbers are incomplete, and none are returned */
  lines(live: boolean): LinesView {
    if (live) return { live, lines: [], tools: [], execute: null, judge: null };
    return {
      live,
      lines: this.#rows.all(records.lineRecord, lines, {}).map((record) => this.#line(record)),
      tools: this.#rows
        .all(records.toolLineRecord, tools, {})
        .flatMap(({ tool, ...counts }): ToolLineView[] => {
          const found = this.#code.findTool(tool, this.#files());
          if (found === undefined) return [];
          // Compares with the text in which it was found, whatever text the run had.
          const fingerprint = this.#code.fingerprint(found.file);
          return [{ ...found, tool, state: this.#state(found.file), fingerprint, ...counts }];
        }),
      execute: this.#part('execute'),
      judge: this.#part('judge'),
    };
  }

  #line({ file: name, line, column, function: within, ...record }: records.LineRecord): LineView {
    const { firstEpisode: episode, firstCall: call, ...counts } = record;
    const source = { file: this.#file(name), line, column, function: within };
    return { ...this.#codeLine(source), name, ...counts, first: { episode, call } };
  }

  #part(of: keyof CodeLocations): PartLineView | null {
    const place = this.#places()?.[of];
    if (place === undefined) return null;
    const kind = of === 'execute' ? 'workflow' : 'judge';
    const counts =
      this.#rows.one(records.partRecord, part, { kind }) ?? this.#rows.damaged('it has no spans');
    return { ...this.#codeLine(sourceAt(place)), ...counts };
  }

  #codeLine(source: CallSource): CodeLine {
    const fingerprint = this.#recorded(source.file) ?? null;
    return { ...source, state: this.#state(source.file), fingerprint };
  }

  #scorer(episode: number): Location | undefined {
    const { execute, judge } = this.#places() ?? {};
    const [result] = this.#trace.resultsBetween(episode, episode);
    const byJudge = result?.scoredBy === 'judge' || result?.error?.code.startsWith('task-judge/') === true;
    return byJudge ? judge : execute;
  }

  #tool(tool: string): SourceView {
    const all = this.#files();
    const found = this.#code.findTool(tool, all);
    if (found === undefined) throw traceErrors.noTool(this.#rows.file, tool, all);
    return this.#view(found, 'scan');
  }

  /** Returns the files that may define tools, the workflow's file first. */
  #files(): readonly string[] {
    const statement = 'SELECT file AS value FROM sources GROUP BY file ORDER BY min(id) LIMIT 100';
    const names = this.#rows.all(records.valueRecord, statement, {});
    const files = names.map(({ value }) => this.#file(value));
    const workflow = this.#trace.run()?.workflowFile;
    return [...new Set([...(workflow === undefined ? [] : [workflow]), ...files])];
  }

  #view(source: CallSource, found: SourceView['found']): SourceView {
    return { ...source, state: this.#state(source.file), found };
  }

  #state(file: string): SourceView['state'] {
    const now = this.#code.fingerprint(file);
    if (now === null) return 'gone';
    const then = this.#recorded(file);
    if (then === undefined) return 'unknown';
    return then === now ? 'same' : 'changed';
  }

  #recorded(file: string): string | undefined {
    const statement = 'SELECT fingerprint AS value FROM sourceFiles WHERE file = :file';
    return this.#rows.one(records.valueRecord, statement, { file: sourceName(file, this.#config) })?.value;
  }

  #file(name: string): string {
    return sourceFile(name, this.#config);
  }

  #places(): CodeLocations | undefined {
    return this.#rows.meta(metaKeys.places, codeLocations);
  }

  get #rows(): CheckedRows {
    return this.#trace.rows;
  }

  get #config(): string {
    return this.#trace.run()?.config ?? '';
  }
}

function sourceAt(place: Location): CallSource {
  const { file, line = 1, column = null } = place;
  return { file, line, column, function: null };
}

const sourceColumns = 'file, line, sources."column" AS "column", function';

const sourceOfCall = `
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
