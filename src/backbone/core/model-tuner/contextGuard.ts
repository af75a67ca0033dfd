import type { ContextCheck } from '../../../tracking/core/tracker.ts';
import type { FinishedCall } from './call.ts';
import type { CannedReply, ChatCompletion } from './model.ts';

/** A call before it reaches the model. */
export type PendingCall = Pick<FinishedCall, 'episode' | 'call' | 'agentName' | 'request' | 'startedAt'>;

/** The Context Tracker's check of a call before it reaches the model. Never rejects. */
export type ContextGuard = (call: PendingCall) => Promise<ContextCheck>;

/** Returns upstream's answer to a prompt that overflows the context: a text without tokens and usage. */
export function overflowCompletion(now: number): ChatCompletion {
  const message = { role: 'assistant', content: 'ajet_proxy: Exceeded max model context length.' } as const;
  return {
    id: 'overflow_response' satisfies CannedReply,
    object: 'chat.completion',
    created: Math.floor(now / 1000),
    model: 'unknown',
    choices: [{ index: 0, message: { ...message, refusal: null }, logprobs: null, finish_reason: 'stop' }],
  };
}
