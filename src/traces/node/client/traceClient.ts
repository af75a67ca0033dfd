import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
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
import { reportedError } from '../../../base/node/rpcErrors.ts';
import { clientErrors } from './errors.ts';
import { endServer, type SpawnTraceServer } from './serverProcess.ts';

export interface TraceClientParts {
  readonly spawn: SpawnTraceServer;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface ServerConnection {
  /** Rejects with the error that the server reports, or with `trace/server-died`. */
  ask<M extends TraceMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
  end(): void;
}

/** Milliseconds. A server that dies sooner is not restarted automatically, to avoid an endless loop. */
const healthyAge = 2000;

/** Milliseconds without an answer after which a server is killed. A hostile trace can make a query endless. */
const longestAnswer = 120_000;

/**
 * Sends requests to a trace server over its standard streams. The first request starts the server, and the first
 * request after a crash restarts it. Several viewers can share this client. Each can watch a trace, and its watch
 * survives a restart.
 */
export class StdioTraceClient implements TraceClient, Disposable {
  readonly #parts: TraceClientParts;
  readonly #changed = new Emitter<string>();
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

  /** Counts watches. The server only needs the first watch and the last unwatch of a trace. */
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
    const rpc = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    rpc.onNotification(changedNotification, (params: unknown) => {
      this.#changed.fire(changedParams.parse(params).trace);
    });
    rpc.listen();
    child.stderr.on('data', (text: string) => logger.log('warn', `Trace server: ${text.trimEnd()}`));
    const closed = new Promise<string>((resolve) => {
      child.once('close', (code, signal) => resolve(signal ?? `exit code ${String(code)}`));
    });
    const ended = closed.then((how) => {
      rpc.dispose();
      this.#server = undefined;
      if (this.#disposed) return how;
      logger.log('warn', `The trace server ended: ${how}.`);
      // The listeners send requests again, which restarts the server.
      if (clock.monotonic() - startedAt >= healthyAge)
        for (const trace of [...this.#watches.keys()]) this.#changed.fire(trace);
      return how;
    });
    let pending = 0;
    let isLate = false;
    let limit: Disposable | undefined;
    const count = (change: 1 | -1): void => {
      pending += change;
      if (pending > 1 && change === 1) return; // the others wait for the first
      limit?.dispose();
      limit = pending === 0 ? undefined : clock.after(longestAnswer, () => (isLate = child.kill('SIGKILL')));
    };
    const server: ServerConnection = {
      ask: async <M extends TraceMethod>(method: M, params: ParamsOf<M>) => {
        count(1);
        try {
          // The server is of the same version: its table of methods defines the result.
          return await rpc.sendRequest<ResultOf<M>>(method, params);
        } catch (error) {
          throw (
            reportedError(error) ??
            clientErrors.died((await ended) + (isLate ? `, after ${longestAnswer / 1_000} seconds` : ''))
          );
        } finally {
          count(-1);
        }
      },
      end: () => endServer(child),
    };
    if (this.#disposed) server.end();
    for (const trace of watchedBefore) {
      server.ask('watch', { trace }).catch(() => undefined); // it died: the next server gets the request again
    }
    return server;
  }
}
