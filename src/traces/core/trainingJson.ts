import type { TimelineTraining } from '../../tracking/core/records/trace.ts';
import type { TrainerTokens } from './protocol/tokenRpc.ts';

/** Returns the training of a timeline for JSON, with its first `tokens` tokens. */
export function trainingJson(
  { advantage, clip }: TimelineTraining,
  { logprobs, kls }: TrainerTokens,
  tokens = Infinity,
): object {
  return {
    advantage,
    clip_range: clip && [clip.low, clip.high],
    trainer_logprobs: logprobs.slice(0, tokens),
    kl: kls.slice(0, tokens),
  };
}
