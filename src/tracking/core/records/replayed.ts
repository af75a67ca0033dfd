import type { EpisodeResult } from './episodeResult.ts';
import type { TracedCall, TracedEpisode, TracedMessage } from './trace.ts';
import type { StoredRun, TracedLaunch } from './tracedRun.ts';

/** A recorded message. Traces do not keep images and unknown parts. */
export type ReplayedMessage = Pick<TracedMessage, 'role' | 'text' | 'toolCalls' | 'toolCallId'>;

/** A recorded call, used to answer an equal call again. */
export interface ReplayedCall extends Omit<TracedCall, 'messages' | 'reply' | 'tag' | 'source'> {
  readonly tag: string;
  readonly messages: readonly ReplayedMessage[];
  /** Null: the call failed. */
  readonly reply:
    | (ReplayedMessage & {
        /** The generated tokens. Null: the endpoint reported none. */
        readonly tokens:
          | readonly { readonly id: number; readonly bytes: Uint8Array; readonly logprob: number | null }[]
          | null;
      })
    | null;
}

export interface ReplayedEpisode
  extends Omit<TracedEpisode, 'uuid' | 'query' | 'startedAt'>, Pick<EpisodeResult, 'reward' | 'isSuccess'> {
  /** The number of earlier episodes with the same task id and repeat. */
  readonly twin: number;
  readonly calls: readonly ReplayedCall[];
  /** The prompts of a rollout, used to find its task if the task id is unknown. */
  readonly prompts: readonly string[];
}

/** A trace that is used as a recording. */
export interface ReplayedRun extends Pick<StoredRun, 'config' | 'model' | 'startedAt' | 'tasks' | 'repeat'> {
  /** Null: an earlier version wrote the trace. */
  readonly seed: number | null;
  readonly launch: TracedLaunch | null;
  /** True if training wrote it. Then it has no original requests and no config. */
  readonly isRollout: boolean;
  readonly isLogged: boolean;
  readonly episodes: readonly ReplayedEpisode[];
}
