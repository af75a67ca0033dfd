/** Writes one line of JSON per episode with everything that the trace has of it. */
import type { SpanRow } from '../protocol/episodeRpc.ts';
import type { RunView } from '../protocol/runRpc.ts';
import { trainingJson } from '../trainingJson.ts';
import { shallowJson } from '../shallowJson.ts';
import {
  hasValues,
  type ExportedCall,
  type ExportedEpisode,
  type ExportedMessage,
  type ExportedTimeline,
} from './episode.ts';

export function jsonLine(
  { uuid, taskIndex, row, calls, timelines, spans, rewards, printed, missing }: ExportedEpisode,
  run: RunView,
): string {
  const timed = hasValues(run, 'times');
  const { findings, error, noted, ...facts } = row;
  return `${JSON.stringify({
    rollout_id: uuid,
    group: taskIndex,
    episode: facts.episode,
    task_id: facts.taskId,
    repeat: facts.repeat,
    query: facts.query,
    state: facts.state,
    reward: number(facts.reward),
    is_success: hasValues(run, 'successes') ? facts.isSuccess : null,
    advantage: facts.advantage,
    trains: facts.trains,
    ...(run.training && { training: run.training }),
    started_at: timed ? facts.startedAt : null,
    seconds: timed ? facts.seconds : null,
    error: error && { code: error.code, message: error.message },
    findings: findings.map(({ code, severity, message }) => ({ code, severity, message })),
    ...noted,
    calls: calls.map((call) => callJson(call, run)),
    timelines: timelines.map(timelineJson),
    spans: spans.map(spanJson),
    reward_parts: Object.fromEntries(rewards),
    ...(printed !== undefined && { printed }),
    ...(missing.length > 0 && { missing }),
  })}\n`;
}

function callJson({ row, options, tools, messages, reply }: ExportedCall, run: RunView): object {
  const [timed, counted] = [hasValues(run, 'times'), hasValues(run, 'tokenCounts')];
  return {
    call: row.call,
    agent: row.agent,
    tag: row.tag,
    started_at: timed ? row.startedAt : null,
    seconds: timed ? row.seconds : null,
    status: row.status,
    error: row.error,
    finish_reason: row.finishReason,
    prompt_tokens: counted ? row.promptTokens : null,
    completion_tokens: counted ? row.replyTokens : null,
    timeline: row.timeline,
    options: shallowJson(options) ?? options,
    tools: tools === null ? null : (shallowJson(tools) ?? tools),
    messages: messages.map(messageJson),
    reply: reply && messageJson(reply),
  };
}

function timelineJson({ row, messages, tokenTexts, trainer }: ExportedTimeline): object {
  return {
    timeline: row.timeline,
    calls: row.calls,
    tokens: row.tokens,
    trainable_tokens: row.trainableTokens,
    messages: messages.map((message) => ({
      ...messageJson(message),
      author: message.author,
      token_ids: message.tokenIds,
      loss_mask: message.lossMask,
      logprobs: message.logprobs,
    })),
    token_texts: tokenTexts,
    ...(row.training && trainer && { training: trainingJson(row.training, trainer) }),
  };
}

function spanJson({ kind, name, call, startedAt, seconds, state, error }: SpanRow): object {
  return { kind, name, call, started_at: startedAt, seconds, state, error };
}

function messageJson({ role, text, toolCalls, toolCallId }: ExportedMessage): object {
  return {
    role,
    content: text,
    ...(toolCalls !== null && { tool_calls: shallowJson(toolCalls) ?? toolCalls }),
    ...(toolCallId !== null && { tool_call_id: toolCallId }),
  };
}

/** Rewards may be infinite. JSON has no number for that. */
function number(value: number | null): number | string | null {
  return value === null || Number.isFinite(value) ? value : String(value);
}
