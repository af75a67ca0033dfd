import { jsonrepair } from 'jsonrepair';

/** Without the fence of Markdown that models put around JSON, as upstream takes it away. */
export function withoutFence(reply: string): string {
  return reply.replace(/(?<![^\n])```json|```(?![^\n])/g, '').trim();
}

/** The JSON in a model's reply, repaired where it is broken; undefined where there is none to be had. */
export function readReply(reply: string): unknown {
  const text = withoutFence(reply);
  try {
    return JSON.parse(text);
  } catch {
    return repaired(text);
  }
}

function repaired(text: string): unknown {
  try {
    return JSON.parse(jsonrepair(text));
  } catch {
    return undefined; // not even nearly JSON
  }
}
