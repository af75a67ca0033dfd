import type { TracedMessage, TracedTimeline } from './records/trace.ts';
import type { MergedCalls } from './mergeCalls.ts';
import { count } from './samples.ts';

/**
 * Adds the number of tokens and of trainable tokens to merged timelines. Counts the tokens of each message once.
 *
 * @param messages the messages of the episode without those that merging added
 */
export function withTokens(
  { timelines, added }: MergedCalls,
  messages: readonly TracedMessage[],
): readonly TracedTimeline[] {
  const counts = new Array<Counts | undefined>(messages.length);
  const countsAt = (position: number): Counts =>
    (counts[position] ??= countsOf(messages[position] ?? added[position - messages.length]?.message));
  return timelines.map((timeline) => {
    let tokens = 0;
    let trainableTokens = 0;
    for (const position of timeline.messages) {
      const one = countsAt(position);
      tokens += one.tokens;
      trainableTokens += one.trainableTokens;
    }
    return { ...timeline, tokens, trainableTokens };
  });
}

type Counts = Pick<TracedTimeline, 'tokens' | 'trainableTokens'>;

function countsOf(message: TracedMessage | undefined): Counts {
  return { tokens: message?.tokenIds.length ?? 0, trainableTokens: count(message?.lossMask ?? nothing) };
}

const nothing = new Uint8Array();
