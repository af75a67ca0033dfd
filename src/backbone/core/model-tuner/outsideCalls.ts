import type { Location } from '../../../base/core/errors.ts';
import type { OutsideCalls } from '../../../tracking/core/records/episodeResult.ts';

/** Observes the LLM calls of an episode that do not go through the tuner. */
export interface EpisodeWatch {
  /** Runs code of the episode. Asynchronous work that it starts belongs to the episode too. */
  run<T>(work: () => T): T;
  list(): readonly OutsideCalls[];
}

/** A request that the code of an episode sent directly. */
export interface OutsideRequest {
  readonly method: string;
  /** e.g. `https://api.example.com`. */
  readonly origin: string;
  /** Without the query string, which may contain a key. */
  readonly path: string;
}

/** The paths of LLM requests: OpenAI's three, Anthropic's, Ollama's and Google's. */
const textPaths =
  /(?:\/(?:chat\/)?completions|\/responses|\/v1\/messages|\/api\/(?:chat|generate)|:(?:stream)?generateContent)$/i;

export function isLlmRequest({ method, path }: OutsideRequest): boolean {
  return method === 'POST' && textPaths.test(path);
}

/** Counts the LLM calls outside of the tuner by host and source line, in the order of the first call. */
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
