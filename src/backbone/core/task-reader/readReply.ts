import { parseJson } from '../../../base/core/parseJson.ts';
import { jsonrepair } from 'jsonrepair';

/** Removes the Markdown fence around JSON, as upstream does. */
export function withoutFence(reply: string): string {
  return reply.replace(/(?<![^\n])```json|```(?![^\n])/g, '').trim();
}

/** Parses the JSON in a model's reply, and repairs it if it is broken. Returns undefined if that fails. */
export function readReply(reply: string): unknown {
  const text = withoutFence(reply);
  try {
    return parseJson(text) ?? JSON.parse(jsonrepair(text));
  } catch {
    return undefined; // not even nearly JSON
  }
}
