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

/** An episode's access to the model. */
export interface EpisodeHandle {
  /** Number of calls that the model being trained has answered. */
  readonly llmCalls: number;
  /** The failure of the last finished call, for the user; undefined if it was answered. */
  readonly failure: CodedError | undefined;
  /** Undefined if every call so far was for a trained target. */
  readonly routing: EpisodeRouting | undefined;
  /** True if any call so far was unsafe: upstream's `context_overflow`. */
  readonly contextOverflow: boolean;
  /** Sets the targets that the episode trains. Default: all. */
  trainOnly(targets: Targets): void;
  apiKeyFor(agent: Required<AgentOptions>): string;
  /** Cancels the calls in flight. The keys of the episode are rejected from now on. */
  close(): void;
}

export class Episode implements EpisodeHandle {
  readonly options: EpisodeOptions;
  readonly end = new CancellationSource();
  readonly routes = new RouteCounts();
  readonly memory = new ApiMemory();
  #targets: Targets = null;
  #begun = 0;
  #answered = 0;
  #failure: CodedError | undefined;
  #contextOverflow = false;

  constructor(options: EpisodeOptions) {
    this.options = options;
  }

  get llmCalls(): number {
    return this.#answered;
  }

  get failure(): CodedError | undefined {
    return this.#failure;
  }

  get targets(): Targets {
    return this.#targets;
  }

  get routing(): EpisodeRouting | undefined {
    return this.routes.routing;
  }

  get contextOverflow(): boolean {
    return this.#contextOverflow;
  }

  notSafe(): void {
    this.#contextOverflow = true;
  }

  trainOnly(targets: Targets): void {
    this.#targets = targets;
  }

  apiKeyFor(agent: Required<AgentOptions>): string {
    return encodeApiKey({
      agentName: agent.agentName,
      targetTag: agent.targetTag,
      episodeUuid: this.options.episodeUuid,
      episodeAddress: this.options.address,
    });
  }

  close(): void {
    this.end.cancel();
    this.memory.clear();
  }

  nextCall(): number {
    return this.#begun++;
  }

  finished(call: FinishedCall): void {
    const isModels = call.debugModel === null && call.canned === null;
    if (call.failure === undefined && isModels) this.#answered++;
    this.#failure = call.failure?.report;
  }
}

/** The agent that makes a call. */
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
