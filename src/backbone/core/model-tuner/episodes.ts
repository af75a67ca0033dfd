import { CancellationSource } from '../../../base/core/cancellation.ts';
import type { CodedError } from '../../../base/core/errors.ts';
import type { EpisodeRouting } from '../../../tracking/core/records/episodeResult.ts';
import type { AgentOptions } from '../../../sdk/core/index.ts';
import { ApiMemory } from './apis/api.ts';
import { decodeApiKey, encodeApiKey } from './apiKey.ts';
import type { FinishedCall, ContextGuard } from './call.ts';
import { failures } from './failures.ts';
import type { ModelFailure } from './model.ts';
import { RouteCounts, type Targets } from './routing.ts';

export interface EpisodeOptions {
  /** Must not be guessable: it authorizes calls of the episode. */
  readonly episodeUuid: string;
  /** Position in the run, from 0. */
  readonly episode: number;
  /** Seed of the episode's samples. */
  readonly seed: number;
  /** The `episode_address` in the key. */
  readonly address: string;
  /** Checks each call to the model being trained. Without it, no call is checked. */
  readonly guard?: ContextGuard;
}

/** An episode of a run at the gateway. */
export class Episode {
  readonly options: EpisodeOptions;
  readonly end = new CancellationSource();
  readonly routes = new RouteCounts();
  readonly memory = new ApiMemory();
  targets: Targets = null;
  /** Number of calls that the model being trained has answered. */
  llmCalls = 0;
  /** The failure of the last finished call, for the user; undefined if it was answered. */
  failure: CodedError | undefined;
  /** True if any call so far was unsafe: upstream's `context_overflow`. */
  contextOverflow = false;
  #begun = 0;

  constructor(options: EpisodeOptions) {
    this.options = options;
  }

  /** Undefined if every call so far was for a trained target. */
  get routing(): EpisodeRouting | undefined {
    return this.routes.routing;
  }

  /** Sets the targets that the episode trains. Default: all. */
  trainOnly(targets: Targets): void {
    this.targets = targets;
  }

  apiKeyFor(agent: Required<AgentOptions>): string {
    const { episodeUuid, address } = this.options;
    return encodeApiKey({ ...agent, episodeUuid, episodeAddress: address });
  }

  /** Cancels the calls in flight. The keys of the episode are rejected from now on. */
  close(): void {
    this.end.cancel();
    this.memory.clear();
  }

  nextCall(): number {
    return this.#begun++;
  }

  finished(call: FinishedCall): void {
    const isModels = call.debugModel === null && call.canned === null;
    if (call.failure === undefined && isModels) this.llmCalls++;
    this.failure = call.failure?.report;
  }
}

/** An episode's access to the model. */
export type EpisodeHandle = Readonly<
  Pick<Episode, 'llmCalls' | 'failure' | 'routing' | 'contextOverflow' | 'trainOnly' | 'apiKeyFor' | 'close'>
>;

export interface Caller {
  readonly episode: Episode;
  readonly agentName: string;
  readonly targetTag: string;
}

export function authenticate(
  headers: Readonly<Record<string, string>>,
  episodes: ReadonlyMap<string, Episode>,
): Caller | { failure: ModelFailure } {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers['authorization'] ?? '')?.[1];
  // Anthropic's clients send x-api-key. As in upstream, the bearer token wins.
  const keys = [bearer, headers['x-api-key']].filter((key) => key !== undefined);
  if (keys.length === 0) return { failure: failures.missingKey() };
  const content = keys.map(decodeApiKey).find((decoded) => decoded !== undefined);
  if (content === undefined) return { failure: failures.garbledKey() };
  const episode = episodes.get(content.episodeUuid);
  if (episode === undefined) return { failure: failures.unknownEpisode() };
  if (episode.end.token.isCancelled) return { failure: failures.closedEpisode() };
  return { episode, agentName: content.agentName, targetTag: content.targetTag };
}
