import { commonPrefixLength } from '../../base/core/commonStart.ts';
import type { Alternative } from './alternatives.ts';
import { modelTokens, wasCut } from './madeTokens.ts';
import { indexOfRun, startsWithRun } from './tokenLists.ts';
import type { TrackerReply } from './tracker.ts';
import type { ModelText } from './tokenizer.ts';

/** A reply's tokens in its timeline. */
export interface ReplyTokens {
  readonly tokenIds: readonly number[];
  /** One per token, null where there is none; null: the endpoint told none. */
  readonly logprobs: readonly (number | null)[] | null;
  /** One list per token; null: the endpoint told none. */
  readonly alternatives: readonly (readonly Alternative[])[] | null;
  /** One per token: 1 for what the model made. */
  readonly lossMask: readonly number[];
  /** Whether it was cut by length, so that its end token is the template's. */
  readonly lacksEos: boolean;
  /** Whether header and end token were found where upstream looks for them. */
  readonly fits: boolean;
  /** Whether an end token stands before the end. */
  readonly endsEarly: boolean;
  /** Whether what the model made begins with the header. */
  readonly repeatsHeader: boolean;
}

/** Where in the container the template's part ends, the reply begins and ends. */
interface Frame {
  readonly begin: number;
  /** Of the end token; the container's length where it has none. */
  readonly end: number;
  readonly fits: boolean;
}

/**
 * Puts what the model made in the place of what the template made of it, between the header and the last end token.
 * Where the endpoint did not tell its tokens, or told others than the reply's, the template's stand and there are no
 * logprobs.
 *
 * @param container what the template adds to the request for the reply
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
