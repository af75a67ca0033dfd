import { omit } from '../../../base/core/omit.ts';
import { spelledTokenId } from '../../../tracking/core/replyTokens.ts';
import type { TracedCall } from '../../../tracking/core/records/trace.ts';
import type {
  BegunRequest,
  TrackedCall,
  TrackerReply,
  TrackerRequest,
  ReplyToken,
} from '../../../tracking/core/tracker.ts';
import type { FinishedCall, PendingCall } from '../model-tuner/call.ts';
import { injectedFault } from '../model-tuner/faults/faults.ts';
import type { ChatCompletion } from '../model-tuner/model.ts';

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
export function trackerReply({ failure, completion, request }: FinishedCall): TrackerReply | null {
  const choice = failure === undefined ? completion?.choices[0] : undefined;
  if (choice === undefined) return null;
  const { content, tool_calls } = choice.message;
  return {
    content,
    toolCalls: tool_calls ?? null,
    finishReason: choice.finish_reason,
    tokens: readReplyTokens(choice),
    ...(listsEnd(choice, request) && { listsEnd: true }),
    ...promptIds(completion),
  };
}

/** With stop texts, the finish reason does not tell whether the model generated the end token. The list must have it then. */
function listsEnd(choice: Choice, { stop }: FinishedCall['request']): boolean {
  const { token_ids } = choice as { token_ids?: unknown };
  return (readIds(token_ids) ?? []).length > 0 || (stop ?? []).length > 0;
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
      ...omit(request, 'messages', 'tools'),
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

type Choice = ChatCompletion['choices'][number];

/**
 * Returns the tokens of a reply that the server reported, in order; null if it reported none. Ids come from vLLM's
 * `return_token_ids`, from tokens spelled `token_id:<n>` (vLLM's `return_tokens_as_token_ids`), or from the `id` of an entry
 * (llama.cpp).
 */
export function readReplyTokens(choice: Choice): readonly ReplyToken[] | null {
  const { logprobs, token_ids } = choice as { logprobs?: { content?: unknown } | null; token_ids?: unknown };
  const entries = Array.isArray(logprobs?.content)
    ? (logprobs.content as readonly unknown[]).map(readEntry)
    : [];
  const ids = readIds(token_ids);
  if (ids === undefined || ids.length === 0) return entries.length === 0 ? null : entries;
  if (entries.length === ids.length) return entries.map((entry, at) => ({ ...entry, id: ids[at] ?? null }));
  return ids.map((id) => ({ id, bytes: [], logprob: null }));
}

export function readIds(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const ids = value as readonly unknown[];
  return ids.every((id): id is number => Number.isInteger(id)) ? ids : undefined;
}

function readEntry(entry: unknown): ReplyToken {
  const { id: own, token, bytes, logprob, top_logprobs } = fieldsOf(entry);
  const spelled = spelledTokenId(token);
  return {
    id: spelled ?? readId(own),
    bytes: bytesOf(token, bytes, spelled !== undefined),
    logprob: readLogprob(logprob),
    ...readAlternatives(top_logprobs),
  };
}

/** Reads the alternatives to a token. Those without a log probability are skipped. */
function readAlternatives(value: unknown): Pick<ReplyToken, 'alternatives'> {
  if (!Array.isArray(value) || value.length === 0) return {};
  const alternatives = (value as readonly unknown[]).flatMap((entry) => {
    const { id, token, bytes } = fieldsOf(entry);
    const logprob = readLogprob(fieldsOf(entry).logprob);
    const spelled = spelledTokenId(token);
    const own = bytesOf(token, bytes, spelled !== undefined);
    return logprob === null ? [] : [{ id: spelled ?? readId(id), bytes: own, logprob }];
  });
  return { alternatives };
}

type EntryField = 'id' | 'token' | 'bytes' | 'logprob' | 'top_logprobs';

function fieldsOf(entry: unknown): Partial<Record<EntryField, unknown>> {
  return entry ?? {};
}

function readId(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null;
}

function readLogprob(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** Returns the bytes of a token. For a spelled token, vLLM gives those of its text, or of the spelling if it has no text. */
function bytesOf(token: unknown, given: unknown, isSpelled: boolean): readonly number[] {
  const bytes = readIds(given);
  if (typeof token !== 'string') return bytes ?? [];
  const own = [...new TextEncoder().encode(token)];
  if (isSpelled) return String(bytes) === String(own) ? [] : (bytes ?? []);
  return bytes ?? own;
}
