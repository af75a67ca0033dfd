import { omit } from '../../../../base/core/omit.ts';
import type {
  ReplayedCall,
  ReplayedMessage,
  ReplayedRun,
} from '../../../../tracking/core/records/replayed.ts';
import { groupToolResults, readMessages, timelineMessage } from '../../../../tracking/core/messages.ts';
import type { ChatCompletion, ChatRequest, ModelFailure } from '../model.ts';
import { recordingFormat } from '../../../../base/core/recordingFormat.ts';
import { recordingVersion, type RecordedCall, type Recording } from './format.ts';

/** The options that a trace adds to those of the request. */
const addedOptions = ['injected_fault', 'debug_model', 'canned_reply'];

/** Leaves out calls of debug models, whose messages a trace does not have, and canned replies, which a run creates. */
export function recordingOfTrace(run: ReplayedRun, file: string): Recording {
  return {
    file,
    header: {
      format: recordingFormat,
      version: recordingVersion,
      createdAt: new Date(run.startedAt).toISOString(),
      config: run.config.split(/[\\/]/).at(-1) ?? run.config,
      model: run.model,
    },
    calls: run.episodes.flatMap(({ taskId, repeat, twin, calls }) =>
      calls
        .map((call) => ({ call, options: JSON.parse(call.options) as Readonly<Record<string, unknown>> }))
        .filter(({ options }) => !('debug_model' in options) && !('canned_reply' in options))
        .map(({ call, options }) => ({
          episode: { task: taskId, repeat, twin: run.episodes.length === 1 ? 0 : twin, attempt: 0 },
          ...recordedCall(call, options),
        })),
    ),
  };
}

/** Returns a request as a trace has it: without ignored messages, tool results joined, and content as text. */
export function traceRequest(request: ChatRequest, toolCallsDisabled: boolean): ChatRequest {
  const { kept } = readMessages(request.messages, toolCallsDisabled);
  const messages = groupToolResults(kept).map(([first, ...more]) => {
    const { role, text, toolCalls, toolCallId } = timelineMessage(first, more);
    return messageOf({ role, text, toolCalls, toolCallId });
  });
  return { ...request, messages: messages as unknown as ChatRequest['messages'] };
}

function recordedCall(
  call: ReplayedCall,
  options: Readonly<Record<string, unknown>>,
): Omit<RecordedCall, 'episode'> {
  const { agent, tag, startedAt, seconds, status, tools } = call;
  const request = {
    ...omit(options, ...addedOptions),
    messages: call.messages.map((message) => messageOf({ ...message, toolCalls: parsed(message) })),
    ...(tools !== null && { tools: JSON.parse(tools) as unknown }),
  };
  return {
    call: call.call,
    agentName: agent,
    targetTag: tag,
    request: request as unknown as ChatRequest,
    ...{ startedAt, seconds, status },
    completion: call.reply === null ? undefined : completionOf(call, call.reply),
    failure: call.error === null && call.reply !== null ? undefined : failureOf(call),
  };
}

function messageOf(message: Omit<ReplayedMessage, 'toolCalls'> & { toolCalls: unknown }): object {
  const { role, text, toolCalls, toolCallId } = message;
  return {
    role,
    content: text,
    ...(toolCalls !== null && { tool_calls: toolCalls }),
    ...(toolCallId !== null && { tool_call_id: toolCallId }),
  };
}

function parsed({ toolCalls }: ReplayedMessage): unknown {
  return toolCalls === null ? null : JSON.parse(toolCalls);
}

function completionOf(call: ReplayedCall, reply: NonNullable<ReplayedCall['reply']>): ChatCompletion {
  const { text, tokens } = reply;
  const toolCalls = parsed(reply);
  const message = {
    role: 'assistant',
    content: text === '' && toolCalls !== null ? null : text,
    refusal: null,
    ...(toolCalls !== null && { tool_calls: toolCalls }),
  };
  const choice = {
    index: 0,
    finish_reason: call.finishReason ?? 'stop',
    message,
    logprobs: tokens === null ? null : { content: tokens.map(logprobOf), refusal: null },
    ...(tokens !== null && { token_ids: tokens.map(({ id }) => id) }),
  };
  const { promptTokens: prompt_tokens, replyTokens: completion_tokens } = call;
  const completion = {
    id: `replay-${call.episode}-${call.call}`,
    object: 'chat.completion',
    created: Math.floor(call.startedAt / 1000),
    model: 'replay',
    choices: [choice],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
  return completion as unknown as ChatCompletion;
}

type Token = NonNullable<NonNullable<ReplayedCall['reply']>['tokens']>[number];

function logprobOf({ bytes, logprob }: Token): object {
  return { token: new TextDecoder().decode(bytes), bytes: [...bytes], logprob, top_logprobs: [] };
}

function failureOf({ status, error }: ReplayedCall): ModelFailure {
  const message = error ?? 'The call has no response.';
  return {
    status: status === 200 ? 502 : status,
    error: { message, type: 'replayed_failure', param: null, code: null },
  };
}
