import { parseJson } from '../../../../base/core/parseJson.ts';
import { isRecord } from '../../../../base/core/isRecord.ts';
import {
  isDict,
  isList,
  isTrue,
  parsePythonLiteral,
  type PythonDict,
  type PythonValue,
  hasLoneSurrogate,
  PythonLiteralError,
} from './pythonLiteral.ts';

export type SpanResult =
  | { readonly kind: 'pair'; readonly query: string; readonly answer: PlainAnswer }
  /** Training skips it silently. */
  | { readonly kind: 'skipped' }
  /** Training fails at it. */
  | { readonly kind: 'fatal'; readonly reason: string };

/** An answer that does not stop training: a text or an empty value. */
type PlainAnswer = string | 0 | false | readonly [] | Readonly<Record<string, never>>;

class Fatal extends Error {}

const skipped: SpanResult = { kind: 'skipped' };

/**
 * Reads a span of AgentScope Studio (`span_table.attributes`) as upstream's `LocalSqliteConnectorV1` does. The messages are
 * in `input.kwargs.msg` and `output`, both printed as `Msg(…)`. The pair counts if the first is a user's, the second an
 * assistant's, and both have content.
 */
export function readSpan(attributes: unknown): SpanResult {
  try {
    return pairOf(attributes);
  } catch (error) {
    if (error instanceof Fatal) return { kind: 'fatal', reason: error.message };
    throw error;
  }
}

function pairOf(attributes: unknown): SpanResult {
  const span = readAttributes(attributes);
  const asked = member(member(member(span, 'input'), 'kwargs'), 'msg');
  const said = isRecord(span) ? span['output'] : undefined;
  if (asked === null || said === undefined || said === null) return skipped;
  const query = parseMessage(asked);
  const reply = parseMessage(said);
  if (reply === undefined) throw new Fatal('its output is not a readable message');
  const answer = textOf(reply.content);
  if (query?.role !== 'user' || reply.role !== 'assistant') return skipped;
  if (query.content === null || answer === null) return skipped;
  if (typeof query.content !== 'string') throw new Fatal('the content of its message is not a string');
  const plain = plainAnswer(answer);
  if ([query.content, plain].some((text) => typeof text === 'string' && hasLoneSurrogate(text))) {
    throw new Fatal('it has a lone surrogate, which UTF-8 cannot encode');
  }
  return { kind: 'pair', query: query.content, answer: plain };
}

/** A list is its last element, a dictionary its `text`. */
function textOf(content: PythonValue): PythonValue {
  let value = content;
  if (isList(value)) {
    const last = value.at(-1);
    if (last === undefined) throw new Fatal('the content of its output is an empty list');
    value = last;
  }
  if (!isDict(value)) return value;
  const text = value.entries.get('text');
  if (text === undefined) throw new Fatal('the content of its output has no text');
  return text;
}

function plainAnswer(answer: PythonValue): PlainAnswer {
  if (typeof answer === 'string') return answer;
  if (isTrue(answer)) throw new Fatal('the text of its output is not a string');
  if (answer === false) return answer;
  if (isList(answer)) return [];
  if (isDict(answer)) return {};
  if (typeof answer === 'object' && answer?.kind === 'tuple') return [];
  if (typeof answer === 'object') throw new Fatal('the text of its output cannot be written as JSON');
  return 0;
}

interface Message {
  readonly role: PythonValue | undefined;
  /** Null where there is none. */
  readonly content: PythonValue;
}

/** Upstream's two patterns; `\w` is Python's, of all scripts. */
const message = /Msg\((.*)\)/s;
const field = /([\p{L}\p{N}_]+)=('[^\n]*?'|\[[^\n]*?\]|None)/gu;

/** Undefined for what upstream cannot parse. */
function parseMessage(text: unknown): Message | undefined {
  if (typeof text !== 'string') throw new Fatal('one of its messages is not a string');
  const inner = message.exec(text)?.[1];
  if (inner === undefined) return undefined;
  const fields = [...inner.matchAll(field)].map(([, key, value]) => `'${key}': ${value}`);
  const parsed = parseFields(`{${fields.join(', ')}}`);
  return parsed && { role: parsed.entries.get('role'), content: parsed.entries.get('content') ?? null };
}

function parseFields(text: string): PythonDict | undefined {
  try {
    const value = parsePythonLiteral(text);
    return isDict(value) ? value : undefined;
  } catch (error) {
    if (error instanceof PythonLiteralError) return undefined;
    throw error;
  }
}

/** Parses JSON as Python's `json.loads` does, with NaN and infinity. */
function readAttributes(attributes: unknown): unknown {
  if (typeof attributes !== 'string') throw new Fatal('its attributes are not a string');
  const plain = attributes.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs, (part) =>
    part.startsWith('"') ? part : '0',
  );
  const value = parseJson(attributes) ?? parseJson(plain);
  if (value === undefined) throw new Fatal('its attributes are not JSON');
  return value;
}

function member(value: unknown, name: string): unknown {
  if (isRecord(value) && Object.hasOwn(value, name)) return value[name];
  throw new Fatal(`its attributes have no ${name}`);
}
