/** Reads the tool calls in the text of a reply, as AgentJet does with the format of Hermes and Qwen. */
import { isRecord } from '../../base/core/isRecord.ts';
import { shallowJson } from './shallowJson.ts';

export interface WrittenReply {
  readonly text: string;
  /** JSON; null: none. */
  readonly toolCalls: string | null;
}

/** The last call may have been cut off. */
const call = /<tool_call>(.*?)<\/tool_call>|<tool_call>(.*)/gs;

/** @param place position of the message in its conversation, from which ids of calls are derived */
export function writtenReply(written: string, place: number): WrittenReply {
  const none = { text: written, toolCalls: null };
  if (!written.includes('<tool_call>') || !written.includes('</tool_call>')) return none;
  const calls = [...written.matchAll(call)].map(([, whole, cut = ''], at) => {
    return toolCall(whole ?? cut, `call_${place}_${at}`);
  });
  if (calls.includes(undefined)) return none;
  return { text: written.slice(0, written.indexOf('<tool_call>')), toolCalls: JSON.stringify(calls) };
}

function toolCall(json: string, id: string): object | undefined {
  const value = shallowJson(json);
  if (!isRecord(value) || typeof value['name'] !== 'string' || !isRecord(value['arguments']))
    return undefined;
  const { name, arguments: given } = value;
  return { id, type: 'function', function: { name, arguments: JSON.stringify(given) } };
}
