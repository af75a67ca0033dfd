import type { CallSource } from '../../tracking/core/records/trace.ts';
import type { CodeLocations } from '../../tracking/core/records/tracedRun.ts';
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
import type { LineRecord } from './records.ts';
import { sourceFile, sourceName } from './sourceTable.ts';
import { CodeQueries } from './codeQueries.ts';
import type { TraceQueries } from './traceQueries.ts';

/** The current files of the user's code. */
export interface CodeReader {
  /** Returns the fingerprint of a file as {@link TraceRecorder} gets it; null: the file does not exist. */
  fingerprint(file: string): string | null;
  /** Returns the first definition of a tool in the files; undefined: there is none. */
  findTool(name: string, files: readonly string[]): CallSource | undefined;
}

/** Finds the code that made the parts of a trace. */
export class CodeViews {
  readonly #trace: TraceQueries;
  readonly #stored: CodeQueries;
  readonly #code: CodeReader;

  constructor(trace: TraceQueries, code: CodeReader) {
    this.#trace = trace;
    this.#stored = new CodeQueries(trace.rows);
    this.#code = code;
  }

  /** Returns the line that made a call; null: unknown. */
  ofCall(episode: number, call: number): CallSource | null {
    const source = this.#stored.callSource(episode, call);
    return source === undefined ? null : { ...source, file: this.#file(source.file) };
  }

  /** Returns a source location. Throws `trace/no-source` if it is unknown. */
  source(episode: number, of: SourceOf): SourceView {
    const { file } = this.#trace.rows;
    switch (of.kind) {
      case 'call': {
        const source = this.ofCall(episode, of.call);
        if (source === null) throw traceErrors.noSource(file, `call ${of.call} of episode ${episode}`);
        return this.#view(source, 'recorded');
      }
      case 'reward': {
        const source = this.#scorer(episode);
        if (source === undefined) throw traceErrors.noSource(file, `the reward of episode ${episode}`);
        return source;
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
      lines: this.#stored.lines().map((record) => this.#line(record)),
      tools: this.#stored.tools().flatMap(({ tool, ...counts }): ToolLineView[] => {
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

  #line({ file: name, line, column, function: within, ...record }: LineRecord): LineView {
    const { firstEpisode: episode, firstCall: call, ...counts } = record;
    const source = { file: this.#file(name), line, column, function: within };
    return { ...this.#codeLine(source), name, ...counts, first: { episode, call } };
  }

  #part(of: keyof CodeLocations): PartLineView | null {
    const place = this.#stored.places()?.[of];
    if (place === undefined) return null;
    const counts = this.#stored.part(of === 'execute' ? 'workflow' : 'judge');
    return { ...this.#codeLine(sourceAt(place)), ...counts };
  }

  #codeLine(source: CallSource): CodeLine {
    const fingerprint = this.#recorded(source.file) ?? null;
    return { ...source, state: this.#state(source.file), fingerprint };
  }

  /** Returns the code that gave the reward: the judge, or the workflow itself. */
  #scorer(episode: number): SourceView | undefined {
    const { execute, judge } = this.#stored.places() ?? {};
    const [result] = this.#trace.resultsBetween(episode, episode);
    const byJudge = result?.scoredBy === 'judge' || result?.error?.code.startsWith('task-judge/') === true;
    return this.#place(byJudge ? judge : execute) ?? undefined;
  }

  #tool(tool: string): SourceView {
    const all = this.#files();
    const found = this.#code.findTool(tool, all);
    if (found === undefined) throw traceErrors.noTool(this.#trace.rows.file, tool, all);
    return this.#view(found, 'scan');
  }

  /** Returns the files that may define tools, the workflow's file first. */
  #files(): readonly string[] {
    const files = this.#stored.sourceFiles().map((name) => this.#file(name));
    const workflow = this.#trace.run()?.workflowFile;
    return [...new Set([...(workflow === undefined ? [] : [workflow]), ...files])];
  }

  #place(place: Location | undefined): SourceView | null {
    return place === undefined ? null : this.#view(sourceAt(place), 'recorded');
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
    return this.#stored.fingerprint(sourceName(file, this.#config));
  }

  #file(name: string): string {
    return sourceFile(name, this.#config);
  }

  get #config(): string {
    return this.#trace.run()?.config ?? '';
  }
}

function sourceAt(place: Location): CallSource {
  const { file, line = 1, column = null } = place;
  return { file, line, column, function: null };
}
