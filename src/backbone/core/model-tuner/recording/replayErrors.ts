import { CodedError } from '../../../../base/core/errors.ts';
import type { CallIdentity, ModelFailure } from '../model.ts';
import type { Divergence } from './divergence.ts';
import { formatEpisode, type EpisodeName } from './episodeNames.ts';

/** A request without an answer in the recording. */
export interface ReplayMiss {
  readonly episode: EpisodeName;
  readonly call: CallIdentity;
  /** Number of recorded calls of the episode, of all agents. */
  readonly recorded: number;
  /** The difference from the expected call; undefined if there was none left. */
  readonly divergence: Divergence | undefined;
}

const goOn =
  'Undo the change of the request. Or use --on-replay-miss call-model (the model answers from there on) or ' +
  '--on-replay-miss sequential (the agent gets its next recorded answer) (launch.json: onReplayMiss).';

/** Returns a failure that clients do not retry. The user sees it as `replay/…`. */
export function missFailure(miss: ReplayMiss): ModelFailure {
  const report = missReport(miss);
  return {
    status: 422,
    error: {
      message: `${report.message} ${report.hint ?? ''}`.trim(),
      type: 'invalid_request_error',
      param: miss.divergence?.field ?? null,
      code: 'replay_diverged',
    },
    report,
  };
}

function missReport(miss: ReplayMiss): CodedError {
  if (miss.recorded > 0) return diverged(miss);
  return new CodedError({
    code: 'replay/no-episode',
    message: `The recording has no calls of ${formatEpisode(miss.episode)}.`,
    hint: 'Run the recorded tasks and repeats, or add --on-replay-miss call-model (launch.json: onReplayMiss).',
  });
}

function diverged(miss: ReplayMiss): CodedError {
  return new CodedError({
    code: 'replay/diverged',
    message: `${describeCall(miss)} differs from the recording: ${describeMiss(miss)}.`,
    hint: goOn,
  });
}

export function describeCall({ call, episode }: Pick<ReplayMiss, 'call' | 'episode'>): string {
  return `LLM call ${call.call} of ${formatEpisode(episode)}, by agent "${call.agentName}",`;
}

/** e.g. `message 3 differs in messages[3].content: expected "a", got "b"`. */
export function describeMiss({ divergence, recorded }: Pick<ReplayMiss, 'divergence' | 'recorded'>): string {
  if (divergence === undefined) return `all ${recorded} recorded calls of the episode have been used`;
  const { message, field, expected, got } = divergence;
  const where = message === undefined ? field : `message ${message} differs in ${field}`;
  return `${where}: expected ${expected}, got ${got}`;
}
