import type { Disposable } from '../../../base/disposable.ts';
import type { Clock } from '../../../base/ports.ts';
import { largestWindow, traceCall, type TraceReply, type TraceRequest } from '../../../protocol/traceRpc.ts';
import type { TraceSummary } from '../../../protocol/runRpc.ts';
import { traceErrors } from '../../../trace/errors.ts';
import { compareView } from '../../../trace/compareView.ts';
import { largestBinary } from '../../../protocol/conversationRpc.ts';
import type { MergeSetting } from '../../../protocol/mergeSetting.ts';
import type { TimelineReader, TraceReader } from '../../../trace/reader.ts';
import { unreadableSummary } from '../../../trace/unreadable.ts';
import { reportOf } from '../errors.ts';
import { serverErrors } from './errors.ts';
import { OpenReaders } from './openReaders.ts';
import { Watcher } from './watcher.ts';

/** The traces on disk. */
export interface TraceFiles {
  /** Throws a CodedError when the file cannot be read. */
  open(file: string): TraceReader;
  /** Changes whenever the file is written or replaced; never throws. */
  stampOf(file: string): string;
}

export type FileOf = (trace: string) => string;

/** Of replies to what carries no id of its own. */
export const noId = -1;

interface ConnectionParts {
  readonly readers: OpenReaders;
  readonly watcher: Watcher;
  readonly send: ((notice: TraceReply) => void) | undefined;
  readonly fileOf: FileOf;
  readonly others: readonly string[];
}

/** Answers viewers, whatever door they come through. */
export class TraceService implements Disposable {
  readonly #readers: OpenReaders;
  readonly #watcher: Watcher;

  constructor(files: TraceFiles, clock: Clock) {
    this.#readers = new OpenReaders((file) => files.open(file), clock);
    this.#watcher = new Watcher(this.#readers, clock, (file) => files.stampOf(file));
  }

  /**
   * @param send takes notices; replies are what {@link Connection.answer} returns. Without it nothing is watched,
   *   whatever is asked
   * @param fileOf the file of a trace as this viewer names it; throws when it may not see it
   * @param others traces that this viewer may compare its own with, as it names them
   */
  connect(
    send?: (notice: TraceReply) => void,
    fileOf: FileOf = (trace) => trace,
    others: readonly string[] = [],
  ): Connection {
    return new Connection({ readers: this.#readers, watcher: this.#watcher, send, fileOf, others });
  }

  dispose(): void {
    this.#watcher.dispose();
    this.#readers.dispose();
  }
}

/** One viewer, or a relay of several: what it watches ends with it. */
export class Connection implements Disposable {
  readonly #parts: ConnectionParts;
  readonly #watches = new Map<string, Disposable>();

  /** Use {@link TraceService.connect}. */
  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** Never throws: whatever text comes gets its reply. */
  answer(text: string): TraceReply {
    let id = noId;
    try {
      const value = parseJson(text);
      id = idOf(value);
      const call = traceCall.safeParse(value);
      if (!call.success) throw serverErrors.badRequest('it is no call of the protocol');
      return { id, result: this.#resultOf(call.data.request) };
    } catch (error) {
      return { id, error: reportOf(error) };
    }
  }

  dispose(): void {
    for (const trace of [...this.#watches.keys()]) this.#unwatch(trace);
  }

  watch(trace: string): void {
    const { watcher, send, fileOf } = this.#parts;
    const file = fileOf(trace);
    if (send === undefined || this.#watches.has(trace)) return;
    const notice: TraceReply = { notice: 'changed', trace };
    this.#watches.set(
      trace,
      watcher.watch(file, () => send(notice)),
    );
  }

  #unwatch(trace: string): void {
    this.#watches.get(trace)?.dispose();
    this.#watches.delete(trace);
  }

  #resultOf(request: TraceRequest): unknown {
    switch (request.method) {
      case 'watch':
        this.watch(request.trace);
        return null;
      case 'unwatch':
        this.#unwatch(request.trace);
        return null;
      case 'summaries':
        return request.traces.map((trace) => this.#summaryOf(trace));
      case 'otherRuns':
        return { traces: this.#parts.others.map((trace) => this.#summaryOf(trace)) };
      case 'counterparts': {
        const task = this.#use(request.trace, (reader) => reader.task(request.episode));
        return this.#use(request.other, (reader) => reader.counterparts(task));
      }
      case 'compare':
        return compareView(request, (trace, ask) => this.#use(trace, ask));
      default:
        return this.#use(request.trace, (reader) => read(reader, request));
    }
  }

  #use<T>(trace: string, ask: (reader: TraceReader) => T): T {
    return this.#parts.readers.use(this.#parts.fileOf(trace), ask);
  }

  #summaryOf(trace: string): TraceSummary {
    try {
      return { ...this.#use(trace, (reader) => reader.summary()), trace };
    } catch (error) {
      return unreadableSummary({ trace, size: 0, startedAt: 0 }, reportOf(error));
    }
  }
}

type Reading = Exclude<
  TraceRequest,
  { method: 'watch' | 'unwatch' | 'summaries' | 'compare' | 'otherRuns' | 'counterparts' }
>;

function read(reader: TraceReader, request: Reading): unknown {
  switch (request.method) {
    case 'run':
      return reader.run();
    case 'episodes':
      return reader.episodes(request.from, Math.min(request.limit, largestWindow.episodes), request);
    case 'groups':
      return reader.groups(request.from, Math.min(request.limit, largestWindow.episodes), request);
    case 'group':
      return reader.group(request.group);
    case 'histograms':
      return reader.histograms();
    case 'names':
      return reader.names();
    case 'episode':
      return reader.episode(request.episode);
    case 'spans':
      return reader.spans(request.episode);
    case 'call':
      return reader.call(request.episode, request.call);
    case 'source':
      return reader.source(request.episode, request.of);
    case 'show':
      return { source: reader.source(request.episode, request.of), shown: 'told' };
    case 'debug':
      return { started: 'told', command: replayCommand(reader, request.episode) };
    case 'lines':
      return reader.lines();
    case 'text': {
      const { episode, conversation, message, from, limit } = request;
      return timelinesOf(reader, conversation).text(episode, conversation, message, {
        from,
        limit: Math.min(limit, largestWindow.text),
      });
    }
    case 'leftOut':
      return reader.leftOut(request.episode, request.call);
    case 'binary':
      return reader.binary(request.hash, { ...request, limit: Math.min(request.limit, largestBinary) });
    case 'merging':
      return reader.merging(request.episode, request.setting);
    case 'search':
      return timelinesOf(reader, request.conversation).search(request.episode, request.conversation, request);
    default:
      return readTimeline(timelinesOf(reader, request), request);
  }
}

type OfTimeline = Extract<Reading, { method: 'timeline' | 'tokens' | 'token' | 'strip' | 'find' }>;

function readTimeline(reader: TimelineReader, request: OfTimeline): unknown {
  const { episode, timeline } = request;
  switch (request.method) {
    case 'timeline':
      return reader.timeline(episode, timeline);
    case 'tokens':
      return reader.tokens(episode, timeline, request.from, Math.min(request.limit, largestWindow.tokens));
    case 'token':
      return reader.token(episode, timeline, request.token);
    case 'strip':
      return reader.strip(episode, timeline, Math.min(request.stretches, largestWindow.stretches));
    case 'find':
      return reader.find(episode, timeline, request);
  }
}

/** The run's own timelines, or those of the setting that a request names. */
function timelinesOf(reader: TraceReader, of: object): TimelineReader {
  const { setting } = of as { readonly setting?: MergeSetting | undefined };
  return setting === undefined ? reader : reader.otherwise(setting);
}

/** Throws where there is no such episode, or the trace lacks what answers its calls. */
function replayCommand(reader: TraceReader, episode: number): string {
  const { episode: number, state } = reader.episode(episode).row;
  const { config, trace } = reader.summary();
  const named = reader.run().imported === undefined ? quoted(config) : 'CONFIG.yaml';
  reader.replayed(number);
  if (state !== 'ended') throw traceErrors.notEnded(trace, number);
  return `agentjet --conf ${named} --replay ${quoted(trace)} --episode ${number}`;
}

/** For shells; a path without anything special stays as it is. */
function quoted(file: string): string {
  return /^[\w./:\\@%+=,-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw serverErrors.badRequest('it is not JSON');
  }
}

/** Also of a call that is wrong otherwise, so that whoever sent it learns of it. */
function idOf(value: unknown): number {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : noId;
}
