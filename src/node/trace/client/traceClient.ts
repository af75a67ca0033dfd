import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { CodedError, type ErrorReport } from '../../../base/errors.ts';
import type { Disposable } from '../../../base/disposable.ts';
import { Emitter } from '../../../base/event.ts';
import type { Clock, Logger } from '../../../base/ports.ts';
import { LineSplitter } from '../../../protocol/run.ts';
import type { ParamsOf, TraceCall, TraceMethod, TraceReply } from '../../../protocol/traceRpc.ts';
import type { ResultOf, TraceClient } from '../../../trace/methods.ts';
import { deferred, type Deferred } from '../../process/deferred.ts';
import { clientErrors } from './errors.ts';
import type { SpawnTraceServer } from './serverProcess.ts';

export interface TraceClientParts {
  readonly spawn: SpawnTraceServer;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A server that dies sooner than this is not asked again by itself: it would die for ever. In milliseconds. */
const healthyAge = 2000;

/**
 * Asks a trace server over its standard streams. The server is started by the first question, and again by the first
 * one after it died; viewers that share this client may each watch a trace, and go on watching across that.
 */
export class StdioTraceClient implements TraceClient, Disposable {
  readonly #parts: TraceClientParts;
  readonly #changed = new Emitter<string>();
  /** How many watch each trace. */
  readonly #watches = new Map<string, number>();
  #server: Promise<ServerConnection> | undefined;
  #disposed = false;

  readonly onChanged = this.#changed.event;

  constructor(parts: TraceClientParts) {
    this.#parts = parts;
  }

  async ask<M extends TraceMethod>(method: M, parameters: ParamsOf<M>): Promise<ResultOf<M>> {
    if (!this.#isNeeded(method, parameters)) return null as ResultOf<M>;
    const server = await this.#connect();
    return (await server.ask({
      method,
      ...parameters,
    } as unknown as TraceCall['request'])) as ResultOf<M>;
  }

  dispose(): void {
    this.#disposed = true;
    void this.#server?.then(
      (server) => server.end(),
      () => undefined, // it never started: nothing to end
    );
    this.#changed.dispose();
  }

  /** Counts who watches: only the first that comes and the last that goes concern the server. */
  #isNeeded(method: TraceMethod, parameters: object): boolean {
    if (method !== 'watch' && method !== 'unwatch') return true;
    const { trace } = parameters as ParamsOf<'watch'>;
    const before = this.#watches.get(trace) ?? 0;
    const after = Math.max(0, before + (method === 'watch' ? 1 : -1));
    if (after === 0) this.#watches.delete(trace);
    else this.#watches.set(trace, after);
    return (before === 0) !== (after === 0);
  }

  #connect(): Promise<ServerConnection> {
    if (this.#disposed) return Promise.reject(clientErrors.disposed());
    this.#server ??= this.#start().catch((error: unknown) => {
      this.#server = undefined;
      throw error;
    });
    return this.#server;
  }

  async #start(): Promise<ServerConnection> {
    const { spawn, clock, logger } = this.#parts;
    const watchedBefore = [...this.#watches.keys()];
    const startedAt = clock.monotonic();
    const child = await spawn(['--stdio']);
    const server = new ServerConnection(child, {
      onChanged: (trace) => this.#changed.fire(trace),
      onSaid: (text) => logger.log('warn', `Trace server: ${text.trimEnd()}`),
      onEnded: (how) => {
        this.#server = undefined;
        if (this.#disposed) return;
        logger.log('warn', `The trace server ended: ${how}.`);
        // Whoever watches asks again, which starts the next one.
        if (clock.monotonic() - startedAt < healthyAge) return;
        for (const trace of [...this.#watches.keys()]) this.#changed.fire(trace);
      },
    });
    if (this.#disposed) server.end();
    for (const trace of watchedBefore) {
      server.ask({ method: 'watch', trace }).catch(() => undefined); // it died: the next one is told again
    }
    return server;
  }
}

interface ServerListener {
  onChanged(trace: string): void;
  /** What it wrote to stderr. */
  onSaid(text: string): void;
  onEnded(how: string): void;
}

/** One server, from start to end. */
class ServerConnection {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #listener: ServerListener;
  readonly #pending = new Map<number, Deferred<unknown>>();
  #lastId = 0;
  #ended: string | undefined;

  constructor(child: ChildProcessWithoutNullStreams, listener: ServerListener) {
    this.#child = child;
    this.#listener = listener;
    const splitter = new LineSplitter();
    child.stdout.on('data', (text: string) => {
      for (const line of splitter.push(text)) this.#take(JSON.parse(line) as TraceReply);
    });
    child.stderr.on('data', (text: string) => listener.onSaid(text));
    child.once('close', (code, signal) => this.#close(signal ?? `exit code ${String(code)}`));
  }

  ask(request: TraceCall['request']): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(clientErrors.died(this.#ended));
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = deferred<unknown>();
    this.#pending.set(id, answer);
    const call: TraceCall = { id, request };
    this.#child.stdin.write(`${JSON.stringify(call)}\n`);
    return answer.promise;
  }

  end(): void {
    this.#child.stdin.end();
  }

  #take(reply: TraceReply): void {
    if ('notice' in reply) {
      this.#listener.onChanged(reply.trace);
      return;
    }
    const answer = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('error' in reply) answer?.reject(errorOf(reply.error));
    else answer?.resolve(reply.result);
  }

  #close(how: string): void {
    this.#ended = how;
    for (const answer of this.#pending.values()) answer.reject(clientErrors.died(how));
    this.#pending.clear();
    this.#listener.onEnded(how);
  }
}

function errorOf(report: ErrorReport): CodedError {
  return new CodedError(report);
}
