import { parseJson } from '../../core/shallowJson.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import type { MessageView } from '../../core/protocol/episodeRpc.ts';
import { prettyJson } from '../../../base/core/format.ts';

export interface ToolCall {
  readonly id: string | null;
  readonly name: string;
  readonly given: string;
  /** The arguments with indentation; null: they are not valid JSON. */
  readonly pretty: string | null;
}

/** Returns the tool calls; undefined: the value is not a list of function calls. */
export function parseToolCalls(json: string): readonly ToolCall[] | undefined {
  const calls = parseJson(json);
  if (!Array.isArray(calls)) return undefined;
  const read = calls.map(readToolCall);
  return read.every((call) => call !== undefined) ? read : undefined;
}

function readToolCall(call: unknown): ToolCall | undefined {
  if (!isRecord(call) || !isRecord(call['function'])) return undefined;
  const { name, arguments: given = '' } = call['function'];
  if (typeof name !== 'string') return undefined;
  const id = typeof call['id'] === 'string' && call['id'] !== '' ? call['id'] : null;
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  return { id, name, given: text, pretty: parseJson(text) === undefined ? null : prettyJson(text) };
}

export interface ToolCallLinks {
  /** The answers to the calls of each message, by index; undefined: there is none here. */
  readonly answers: ReadonlyMap<number, readonly (ToolAnswer | undefined)[]>;
  /** The calls that each message answers, by index, in order. */
  readonly callers: ReadonlyMap<number, readonly ToolCaller[]>;
}

export interface ToolAnswer {
  readonly message: number;
  readonly text: string;
}

export interface ToolCaller {
  readonly message: number;
  readonly name: string;
}

/** The text that a chat template, and so training, puts between consecutive tool results. */
const between = '\n</tool_response>\n<tool_response>\n';

/** Splits the tool results of a message. A timeline joins consecutive results into one message without ids. */
export function splitToolResults(text: string): readonly string[] {
  if (!text.includes(between)) return [text];
  return text.replace(/\n$/, '').split(between);
}

export function linkToolCalls(messages: readonly MessageView[]): ToolCallLinks {
  const answers = new Map<number, readonly (ToolAnswer | undefined)[]>();
  const askers = new Map<number, ToolCaller[]>();
  messages.forEach((message, at) => {
    const calls = message.toolCalls === null ? undefined : parseToolCalls(message.toolCalls);
    if (calls === undefined) return;
    const found = answersTo(calls, messages, at);
    answers.set(message.index, found);
    found.forEach((answer, call) => {
      if (answer === undefined) return;
      const own = askers.get(answer.message) ?? [];
      own.push({ message: message.index, name: calls[call]?.name ?? '' });
      askers.set(answer.message, own);
    });
  });
  return { answers, callers: askers };
}

/** Returns answers by id. Joined results have no ids and are in the order of the calls. */
function answersTo(
  calls: readonly ToolCall[],
  messages: readonly MessageView[],
  at: number,
): readonly (ToolAnswer | undefined)[] {
  const end = messages.findIndex(({ role }, index) => index > at && role === 'assistant');
  const results = messages.slice(at + 1, end === -1 ? undefined : end).filter(({ role }) => role === 'tool');
  const [joined] = results;
  if (results.length === 1 && joined?.toolCallId === null) {
    const texts = splitToolResults(joined.text);
    return calls.map((_, index) => {
      const text = texts[index];
      return text === undefined ? undefined : { message: joined.index, text };
    });
  }
  return calls.map(({ id }) => {
    const answer = id === null ? undefined : results.find(({ toolCallId }) => toolCallId === id);
    return answer && { message: answer.index, text: answer.text };
  });
}
