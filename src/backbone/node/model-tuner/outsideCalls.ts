import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ClientRequest, type IncomingMessage } from 'node:http';
import {
  isLlmRequest,
  OutsideTally,
  type EpisodeWatch,
  type OutsideRequest,
} from '../../core/model-tuner/outsideCalls.ts';
import { sourceHeader, sourceText } from '../../core/model-tuner/callSource.ts';
import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { Location } from '../../../base/core/errors.ts';
import { sendHttp, type HttpMessage } from '../../../base/node/http.ts';
import type { CallSource } from '../../../tracking/core/records/trace.ts';
import { deepStack } from '../loader/stack.ts';

const watched = new AsyncLocalStorage<EpisodeWatch>();

/** Runs work of this program that an episode's code caused, such as the request to the model's endpoint. */
export function runOutsideEpisodes<T>(work: () => T): T {
  return watched.exit(work);
}

/** Sends a request for the program itself. See `sendHttp`. */
export function post(message: HttpMessage, cancellation: CancellationToken): Promise<IncomingMessage> {
  return runOutsideEpisodes(() => sendHttp(message, cancellation));
}

export interface UserStacks {
  userFrame(error: unknown): Location | undefined;
  callSource(): CallSource | undefined;
}

/**
 * Watches requests of this process by `fetch` and `node:http` for LLM calls outside of the tuner. It only reads
 * method, host and path. It does not see other processes. Requests to the tuner get a header with the line of the
 * calling code.
 */
export class OutsideWatch {
  readonly #ownOrigin: string;
  readonly #stacks: UserStacks;
  readonly #tallies = new WeakMap<EpisodeWatch, OutsideTally>();

  /** @param ownBaseUrl the tuner's URL. Requests to it are not outside calls. */
  constructor(ownBaseUrl: string, stacks: UserStacks) {
    this.#ownOrigin = new URL(ownBaseUrl).origin;
    this.#stacks = stacks;
    for (const [channel, listener] of this.#channels) subscribe(channel, listener);
  }

  openEpisode(): EpisodeWatch {
    const tally = new OutsideTally();
    const watch: EpisodeWatch = {
      run: (work) => watched.run(watch, work),
      list: () => tally.list(),
    };
    this.#tallies.set(watch, tally);
    return watch;
  }

  close(): void {
    for (const [channel, listener] of this.#channels) unsubscribe(channel, listener);
  }

  #reportSource(request: SeenRequest): void {
    const source = this.#stacks.callSource();
    if (source !== undefined) request.setHeader(sourceHeader, sourceText(source));
  }

  readonly #channels = [
    ['undici:request:create', (message: unknown) => this.#see(sentByFetch(message))],
    ['http.client.request.created', (message: unknown) => this.#see(sentByHttp(message))],
  ] as const;

  #see(request: SeenRequest | undefined): void {
    const watch = watched.getStore();
    const tally = watch && this.#tallies.get(watch);
    if (tally === undefined || request === undefined) return;
    if (request.origin === this.#ownOrigin) this.#reportSource(request);
    else if (isLlmRequest(request)) tally.add(request, this.#stacks.userFrame(deepStack()));
  }
}

interface SeenRequest extends OutsideRequest {
  /** Sets a header. The request is not sent yet. */
  setHeader(name: string, value: string): void;
}

function sentByFetch(message: unknown): SeenRequest | undefined {
  const { request } = message as {
    readonly request?: Partial<Record<keyof OutsideRequest, unknown>> & {
      /** Documented for this channel. */
      addHeader?(name: string, value: string): void;
    };
  };
  const { method, origin, path } = request ?? {};
  if (typeof method !== 'string' || typeof path !== 'string') return undefined;
  const setHeader: SeenRequest['setHeader'] = (name, value) => request?.addHeader?.(name, value);
  return { method, origin: String(origin), path: withoutQuery(path), setHeader };
}

function sentByHttp(message: unknown): SeenRequest | undefined {
  const { request } = message as { readonly request?: unknown };
  if (!(request instanceof ClientRequest)) return undefined;
  const { method, protocol, path } = request;
  const host = request.getHeader('host');
  const origin = `${protocol}//${typeof host === 'string' ? host : request.host}`;
  const setHeader: SeenRequest['setHeader'] = (name, value) => {
    // Headers that the caller has already written cannot change.
    if (!request.headersSent) request.setHeader(name, value);
  };
  return { method, origin, path: withoutQuery(path), setHeader };
}

function withoutQuery(path: string): string {
  return path.split('?', 1)[0] ?? '';
}
