import type { TracedCall } from '../../../tracking/core/records/trace.ts';
import type {
  BegunRequest,
  TrackedCall,
  TrackerReply,
  TrackerRequest,
} from '../../../tracking/core/tracker.ts';
import type { FinishedCall } from '../model-tuner/call.ts';
import type { PendingCall } from '../model-tuner/contextGuard.ts';
import { injectedFault } from '../model-tuner/faults/faults.ts';
import { readIds, readReplyTokens } from './readReplyTokens.ts';

/** Returns the parts of a request that determine its tokens. */
export function begunRequest({ call, agentName, request, startedAt }: PendingCall): BegunRequest {
  return { call, agent: agentName, startedAt, messages: request.messages, tools: toolsOf(request) };
}

export function trackerRequest(finished: FinishedCall): TrackerRequest {
  // Rounded down: the next call may begin within the same millisecond.
  const endedAt = Math.floor(finished.startedAt + finished.seconds * 1000);
  return { ...begunRequest(finished), endedAt };
}

/** Returns the first choice, which training takes; null for a call without an answer. */
export function trackerReply({ failure, completion }: FinishedCall): TrackerReply | null {
  const choice = failure === undefined ? completion?.choices[0] : undefined;
  if (choice === undefined) return null;
  const { content, tool_calls } = choice.message;
  return {
    content,
    toolCalls: tool_calls ?? null,
    finishReason: choice.finish_reason,
    tokens: readReplyTokens(choice),
    ...promptIds(completion),
  };
}

/** Returns the token ids of the prompt, which vLLM reports next to the choices. */
function promptIds(completion: FinishedCall['completion']): Pick<TrackerReply, 'promptIds'> {
  const { prompt_token_ids } = (completion ?? {}) as { prompt_token_ids?: unknown };
  const ids = readIds(prompt_token_ids);
  return ids === undefined ? {} : { promptIds: ids };
}

/** Returns a call in the form of the trace. A call that was not tracked has no messages and tokens. */
export function tracedCall(finished: FinishedCall, tracked: TrackedCall | undefined): TracedCall {
  const { failure, request, debugModel, canned } = finished;
  const options = Object.entries(request).filter(([name]) => name !== 'messages' && name !== 'tools');
  const tools = toolsOf(request);
  const fault = injectedFault(finished);
  return {
    episode: finished.episode,
    call: finished.call,
    agent: finished.agentName,
    tag: finished.targetTag,
    startedAt: finished.startedAt,
    seconds: finished.seconds,
    askedAfter: finished.askedAfter,
    firstAfter: finished.firstAfter,
    status: finished.status,
    error: failure === undefined ? null : (failure.report?.message ?? failure.error.message),
    options: JSON.stringify({
      ...(fault && { injected_fault: fault }),
      ...(debugModel !== null && { debug_model: debugModel }),
      ...(canned !== null && { canned_reply: canned }),
      ...Object.fromEntries(options),
    }),
    tools: tools === null ? null : JSON.stringify(tools),
    finishReason: finished.completion?.choices[0]?.finish_reason ?? null,
    messages: tracked?.messages ?? [],
    ...(tracked?.leftOut && { leftOut: tracked.leftOut }),
    ...(tracked?.otherMessages && { otherMessages: tracked.otherMessages }),
    reply: tracked?.reply ?? null,
    promptTokens: tracked?.promptTokens ?? 0,
    replyTokens: tracked?.replyTokens ?? 0,
    ...(finished.source && { source: finished.source }),
  };
}

/** Returns null for an empty list, as chat templates treat it. */
function toolsOf({ tools }: FinishedCall['request']): readonly unknown[] | null {
  return Array.isArray(tools) && tools.length > 0 ? tools : null;
}
