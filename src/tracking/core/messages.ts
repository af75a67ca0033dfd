/** Reads the messages of a request like the tracker of AgentJet, which keeps, excludes, joins or rejects them. */
import type { CallProblem } from './problems.ts';
import type { TemplateMessage } from './tokenizer.ts';
import { isRecord } from '../../base/core/isRecord.ts';
import { parsedToolCalls } from './toolCalls.ts';

/** A message that AgentJet keeps. */
export interface KeptMessage {
  readonly role: string;
  readonly text: string;
  /** The tool calls as sent. Null if there are none. */
  readonly toolCalls: readonly unknown[] | null;
  readonly toolCallId: string | null;
}

/** A message of a timeline: a kept message, or consecutive tool results, which AgentJet joins into one. */
export interface TimelineMessage extends KeptMessage {
  /** The input of the chat template: several messages only for joined tool results. */
  readonly parts: readonly TemplateMessage[];
}

export interface ReadMessages {
  readonly kept: readonly KeptMessage[];
  /** The dropped messages as sent, each with the number of kept messages before it. */
  readonly dropped: readonly { readonly before: number; readonly message: unknown }[];
  readonly problems: readonly CallProblem[];
}

/** Kept, dropped, or kept with something lost. */
interface ReadMessage {
  readonly kept: KeptMessage | null;
  readonly problems: readonly CallProblem[];
}

interface ReadText {
  /** Null: the whole message is dropped. */
  readonly text: string | null;
  readonly problems: readonly CallProblem[];
}

/** Keeps system, user, assistant and, if enabled, tool. Exactly the first message must be a system message. */
export function readMessages(messages: readonly unknown[], toolCallsDisabled: boolean): ReadMessages {
  const kept: KeptMessage[] = [];
  const problems: CallProblem[] = [];
  const dropped: { readonly before: number; readonly message: unknown }[] = [];
  const systems: number[] = [];
  for (const [place, message] of messages.entries()) {
    const read = readMessage(message, toolCallsDisabled);
    problems.push(...read.problems);
    if (read.kept === null) {
      dropped.push({ before: kept.length, message });
      continue;
    }
    kept.push(read.kept);
    if (read.kept.role === 'system') systems.push(place);
  }
  if (systems[0] !== 0) problems.push(firstNotSystem);
  if (systems.some((place) => place > 0)) problems.push(laterSystem);
  return { kept, dropped, problems };
}

/** Groups consecutive tool results. Each group is one message of a timeline. */
export function groupToolResults<T extends { readonly role: string }>(
  messages: readonly T[],
): readonly [T, ...T[]][] {
  const rows: [T, ...T[]][] = [];
  let before = '';
  for (const message of messages) {
    const row = message.role === 'tool' && before === 'tool' ? rows.at(-1) : undefined;
    if (row === undefined) rows.push([message]);
    else row.push(message);
    before = message.role;
  }
  return rows;
}

/** Returns the message of a timeline. Joins the texts of tool results with the separator of ChatML templates. */
export function timelineMessage(first: KeptMessage, more: readonly KeptMessage[]): TimelineMessage {
  return more.length === 0 ? { ...first, parts: [templateMessage(first)] } : joined(first, [first, ...more]);
}

export function templateMessage(message: KeptMessage): TemplateMessage {
  return {
    role: message.role,
    content: message.text,
    ...(message.toolCalls !== null && { tool_calls: parsedToolCalls(message.toolCalls) }),
    ...(message.toolCallId !== null && { tool_call_id: message.toolCallId }),
  };
}

function joined(first: KeptMessage, run: readonly KeptMessage[]): TimelineMessage {
  return {
    ...first,
    text: `${run.map(({ text }) => text).join('\n</tool_response>\n<tool_response>\n')}\n`,
    toolCallId: null,
    parts: run.map(({ role, text }) => ({ role, content: text })),
  };
}

function readMessage(value: unknown, toolCallsDisabled: boolean): ReadMessage {
  const message = isRecord(value) ? value : {};
  const role = typeof message['role'] === 'string' ? message['role'] : '';
  const content = message['content'];
  if (toolCallsDisabled && typeof content !== 'string') return leftOut(notPlain(role));
  if (toolCallsDisabled && role === 'tool') return leftOut(toolResult);
  if (!keptRoles.has(role)) return leftOut(unknownRole(role));
  const { text, problems } = readText(content, role);
  if (text === null) return { kept: null, problems };
  const calls = message['tool_calls'];
  const id = message['tool_call_id'];
  const toolCalls = Array.isArray(calls) && calls.length > 0 ? (calls as unknown[]) : null;
  const toolCallId = typeof id === 'string' && id !== '' ? id : null;
  return { kept: { role, text, toolCalls, toolCallId }, problems };
}

const keptRoles = new Set(['system', 'user', 'assistant', 'tool']);

function leftOut(problem: CallProblem): ReadMessage {
  return { kept: null, problems: [problem] };
}

/** Returns the text of a content: empty for null, and the joined text parts of a list. */
function readText(content: unknown, role: string): ReadText {
  if (typeof content === 'string') return { text: content, problems: none };
  if (!Array.isArray(content)) return { text: '', problems: none };
  const problems: CallProblem[] = [];
  let text = '';
  for (const part of content as unknown[]) {
    const fields = isRecord(part) ? part : {};
    const type = typeof fields['type'] === 'string' ? fields['type'] : '';
    if (type === 'tool_use' || type === 'tool_result') problems.push(refusedPart(type));
    else if (!('text' in fields)) return { text: null, problems: [...problems, noText(role, type)] };
    else if (typeof fields['text'] === 'string') text += fields['text'];
    else {
      problems.push(textLost(type));
      text = '';
    }
  }
  return { text, problems };
}

const none: readonly CallProblem[] = [];

const firstNotSystem: CallProblem = {
  code: 'missing-system-message',
  severity: 'error',
  clause: 'the first message is not a system message. In training AgentJet rejects such a request.',
};

const laterSystem: CallProblem = {
  code: 'system-message-not-first',
  severity: 'error',
  clause: 'a message after the first one is a system message. In training AgentJet rejects such a request.',
};

const toolResult: CallProblem = {
  code: 'tool-result-dropped',
  severity: 'warning',
  clause: 'a tool result is dropped because tool calls are disabled. In training the model does not see it.',
};

function unknownRole(role: string): CallProblem {
  const clause = `a message with role ${role} is dropped, because AgentJet does not know the role. In training the model does not see it.`;
  return { code: 'role-dropped', severity: 'warning', clause };
}

function notPlain(role: string): CallProblem {
  const clause = `a message with role ${role} is dropped, because its content is not plain text and tool calls are disabled. In training the model does not see it.`;
  return { code: 'content-dropped', severity: 'warning', clause };
}

function noText(role: string, type: string): CallProblem {
  const clause = `a message with role ${role} is dropped, because its part of type ${type} has no text. In training the model does not see it.`;
  return { code: 'content-dropped', severity: 'warning', clause };
}

function textLost(type: string): CallProblem {
  const clause = `the text of a message before its part of type ${type} is dropped, because the text of that part is not a string. In training the model does not see it.`;
  return { code: 'non-text-content-dropped', severity: 'warning', clause };
}

function refusedPart(type: string): CallProblem {
  const clause = `a message has a part of type ${type}. In training AgentJet rejects such a request.`;
  return { code: 'tool-part-rejected', severity: 'error', clause };
}

export interface ExcludedMessage {
  /** The number of timeline messages before it. */
  readonly before: number;
  /** The message as sent. */
  readonly message: unknown;
}

/** @param dropped messages, each with the number of kept messages before it */
export function excludedMessages(
  dropped: readonly { readonly before: number; readonly message: unknown }[],
  kept: readonly KeptMessage[],
): readonly ExcludedMessage[] {
  return dropped.map(({ before, message }) => ({
    before: groupToolResults(kept.slice(0, before)).length,
    message,
  }));
}
