import { commonPrefixLength } from '../../base/core/commonPrefix.ts';
import type { Alternative } from './alternatives.ts';
import { modelTokens, wasCut } from './modelTokens.ts';
import { indexOfRun, startsWithRun } from './tokenLists.ts';
import type { TrackerReply } from './tracker.ts';
import type { ModelText } from './tokenizer.ts';

/** The tokens of a reply in its timeline. */
export interface ReplyTokens {
  readonly tokenIds: readonly number[];
  /** One per token, null if missing. Null: the endpoint reported none. */
  readonly logprobs: readonly (number | null)[] | null;
  /** One list per token. Null: the endpoint reported none. */
  readonly alternatives: readonly (readonly Alternative[])[] | null;
  /** One per token: 1 for tokens that the model generated. */
  readonly lossMask: readonly number[];
  /** True if it was truncated by length, so that the template added its end token. */
  readonly lacksEos: boolean;
  /** True if the header and the end token are where AgentJet expects them. */
  readonly fits: boolean;
  /** True if it contains an end token before its end. */
  readonly endsEarly: boolean;
  /** True if the generated tokens start with the header. */
  readonly repeatsHeader: boolean;
}

/** The start and the end of the reply's body in the container. */
interface Frame {
  readonly begin: number;
  /** The index of the end token, or the length of the container if it has none. */
  readonly end: number;
  readonly fits: boolean;
}

/**
 * Replaces the tokens between the header and the last end token by those that the model generated. Without valid
 * reported tokens, it keeps those of the template, and there are no logprobs.
 *
 * @param container the tokens that the template adds to the request for the reply
 */
export function replyTokens(
  container: readonly number[],
  header: readonly number[],
  reply: TrackerReply,
  text: ModelText,
): ReplyTokens {
  const { tokenizer } = text;
  const frame = frameOf(container, header, tokenizer.eos);
  const templated = container.slice(frame.begin, frame.end);
  const made = modelTokens(reply, text, templated);
  const body = made?.ids ?? templated;
  const ended = made?.ended ?? !wasCut(reply);
  const before = container.slice(0, frame.begin);
  const end = frame.end < container.length || ended ? [tokenizer.eos] : [];
  const after = container.slice(frame.end + 1);
  const none = (ids: readonly number[]): null[] => ids.map(() => null);
  const endLogprob = made?.endLogprob ?? null;
  return {
    tokenIds: [...before, ...body, ...end, ...after],
    logprobs: made?.logprobs
      ? [...none(before), ...made.logprobs, ...end.map(() => endLogprob), ...none(after)]
      : null,
    alternatives: made?.alternatives
      ? [
          ...before.map(() => nothing),
          ...made.alternatives,
          ...end.map(() => made.endAlternatives),
          ...after.map(() => nothing),
        ]
      : null,
    lossMask: [
      ...before.map(() => 0),
      ...body.map(() => 1),
      ...end.map(() => (ended ? 1 : 0)),
      ...after.map(() => 0),
    ],
    lacksEos: !ended,
    fits: frame.fits,
    endsEarly: body.includes(tokenizer.eos),
    repeatsHeader: made !== undefined && header.length > 0 && startsWithRun(made.ids, header),
  };
}

const nothing: readonly Alternative[] = [];

function frameOf(container: readonly number[], header: readonly number[], eos: number): Frame {
  const at = indexOfRun(container, header);
  const begin = at >= 0 ? at + header.length : commonPrefixLength(container, header);
  const last = container.lastIndexOf(eos);
  const found = last >= begin;
  return { begin, end: found ? last : container.length, fits: at >= 0 && found };
}
