import { backoff, type BackoffLimits } from '../../../base/core/backoff.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { Disposable } from '../../../base/core/disposable.ts';
import { hasCode, messageOf, toReport } from '../../../base/core/errors.ts';
import { Emitter } from '../../../base/core/event.ts';
import type { Clock } from '../../../base/core/ports.ts';
import {
  type HostMethod,
  type HostNotice,
  type HostNotices,
  type HostParams,
  type HostResults,
  hostNotices,
} from '../protocol/hostRpc.ts';
import { closeCodes, rpcFromHost, wireLimits, wireVersions } from '../protocol/wire.ts';
import type { ByteSource, ConnectionState, CloseReason, Dial, WireSocket } from '../contracts.ts';
import { wireErrors } from './failures.ts';
import { RunFollowers, type FollowOptions } from './follows.ts';
import { Requests } from './requests.ts';
import { Transfers, type DownloadRequest, type UploadRequest } from './transfers.ts';

export interface ClientOptions {
  readonly dial: Dial;
  readonly clock: Pick<Clock, 'after' | 'monotonic' | 'now'>;
  /** Returns a number from 0 to 1. It spreads the reconnects of clients that lost the same host. */
  readonly random: () => number;
  readonly client: { readonly name: string; readonly version: string };
  /** Pauses before reconnects, in milliseconds. */
  readonly delays?: BackoffLimits;
}

/** Notices with listeners. Events of runs go to their followers. */
type Notice = Exclude<HostNotice, 'run.events'>;
/** Milliseconds after which a connection counts as good, and delays start short again. */
const goodConnection = 5_000;

/**
 * A connection to a host that survives network failures. Requests that only read, and followers, are repeated on the
 * next connection. A request that changes something rejects with `host/connection-lost`.
 */
export class ClientConnection implements Disposable {
  readonly #options: ClientOptions;
  readonly #requests = new Requests();
  readonly #follows = new RunFollowers(this.#requests);
  readonly #transfers: Transfers;
  readonly #states = new Emitter<ConnectionState>();
  readonly #notices = new Map<Notice, Emitter<never>>();
  #state: ConnectionState = { kind: 'connecting', attempt: 1 };
  #socket: WireSocket | undefined;
  /** The first request of a connection; undefined once it is answered. */
  #hello: Requests | undefined;
  /** Counts sockets, so that messages of an old one are ignored. */
  #dials = 0;
  #attempt = 0;
  #connectedAt = 0;
  #retry: Disposable | undefined;
  /** The time limit for the answer to the hello. */
  #patience: Disposable | undefined;
  #watches = false;
  readonly onState = this.#states.event;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#transfers = new Transfers({
      requests: this.#requests,
      socket: () => (this.#state.kind === 'connected' ? this.#socket : undefined),
      connected: (cancellation) => whenConnected(this, cancellation),
    });
    this.#dial();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Sends a request. Rejects with a `CodedError` made from the host's report. */
  async ask<M extends HostMethod>(
    method: M,
    params: HostParams<M>,
    cancellation?: CancellationToken,
  ): Promise<HostResults[M]> {
    if (this.#state.kind === 'ended') throw wireErrors.ended(this.#state.reason, this.#state.hint);
    if (method === 'run.watch') this.#watches = true;
    return this.#requests.ask(method, params, { cancellation });
  }

  on<N extends Notice>(notice: N, listener: (params: HostNotices[N]) => void): Disposable {
    const known = this.#notices.get(notice) as Emitter<HostNotices[N]> | undefined;
    const emitter = known ?? new Emitter<HostNotices[N]>();
    this.#notices.set(notice, emitter as unknown as Emitter<never>);
    return emitter.event(listener);
  }

  /** Yields every event after `after` once, in order, across connections. Ends with the run's final state. */
  follow(
    run: string,
    options: FollowOptions,
    cancellation: CancellationToken,
  ): AsyncIterable<HostNotices['run.events']['events']> {
    const events = this.#follows.follow(run, options, cancellation);
    if (this.#state.kind === 'ended')
      this.#follows.failAll(wireErrors.ended(this.#state.reason, this.#state.hint));
    return events;
  }

  /** Uploads `source` to the host. Resolves once the host has stored it. */
  upload(request: UploadRequest, source: ByteSource, cancellation: CancellationToken): Promise<void> {
    return this.#transfers.upload(request, source, cancellation);
  }

  download(request: DownloadRequest, cancellation: CancellationToken): Promise<ByteSource> {
    return this.#transfers.download(request, cancellation);
  }

  retryNow(): void {
    if (this.#state.kind !== 'waiting') return;
    this.#retry?.dispose();
    this.#dial();
  }

  dispose(): void {
    if (this.#state.kind === 'ended') return;
    const socket = this.#socket;
    this.#over({ reason: 'The connection was closed.', isFinal: true });
    socket?.close(1000, 'done');
  }

  #dial(): void {
    this.#attempt += 1;
    this.#dials += 1;
    const dial = this.#dials;
    const isNow = (): boolean => dial === this.#dials && this.#state.kind !== 'ended';
    this.#set({ kind: 'connecting', attempt: this.#attempt });
    this.#socket = this.#options.dial({
      opened: () => {
        if (isNow()) this.#greet();
      },
      text: (text) => {
        if (isNow()) this.#guard(() => this.#text(text));
      },
      bytes: (frame) => {
        if (isNow() && !this.#transfers.take(frame)) this.#drop('it sent bytes outside a transfer');
      },
      closed: (why) => {
        if (isNow()) this.#over(why);
      },
    });
  }

  #greet(): void {
    const socket = this.#socket;
    if (socket === undefined) return;
    const { client } = this.#options;
    // Sent before all other requests. They follow once it is answered.
    const hello = new Requests();
    this.#hello = hello;
    this.#patience = this.#options.clock.after(wireLimits.hello * 1_000, () => {
      if (this.#hello === hello) this.#drop('it does not respond to the hello');
    });
    hello.connected((text) => socket.sendText(text));
    hello.ask('hello', { versions: wireVersions, client }).then(
      (answer) => this.#greeted(socket, answer),
      (error: unknown) => {
        if (this.#socket !== socket) return;
        const isVersion = hasCode(error, 'host/version');
        const { message, hint } = toReport(error, 'host/hello');
        this.#over({ reason: message, isFinal: isVersion, hint });
        socket.close(closeCodes.malformed, 'no hello');
      },
    );
  }

  #greeted(socket: WireSocket, hello: HostResults['hello']): void {
    if (this.#socket !== socket || this.#state.kind === 'ended') return;
    this.#hello = undefined;
    this.#patience?.dispose();
    this.#connectedAt = this.#options.clock.monotonic();
    this.#set({ kind: 'connected', hello });
    if (this.#watches) this.#requests.ask('run.watch', {}, { first: true }).catch(() => undefined);
    this.#requests.connected((text) => socket.sendText(text));
    this.#follows.connected();
  }

  #text(text: string): void {
    const parsed = rpcFromHost.safeParse(JSON.parse(text));
    if (!parsed.success) throw wireErrors.badAnswer('a request', 'it is not a JSON-RPC 2.0 message');
    const message = parsed.data;
    if (!('method' in message)) (this.#hello ?? this.#requests).answered(message);
    else if (message.method === 'run.events') this.#follows.take(message.params);
    else if (Object.hasOwn(hostNotices, message.method))
      this.#notice(message.method as Notice, message.params);
  }

  #notice(notice: Notice, json: unknown): void {
    const params = hostNotices[notice].safeParse(json);
    if (!params.success) throw wireErrors.badAnswer(notice, 'its parameters are invalid');
    if ('transfer' in params.data) this.#transfers.ended(params.data.transfer, params.data.error);
    else if (notice === 'follow.ended') {
      const { run, error } = params.data as HostNotices['follow.ended'];
      this.#follows.fail(run, wireErrors.report(error));
    }
    this.#notices.get(notice)?.fire(params.data as never);
  }

  /** Reconnects if a message cannot be read: the fault may be the connection's. */
  #guard(read: () => void): void {
    try {
      read();
    } catch (error) {
      this.#drop(messageOf(error));
    }
  }

  #drop(reason: string): void {
    const socket = this.#socket;
    this.#over({ reason: `The connection to the host was closed: ${reason}`, isFinal: false });
    socket?.close(closeCodes.malformed, 'malformed');
  }

  #over({ reason, isFinal, isBusy, hint, lacks }: CloseReason): void {
    const wasGood =
      this.#state.kind === 'connected' &&
      this.#options.clock.monotonic() - this.#connectedAt >= goodConnection;
    if (wasGood) this.#attempt = 0;
    this.#dials += 1;
    this.#socket = undefined;
    this.#hello = undefined;
    this.#patience?.dispose();
    this.#retry?.dispose();
    this.#follows.disconnected();
    this.#transfers.disconnected();
    this.#requests.disconnected();
    if (isFinal) {
      const error = wireErrors.ended(reason, hint);
      this.#set({ kind: 'ended', reason, hint, lacks });
      this.#requests.rejectAll(error);
      this.#follows.failAll(error);
      return;
    }
    const { clock, random, delays = { first: 500, most: 30_000 } } = this.#options;
    const delay = backoff(Math.max(1, this.#attempt), delays) * (0.5 + random() / 2);
    // Before listeners are called, because they may close the connection.
    this.#retry = clock.after(delay, () => this.#dial());
    this.#set({ kind: 'waiting', reason, retryAt: clock.now() + delay, ...(isBusy === true && { isBusy }) });
  }

  #set(state: ConnectionState): void {
    this.#state = state;
    this.#states.fire(state);
  }
}

/** Resolves once there is a connection. Rejects when the connection has ended or on cancellation. */
export function whenConnected(
  connection: Pick<ClientConnection, 'state' | 'onState'>,
  cancellation: CancellationToken,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const listening: Disposable[] = [];
    const settle = (finish: () => void): void => {
      for (const one of listening) one.dispose();
      finish();
    };
    const look = (state: ConnectionState): boolean => {
      if (state.kind === 'connected') settle(resolve);
      else if (state.kind === 'ended') settle(() => reject(wireErrors.ended(state.reason, state.hint)));
      return state.kind === 'connected' || state.kind === 'ended';
    };
    if (look(connection.state)) return;
    listening.push(connection.onState(look));
    listening.push(cancellation.onCancelled(() => settle(() => reject(wireErrors.cancelled('connect')))));
  });
}
