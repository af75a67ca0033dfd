import { largestWindow } from './protocol/traceRpc.ts';
import type { MessageView } from './protocol/conversationRpc.ts';
import { clip } from './clip.ts';
import type { MessageLookup } from './episodeContent.ts';

/** The messages at some positions of an episode, as a sequence of their own. */
export function messageViews(positions: readonly number[], messages: MessageLookup): readonly MessageView[] {
  let firstToken = 0;
  return positions.map((position, index) => {
    const { role, author, toolCallId, tokens, trainableTokens } = messages.head(position);
    const { text, toolCalls } = messages.text(position);
    const shown = clip(text, largestWindow.listed);
    const { length } = text;
    const truncated = shown.length < length;
    const counts = { firstToken, tokens, trainableTokens };
    firstToken += tokens;
    return { index, role, author, text: shown, length, truncated, toolCalls, toolCallId, ...counts };
  });
}
