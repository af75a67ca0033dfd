import type { Location } from '../../../base/core/errors.ts';
import type { OutsideCalls } from '../../../tracking/core/records/episodeResult.ts';

/** Sees the LLM calls that an episode's code makes elsewhere than through the tuner. */
export interface EpisodeWatch {
  /** Runs code of the episode's; what it begins belongs to the episode, too. */
  run<T>(work: () => T): T;
  /** Those calls so far. */
  list(): readonly OutsideCalls[];
}

/** A request that code of an episode's sent by itself. */
export interface OutsideRequest {
  readonly method: string;
  /** e.g. `https://api.example.com`. */
  readonly origin: string;
  /** Without what follows a `?`, which may hold a key. */
  readonly path: string;
}

/** How LLM servers are asked for text: OpenAI's three ways, Anthropic's, Ollama's and Google's. */
const textPaths =
  /(?:\/(?:chat\/)?completions|\/responses|\/v1\/messages|\/api\/(?:chat|generate)|:(?:stream)?generateContent)$/i;

export function isLlmRequest({ method, path }: OutsideRequest): boolean {
  return method === 'POST' && textPaths.test(path);
}

/** LLM calls of an episode that did not go through the tuner, counted by host and place in the order of the first. */
export class OutsideTally {
  readonly #counted = new Map<string, OutsideCalls>();

  add({ origin }: OutsideRequest, location: Location | undefined): void {
    const host = URL.parse(origin)?.host ?? origin;
    const key = JSON.stringify([host, location?.file, location?.line]);
    const calls = (this.#counted.get(key)?.calls ?? 0) + 1;
    this.#counted.set(key, { host, calls, ...(location && { location }) });
  }

  list(): readonly OutsideCalls[] {
    return [...this.#counted.values()];
  }
}
