import type { ChatRequest } from './model.ts';

/** Below this many characters, serializing messages again costs no more than finding their text. */
const worthFinding = 4_096;

/** The original JSON of messages, so that a long conversation is not serialized again for a server. */
const texts = new WeakMap<object, string>();

/** @param body JSON, of which the request was parsed */
export function rememberText({ messages }: ChatRequest, body: string): void {
  if (body.length < worthFinding) return;
  const text = memberText(body, 'messages');
  if (text !== undefined) texts.set(messages, text);
}

/** The request as JSON. */
export function writeRequest(request: ChatRequest): string {
  const text = texts.get(request.messages);
  if (text === undefined) return JSON.stringify(request);
  const rest = JSON.stringify({ ...request, messages: undefined });
  return rest === '{}' ? `{"messages":${text}}` : `{"messages":${text},${rest.slice(1)}`;
}

/**
 * The text of a field's value; the last, where the field is there twice. Undefined where there is none, or where names
 * are written with escapes.
 *
 * @param json an object, known to be well formed
 */
export function memberText(json: string, name: string): string | undefined {
  let found: string | undefined;
  let at = json.indexOf('{') + 1;
  for (;;) {
    const open = json.indexOf('"', at);
    if (open === -1) return found;
    const close = endOfString(json, open);
    const key = json.slice(open + 1, close - 1);
    if (key.includes('\\')) return undefined;
    const start = skipSpace(json, json.indexOf(':', close) + 1);
    const end = endOfValue(json, start);
    if (key === name) found = json.slice(start, end).trimEnd();
    at = end + 1;
  }
}

const quote = 34;
const comma = 44;
const backslash = 92;
/** The change of depth for each bracket. */
const depths: Readonly<Record<number, number>> = { 91: 1, 123: 1, 93: -1, 125: -1 };

/** Returns the end of the value: the next comma or bracket. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === quote) at = endOfString(json, at) - 1;
    else if (depth === 0 && (code === comma || depths[code] === -1)) return at;
    else depth += depths[code] ?? 0;
  }
  return json.length;
}

/** Past the closing quote of the string whose opening one is at `open`. */
function endOfString(json: string, open: number): number {
  let close = json.indexOf('"', open + 1);
  while (close !== -1 && isEscaped(json, close)) close = json.indexOf('"', close + 1);
  return close === -1 ? json.length : close + 1;
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json.charCodeAt(before) === backslash) before -= 1;
  return (at - before) % 2 === 0;
}

function skipSpace(json: string, start: number): number {
  let at = start;
  while (json.charCodeAt(at) <= 32) at += 1;
  return at;
}
