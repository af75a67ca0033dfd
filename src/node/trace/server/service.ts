import type { Disposable } from '../../../base/disposable.ts';
import type { Clock } from '../../../base/ports.ts';
import {
  largestWindow,
  traceCall,
  type TraceReply,
  type TraceRequest,
  type TraceSummary,
} from '../../../protocol/traceRpc.ts';
import type { TraceReader } from '../../../trace/reader.ts';
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
   */
  connect(send?: (notice: TraceReply) => void, fileOf: FileOf = (trace) => trace): Connection {
    return new Connection({ readers: this.#readers, watcher: this.#watcher, send, fileOf });
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

type Reading = Exclude<TraceRequest, { method: 'watch' | 'unwatch' | 'summaries' }>;

function read(reader: TraceReader, request: Reading): unknown {
  switch (request.method) {
    case 'run':
      return reader.run();
    case 'episodes':
      return reader.episodes(request.from, Math.min(request.limit, largestWindow.episodes));
    case 'episode':
      return reader.episode(request.episode);
    case 'call':
      return reader.call(request.episode, request.call);
    case 'timeline':
      return reader.timeline(request.episode, request.timeline);
    case 'tokens': {
      const limit = Math.min(request.limit, largestWindow.tokens);
      return reader.tokens(request.episode, request.timeline, request.from, limit);
    }
  }
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
