import type { TracedCall, TracedMessage } from './trace.ts';
import type { TracedLaunch } from './tracedRun.ts';

/** A message as a trace has it for who asks again: images and unknown parts are not kept. */
export type ReplayedMessage = Pick<TracedMessage, 'role' | 'text' | 'toolCalls' | 'toolCallId'>;

/** What a trace has of a call, to answer it once more. */
export interface ReplayedCall extends Omit<TracedCall, 'messages' | 'reply' | 'tag' | 'source'> {
  readonly tag: string;
  readonly messages: readonly ReplayedMessage[];
  /** Null: it was not answered. */
  readonly reply:
    | (ReplayedMessage & {
        /** Those that the model made; null: the endpoint told none. */
        readonly tokens:
          | readonly { readonly id: number; readonly bytes: Uint8Array; readonly logprob: number | null }[]
          | null;
      })
    | null;
}

export interface ReplayedEpisode {
  readonly episode: number;
  readonly taskId: string;
  readonly taskIndex: number;
  readonly repeat: number;
  /** How many episodes before it have a task of the same id, and the same repeat. */
  readonly twin: number;
  readonly reward: number | null;
  readonly isSuccess: boolean;
  readonly calls: readonly ReplayedCall[];
  /** Of a rollout, what its model was told: by that a task is found whose id is not known. */
  readonly told: readonly string[];
}

/** A trace in the place of a recording. */
export interface ReplayedRun {
  readonly config: string;
  readonly model: string;
  readonly startedAt: number;
  readonly tasks: number;
  readonly repeat: number;
  /** Null: the trace is of a version that did not keep them. */
  readonly seed: number | null;
  readonly launch: TracedLaunch | null;
  /** Whether training wrote it: it has no requests as they were, and names no config. */
  readonly isRollout: boolean;
  /** Of rollouts, whether AgentJet has logged them: with the ids that tasks have in the data set, and rounded rewards. */
  readonly isLogged: boolean;
  readonly episodes: readonly ReplayedEpisode[];
}
