import { CancellationSource } from '../../../base/core/cancellation.ts';
import type { CodedError } from '../../../base/core/errors.ts';
import type { EpisodeRouting } from '../../../tracking/core/records/episodeResult.ts';
import type { AgentOptions } from '../../../sdk/core/index.ts';
import { ApiMemory } from './apis/memory.ts';
import { decodeApiKey, encodeApiKey } from './apiKey.ts';
import type { FinishedCall } from './call.ts';
import type { ContextGuard } from './contextGuard.ts';
import { failures } from './failures.ts';
import type { ModelFailure } from './model.ts';
import { RouteCounts, type Targets } from './routing.ts';

export interface EpisodeOptions {
  /** Must not be guessable: whoever knows it can make calls of the episode. */
  readonly episodeUuid: string;
  /** Position in the run, from 0. */
  readonly episode: number;
  /** Tells the episode's samples from those of others; equal seeds give equal samples. */
  readonly seed: number;
  /** For the key's `episode_address`: where the episode is served. */
  readonly address: string;
  /** Checks each call to the model being trained; absent: the model is asked in any case. */
  readonly guard?: ContextGuard;
}

/** An episode's access to the model. */
export interface EpisodeHandle {
  /** Calls answered so far by the model being trained. */
  readonly llmCalls: number;
  /** What the last finished call failed with, told to the person who runs it; undefined when it was answered. */
  readonly failure: CodedError | undefined;
  /** Undefined: every call so far was for a target that is trained. */
  readonly routing: EpisodeRouting | undefined;
  /** Whether a call so far was not safe, for whatever reason: upstream's `context_overflow`. */
  readonly contextOverflow: boolean;
  /** Which targets the episode trains; until told, all. */
  trainOnly(targets: Targets): void;
  apiKeyFor(agent: Required<AgentOptions>): string;
  /** From here on the episode's keys are refused; calls in flight are cancelled. */
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

/** Who makes a call. */
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
  // Anthropic's clients; the other wins where both name an episode, as upstream has it.
  const keys = [bearer, headers['x-api-key']].filter((key) => key !== undefined);
  if (keys.length === 0) return { failure: failures.missingKey() };
  const content = keys.map(decodeApiKey).find((decoded) => decoded !== undefined);
  if (content === undefined) return { failure: failures.garbledKey() };
  const episode = episodes.get(content.episodeUuid);
  if (episode === undefined) return { failure: failures.unknownEpisode() };
  if (episode.end.token.isCancelled) return { failure: failures.closedEpisode() };
  return { episode, agentName: content.agentName, targetTag: content.targetTag };
}
