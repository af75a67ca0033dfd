/**
 * Writes OTLP/JSON, one document per line, as its file format requires. An episode is a trace with the episode as root
 * span. LLM calls follow the GenAI conventions. Timelines with their tokens have AgentJet's own names.
 */
import { isRecord } from '../../../base/core/isRecord.ts';
import type { SpanRow } from '../protocol/episodeRpc.ts';
import type { RunView } from '../protocol/runRpc.ts';
import { hashDigits } from '../../../base/core/random.ts';
import { otlpNames } from '../otlpNames.ts';
import { shallowJson } from '../shallowJson.ts';
import {
  hasValues,
  type ExportedCall,
  type ExportedEpisode,
  type ExportedMessage,
  type ExportedTimeline,
} from './episode.ts';

type AnyValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number | 'Infinity' | '-Infinity' | 'NaN' }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly AnyValue[] } };

interface Attribute {
  readonly key: string;
  readonly value: AnyValue;
}

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly code: number; readonly message?: string };
}

const kinds = { internal: 1, client: 3 } as const;
const failed = 2;

/** Returns one line with its line break. */
export function otlpLine(episode: ExportedEpisode, run: RunView): string {
  const resource = attributes({
    'service.name': run.experiment === '' ? 'agentjet' : run.experiment,
    [otlpNames.tokenizer]: run.tokenizer.name,
    [otlpNames.exactTokenizer]: run.tokenizer.exact,
  });
  const scope = { name: 'agentjet' };
  const document = {
    resourceSpans: [
      { resource: { attributes: resource }, scopeSpans: [{ scope, spans: spansOf(episode, run) }] },
    ],
  };
  return `${JSON.stringify(document)}\n`;
}

function spansOf(episode: ExportedEpisode, run: RunView): readonly Span[] {
  const traceId = hashDigits(`${run.experiment} ${run.startedAt} ${episode.row.episode} ${episode.uuid}`, 32);
  const root = rootSpan(episode, traceId, run);
  const child = { traceId, parentSpanId: root.spanId };
  return [
    root,
    ...episode.calls.map((call) => ({ ...child, ...callSpan(call, { traceId, uuid: episode.uuid, run }) })),
    ...episode.timelines.map((timeline) => ({ ...child, ...timelineSpan(timeline, episode, traceId) })),
    ...episode.spans.map((span, index) => ({
      ...child,
      ...otherSpan(span, index, { traceId, uuid: episode.uuid, run }),
    })),
  ];
}

function rootSpan({ row, uuid, taskIndex, missing }: ExportedEpisode, traceId: string, run: RunView): Span {
  return {
    traceId,
    spanId: hashDigits(`${traceId} root`, 16),
    name: `invoke_agent ${row.taskId}`,
    kind: kinds.internal,
    ...times(row.startedAt, row.seconds ?? 0),
    attributes: attributes({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.conversation.id': uuid,
      [otlpNames.kind]: 'episode',
      [otlpNames.rollout]: uuid,
      [otlpNames.task]: row.taskId,
      [otlpNames.group]: taskIndex,
      [otlpNames.episode]: row.episode,
      [otlpNames.repeat]: row.repeat,
      [otlpNames.query]: row.query,
      [otlpNames.reward]: double(row.reward),
      [otlpNames.isSuccess]: hasValues(run, 'successes') ? row.isSuccess : null,
      [otlpNames.advantage]: double(row.advantage),
      [otlpNames.missing]: missing.length === 0 ? null : missing,
    }),
    ...(row.error !== null && { status: { code: failed, message: row.error.message } }),
  };
}

type ChildSpan = Omit<Span, 'traceId' | 'parentSpanId'>;

interface CallContext {
  readonly traceId: string;
  readonly uuid: string;
  readonly run: RunView;
}

function callSpan(
  { row, options, tools, messages, reply }: ExportedCall,
  { traceId, uuid, run }: CallContext,
): ChildSpan {
  const { model, ...request } = recordOf(shallowJson(options));
  const name = typeof model === 'string' ? model : '';
  const counts = hasValues(run, 'tokenCounts');
  const outputs = reply === null ? [] : [{ ...partsOf(reply), finish_reason: row.finishReason ?? '' }];
  return {
    spanId: hashDigits(`${traceId} call ${row.call}`, 16),
    name: `chat ${name}`.trim(),
    kind: kinds.client,
    ...times(row.startedAt, row.seconds),
    attributes: attributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'agentjet',
      'gen_ai.conversation.id': uuid,
      'gen_ai.request.model': name === '' ? null : name,
      ...requestAttributes(request),
      'gen_ai.agent.name': row.agent === '' ? null : row.agent,
      'gen_ai.input.messages': JSON.stringify(messages.map(partsOf)),
      'gen_ai.output.messages': reply === null ? null : JSON.stringify(outputs),
      'gen_ai.tool.definitions': tools,
      'gen_ai.response.finish_reasons': row.finishReason === null ? null : [row.finishReason],
      'gen_ai.usage.input_tokens': counts ? row.promptTokens : null,
      'gen_ai.usage.output_tokens': counts ? row.replyTokens : null,
      'error.type': row.error === null ? null : String(row.status),
      [otlpNames.kind]: 'call',
      [otlpNames.rollout]: uuid,
      [otlpNames.call]: row.call,
      [otlpNames.timeline]: row.timeline,
    }),
    ...(row.error !== null && { status: { code: failed, message: row.error } }),
  };
}

/**
 * Returns the span of a tool, which the conventions define, or of another part, such as the judge, which they do not.
 */
function otherSpan(
  { kind, name, startedAt, seconds, state, error }: SpanRow,
  index: number,
  { traceId, uuid }: CallContext,
): ChildSpan {
  const isTool = kind === 'tool';
  return {
    spanId: hashDigits(`${traceId} span ${index}`, 16),
    name: `${isTool ? 'execute_tool' : kind} ${name}`.trim(),
    kind: kinds.internal,
    ...times(startedAt, seconds ?? 0),
    attributes: attributes({
      'gen_ai.operation.name': isTool ? 'execute_tool' : null,
      'gen_ai.tool.name': isTool ? name : null,
      [otlpNames.kind]: kind,
      [otlpNames.rollout]: uuid,
      [otlpNames.state]: state,
    }),
    ...(error !== null && { status: { code: failed, message: error } }),
  };
}

function timelineSpan(
  { row, messages, tokenTexts, specialTokens }: ExportedTimeline,
  episode: ExportedEpisode,
  traceId: string,
): ChildSpan {
  const ids = messages.flatMap(({ tokenIds }) => tokenIds);
  const texts = new Map(
    ids
      .map((id, index) => [id, tokenTexts[index] ?? ''] as const)
      .filter(([id, text]) => id >= 0 && text !== ''),
  );
  return {
    spanId: hashDigits(`${traceId} timeline ${row.timeline}`, 16),
    name: `timeline ${row.timeline}`,
    kind: kinds.internal,
    ...times(episode.row.startedAt, episode.row.seconds ?? 0),
    attributes: attributes({
      [otlpNames.kind]: 'timeline',
      [otlpNames.rollout]: episode.uuid,
      [otlpNames.timeline]: row.timeline,
      [otlpNames.calls]: JSON.stringify(row.calls),
      [otlpNames.messages]: JSON.stringify(messages.map(tokensOf)),
      [otlpNames.tokenTexts]: texts.size === 0 ? null : JSON.stringify(Object.fromEntries(texts)),
      [otlpNames.specialTokens]: specialTokens.length === 0 ? null : JSON.stringify(specialTokens),
    }),
  };
}

/** The names of the GenAI conventions for options of the OpenAI API. */
const requestNames: Readonly<Record<string, { readonly name: string; readonly of: 'int' | 'double' }>> = {
  temperature: { name: 'temperature', of: 'double' },
  top_p: { name: 'top_p', of: 'double' },
  top_k: { name: 'top_k', of: 'double' },
  max_tokens: { name: 'max_tokens', of: 'int' },
  max_completion_tokens: { name: 'max_tokens', of: 'int' },
  seed: { name: 'seed', of: 'int' },
  n: { name: 'choice.count', of: 'int' },
  frequency_penalty: { name: 'frequency_penalty', of: 'double' },
  presence_penalty: { name: 'presence_penalty', of: 'double' },
};

function requestAttributes(options: Readonly<Record<string, unknown>>): Readonly<Record<string, Plain>> {
  return Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => {
      const known = requestNames[name];
      return known === undefined || typeof value !== 'number'
        ? []
        : [[`gen_ai.request.${known.name}`, known.of === 'double' ? double(value) : value] as const];
    }),
  );
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** Returns a message in the form of the conventions. */
function partsOf({ role, text, toolCalls, toolCallId }: ExportedMessage): object {
  if (toolCallId !== null)
    return { role, parts: [{ type: 'tool_call_response', id: toolCallId, response: text }] };
  const called = toolCalls === null ? [] : shallowJson(toolCalls);
  const calls = Array.isArray(called) ? called : [];
  const parts = [
    ...(text === '' && calls.length > 0 ? [] : [{ type: 'text', content: text }]),
    ...calls.map(callPart),
  ];
  return { role, parts };
}

function callPart(value: unknown): object {
  const { id, function: called } = recordOf(value);
  const { name = '', arguments: given = null } = recordOf(called);
  return {
    type: 'tool_call',
    ...(typeof id === 'string' && { id }),
    name,
    arguments: typeof given === 'string' ? structured(given) : given,
  };
}

/** Returns the parsed JSON if it keeps every character; otherwise the text. */
function structured(text: string): unknown {
  const value = shallowJson(text);
  return JSON.stringify(value) === text ? value : text;
}

function tokensOf(message: ExportedMessage): object {
  const { role, author, text, toolCalls, toolCallId, tokenIds, lossMask, logprobs } = message;
  return {
    ...{ role, author, text },
    tool_calls: toolCalls,
    tool_call_id: toolCallId,
    token_ids: tokenIds,
    loss_mask: lossMask,
    logprobs,
  };
}

/** Returns times in nanoseconds. An episode without times begins at the epoch. */
function times(startedAt: number, seconds: number): Pick<Span, 'startTimeUnixNano' | 'endTimeUnixNano'> {
  const nano = (milliseconds: number): string => String(BigInt(Math.round(milliseconds * 1_000)) * 1_000n);
  return { startTimeUnixNano: nano(startedAt), endTimeUnixNano: nano(startedAt + 1_000 * seconds) };
}

/** A number that is encoded as floating point even if it is whole, so that an attribute has one type. */
interface Double {
  readonly double: number;
}

function double(value: number | null): Double | null {
  return value === null ? null : { double: value };
}

type Plain = string | number | boolean | null | readonly string[] | Double;

function attributes(values: Readonly<Record<string, Plain>>): readonly Attribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === null ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: NonNullable<Plain>): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: doubleValue(value) };
  if ('double' in value) return { doubleValue: doubleValue(value.double) };
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } };
}

/** JSON has no number for these values. Protobuf's JSON has names. */
function doubleValue(value: number): Extract<AnyValue, { readonly doubleValue: unknown }>['doubleValue'] {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}
