import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import {
  createMessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import type { Disposable } from '../../../base/core/disposable.ts';
import { Emitter } from '../../../base/core/event.ts';
import type { Clock, Logger } from '../../../base/core/ports.ts';
import {
  changedNotification,
  changedParams,
  type ParamsOf,
  type TraceMethod,
} from '../../core/protocol/traceRpc.ts';
import type { ResultOf, TraceClient } from '../../core/methods.ts';
import { deferred } from '../../../base/node/process/deferred.ts';
import { reportedError } from '../../../base/node/rpcErrors.ts';
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

  async ask<M extends TraceMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    if (!this.#isNeeded(method, params)) return null as ResultOf<M>;
    const server = await this.#connect();
    return server.ask(method, params);
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
      server.ask('watch', { trace }).catch(() => undefined); // it died: the next server gets the request again
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

/** The connection to one server process. */
class ServerConnection {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #rpc: MessageConnection;
  /** How the process ended. */
  readonly #ended = deferred<string>();

  constructor(child: ChildProcessWithoutNullStreams, listener: ServerListener) {
    this.#child = child;
    this.#rpc = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    this.#rpc.onNotification(changedNotification, (params: unknown) => {
      listener.onChanged(changedParams.parse(params).trace);
    });
    this.#rpc.listen();
    child.stderr.on('data', (text: string) => listener.onSaid(text));
    child.once('close', (code, signal) => {
      const how = signal ?? `exit code ${String(code)}`;
      this.#ended.resolve(how);
      this.#rpc.dispose();
      listener.onEnded(how);
    });
  }

  /** Rejects with the error that the server reports, or with `trace/server-died`. */
  async ask<M extends TraceMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>> {
    try {
      // The server is of the same version: its table of methods defines the result.
      return await this.#rpc.sendRequest<ResultOf<M>>(method, params);
    } catch (error) {
      throw reportedError(error) ?? clientErrors.died(await this.#ended.promise);
    }
  }

  end(): void {
    this.#child.stdin.end();
  }
}
