import type { Disposable } from '../../../base/disposable.ts';
import type { Clock } from '../../../base/ports.ts';
import { traceCall, type TraceReply } from '../../../protocol/traceRpc.ts';
import { reportOf } from '../../../trace/errors.ts';
import { resultOf, type TraceSession } from '../../../trace/methods.ts';
import type { TraceReader } from '../../../trace/reader.ts';
import type { TraceViews } from '../../../trace/views.ts';
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
export class Connection implements Disposable, TraceSession {
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
      return { id, result: resultOf(this, call.data.request) };
    } catch (error) {
      return { id, error: reportOf(error) };
    }
  }

  get others(): readonly string[] {
    return this.#parts.others;
  }

  read<T>(trace: string, ask: (views: TraceViews) => T): T {
    return this.#parts.readers.use(this.#parts.fileOf(trace), (reader) => reader.read(ask));
  }

  dispose(): void {
    for (const trace of [...this.#watches.keys()]) this.unwatch(trace);
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

  unwatch(trace: string): void {
    this.#watches.get(trace)?.dispose();
    this.#watches.delete(trace);
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
