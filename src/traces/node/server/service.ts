import * as z from 'zod/mini';
import type { Readable, Writable } from 'node:stream';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import {
  traceCall,
  traceRequest,
  type TraceReply,
  changedNotification,
} from '../../core/protocol/traceRpc.ts';
import { reportOf } from '../../core/errors.ts';
import { resultOf, type TraceSession } from '../../core/methods.ts';
import type { TraceReader, TraceViews } from '../../core/views.ts';
import { serverErrors } from './errors.ts';
import { OpenReaders } from './openReaders.ts';
import { Watcher } from './watcher.ts';
import { responseError } from '../../../base/node/rpcErrors.ts';

export interface TraceFiles {
  /** Throws a CodedError when the file cannot be read. */
  open(file: string): TraceReader;
  /** Returns a value that changes whenever the file is written or replaced. Never throws. */
  stampOf(file: string): string;
}

export type FileOf = (trace: string) => string;

/** The id of replies to messages without a valid id. */
export const noId = -1;

interface ConnectionParts {
  readonly readers: OpenReaders;
  readonly watcher: Watcher;
  readonly onChanged: ((trace: string) => void) | undefined;
  readonly fileOf: FileOf;
  readonly others: readonly string[];
}

/** Answers the requests of viewers over any transport. */
export class TraceService implements Disposable {
  readonly #readers: OpenReaders;
  readonly #watcher: Watcher;

  constructor(files: TraceFiles, clock: Clock) {
    this.#readers = new OpenReaders((file) => files.open(file), clock);
    this.#watcher = new Watcher(this.#readers, clock, (file) => files.stampOf(file));
  }

  /**
   * @param onChanged called when a watched trace has grown; without it, `watch` has no effect
   * @param fileOf returns the file for this viewer's name of a trace; throws if the viewer may not read it
   * @param others traces that this viewer may compare its own with, by its names
   */
  connect(
    onChanged?: (trace: string) => void,
    fileOf: FileOf = (trace) => trace,
    others: readonly string[] = [],
  ): Connection {
    return new Connection({ readers: this.#readers, watcher: this.#watcher, onChanged, fileOf, others });
  }

  dispose(): void {
    this.#watcher.dispose();
    this.#readers.dispose();
  }
}

/** One viewer, or a relay of several. Its watches end when it is disposed. */
export class Connection implements Disposable, TraceSession {
  readonly #parts: ConnectionParts;
  readonly #watches = new Map<string, Disposable>();

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  /** Returns the result of a request. Throws a CodedError. */
  call(request: unknown): unknown {
    return resultOf(this, validated(traceRequest, request));
  }

  /** Returns the reply to a page's message, also if it is not a valid one. Never throws. */
  answer(text: string): TraceReply {
    let id = noId;
    try {
      const value = parseJson(text);
      ({ id } = anyMessage.parse(value));
      return { id, result: resultOf(this, validated(traceCall, value).request) };
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
    const { watcher, onChanged, fileOf } = this.#parts;
    const file = fileOf(trace);
    if (onChanged === undefined || this.#watches.has(trace)) return;
    this.#watches.set(
      trace,
      watcher.watch(file, () => onChanged(trace)),
    );
  }

  unwatch(trace: string): void {
    this.#watches.get(trace)?.dispose();
    this.#watches.delete(trace);
  }
}

/** The id of an otherwise invalid message. The reply has the same id. */
const anyMessage = z.catch(z.object({ id: z.catch(z.int(), noId) }), { id: noId });

function validated<T>(schema: z.ZodMiniType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw serverErrors.badRequest('it does not match the protocol');
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw serverErrors.badRequest('it is not JSON');
  }
}

/** Serves one viewer over a pair of streams by JSON-RPC. Resolves when the other side closes them. */
export function serveOverStreams(service: TraceService, input: Readable, output: Writable): Promise<void> {
  const rpc = createMessageConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
  const connection = service.connect((trace) => {
    rpc.sendNotification(changedNotification, { trace }).catch(() => undefined); // the other side has closed the stream
  });
  rpc.onRequest((method, params) => {
    try {
      return connection.call({ ...(params as object | undefined), method });
    } catch (error) {
      throw responseError(reportOf(error));
    }
  });
  rpc.listen();
  return new Promise((resolve) => {
    const end = (): void => {
      connection.dispose();
      rpc.dispose();
      resolve();
    };
    for (const stream of [input, output]) {
      stream.once('close', end);
      stream.once('error', end); // a pipe breaks when the other side dies
    }
    input.once('end', end);
  });
}
