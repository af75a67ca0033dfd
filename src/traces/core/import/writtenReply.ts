/**
 * What AgentJet makes of the text that a model wrote under verl: the tool calls that vLLM's `hermes` parser finds in it,
 * and what stands before them. Where one of them is none, all of it is text.
 */
import { isRecord } from '../../../base/core/isRecord.ts';
import { shallowJson } from '../shallowJson.ts';

export interface WrittenReply {
  readonly text: string;
  /** JSON; null: none. */
  readonly toolCalls: string | null;
}

/** The last one may have been cut off. */
const call = /<tool_call>(.*?)<\/tool_call>|<tool_call>(.*)/gs;

/** @param place of the message in its conversation: ids of calls are made of it, since the model writes none */
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
