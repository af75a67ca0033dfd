import type { Author, TracedMessage } from './records/trace.ts';
import type { TimelineMessage } from './messages.ts';

/** A message with its tokens, as the trace has it. */
export function tracedMessage(
  message: Pick<TimelineMessage, 'role' | 'text' | 'toolCalls' | 'toolCallId'>,
  author: Author,
  tokenIds: readonly number[],
  logprobs: Float32Array | null,
  lossMask: Uint8Array,
): TracedMessage {
  const { role, text, toolCalls, toolCallId } = message;
  return {
    role,
    author,
    text,
    toolCalls: toolCalls === null ? null : JSON.stringify(toolCalls),
    toolCallId,
    tokenIds: Int32Array.from(tokenIds),
    logprobs,
    lossMask,
  };
}
