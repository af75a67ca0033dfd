import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ClientRequest } from 'node:http';
import {
  asksForText,
  OutsideTally,
  type EpisodeWatch,
  type SentRequest,
} from '../backbone/model-tuner/outsideCalls.ts';
import type { Location } from '../base/errors.ts';

/** To which episode's code it belongs what runs. */
const watched = new AsyncLocalStorage<EpisodeWatch>();

/** Runs what is this program's own doing although code of an episode's led to it, such as asking the model's endpoint. */
export function notOfAnEpisode<T>(work: () => T): T {
  return watched.exit(work);
}

/**
 * Watches the requests of this process, `fetch` and `node:http` alike, for LLM calls that a workflow makes around the
 * tuner. It reads method, host and path, and changes nothing; what other processes send it does not see.
 */
export class OutsideWatch {
  readonly #ownOrigin: string;
  readonly #userFrame: (error: unknown) => Location | undefined;
  readonly #tallies = new WeakMap<EpisodeWatch, OutsideTally>();

  /** @param ownBaseUrl the tuner's, requests to which are not outside */
  constructor(ownBaseUrl: string, userFrame: (error: unknown) => Location | undefined) {
    this.#ownOrigin = new URL(ownBaseUrl).origin;
    this.#userFrame = userFrame;
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

  readonly #channels = [
    ['undici:request:create', (message: unknown) => this.#see(sentByFetch(message))],
    ['http.client.request.created', (message: unknown) => this.#see(sentByHttp(message))],
  ] as const;

  #see(request: SentRequest | undefined): void {
    const watch = watched.getStore();
    const tally = watch && this.#tallies.get(watch);
    if (tally === undefined || request === undefined || !asksForText(request)) return;
    if (request.origin !== this.#ownOrigin) tally.add(request, this.#userFrame(deepStack()));
  }
}

/** What clients put between the user's code and the request is more than the usual ten frames. */
const frames = 60;

function deepStack(): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = frames;
  try {
    return new Error('a request');
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function sentByFetch(message: unknown): SentRequest | undefined {
  const { request } = message as { readonly request?: Partial<Record<keyof SentRequest, unknown>> };
  const { method, origin, path } = request ?? {};
  if (typeof method !== 'string' || typeof path !== 'string') return undefined;
  return { method, origin: String(origin), path: withoutQuery(path) };
}

function sentByHttp(message: unknown): SentRequest | undefined {
  const { request } = message as { readonly request?: unknown };
  if (!(request instanceof ClientRequest)) return undefined;
  const { method, protocol, path } = request;
  const host = request.getHeader('host');
  const origin = `${protocol}//${typeof host === 'string' ? host : request.host}`;
  return { method, origin, path: withoutQuery(path) };
}

function withoutQuery(path: string): string {
  return path.split('?', 1)[0] ?? '';
}
