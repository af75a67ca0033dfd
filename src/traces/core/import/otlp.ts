/**
 * Imports OTLP/JSON, one document or one per line. Supported contents:
 * - GenAI conventions: `gen_ai.input.messages` and `gen_ai.output.messages` with parts
 * - their older numbered form: `gen_ai.prompt.N.*` and `gen_ai.completion.N.*`
 * - OpenInference's `llm.input_messages.N.message.*`
 * - rewards of agent-lightning
 * - inputs and outputs of AgentScope
 * - attributes that AgentJet's export adds
 */
import * as z from 'zod/mini';
import { shallowJson } from '../shallowJson.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { otlpNames } from '../otlpNames.ts';
import { numberOf, textOf } from './chat.ts';
import { eachValue } from './eachValue.ts';
import { genAiCall, isModelCall } from './otlpCall.ts';
import { attributesOf, otlpSpan, type Attributes, type OtlpSpan } from './otlpSpan.ts';
import type {
  EpisodePart,
  FactsPart,
  ImportedMessage,
  Importer,
  ImportSink,
  ImportSource,
  TimelinePart,
  TokensPart,
  ToolPart,
} from './parts.ts';

const wrappers = ['resourceSpans', 'resource_spans'];
const scopes = ['scopeSpans', 'scope_spans', 'instrumentationLibrarySpans'];

export const otlp: Importer = {
  label: 'OTLP/JSON',
  run: async (source, sink) => {
    // Exporters write children before their parents, so relatives are known only after a first pass.
    const relatives = new SpanRelatives();
    for await (const { span } of spansOf(source, { skip: () => undefined })) if (span) relatives.add(span);
    for await (const { where, span } of spansOf(source, sink)) takeSpan(where, span, relatives, sink);
  },
};

interface FoundSpan {
  readonly where: string;
  /** Undefined: it cannot be read. */
  readonly span: OtlpSpan | undefined;
}

async function* spansOf(source: ImportSource, sink: Pick<ImportSink, 'skip'>): AsyncGenerator<FoundSpan> {
  let resource: Attributes = {};
  for await (const { where, path, value } of eachValue(source, wantedPaths(), sink)) {
    if (path === '') yield* spansOfDocument(where, value, sink);
    else if (path.endsWith('/resource')) resource = resourceOf(value);
    else yield { where, span: otlpSpan(value, resource) };
  }
}

export function isOtlp(value: unknown): boolean {
  return isRecord(value) && wrappers.some((name) => Array.isArray(value[name]));
}

function wantedPaths(): readonly string[] {
  return wrappers.flatMap((wrapper) => [
    `${wrapper}/*/resource`,
    ...scopes.map((scope) => `${wrapper}/*/${scope}/*/spans/*`),
  ]);
}

function resourceOf(value: unknown): Attributes {
  return isRecord(value) ? attributesOf(value['attributes']) : {};
}

function* spansOfDocument(
  where: string,
  value: unknown,
  sink: Pick<ImportSink, 'skip'>,
): Generator<FoundSpan> {
  if (!isOtlp(value) || !isRecord(value)) {
    sink.skip(where, 'it is not an OTLP document with spans');
    return;
  }
  for (const group of wrappers.flatMap((name) => listOf(value[name])).filter(isRecord)) {
    const resource = resourceOf(group['resource']);
    for (const scope of scopes.flatMap((name) => listOf(group[name])).filter(isRecord)) {
      for (const span of listOf(scope['spans'])) yield { where, span: otlpSpan(span, resource) };
    }
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function takeSpan(
  where: string,
  span: OtlpSpan | undefined,
  relatives: SpanRelatives,
  sink: ImportSink,
): void {
  if (span === undefined) {
    sink.skip(where, 'it is not a span');
    return;
  }
  const service = textOf(span.attributes['service.name']);
  if (service !== undefined) sink.name(service);
  const parts = partsOf(span, relatives);
  if (isUnreadTimeline(span, parts)) sink.skip(where, 'it is a timeline whose messages cannot be read');
  if (parts.length > 0) sink.add(episodeOf(span, relatives), parts);
}

function isUnreadTimeline({ attributes }: OtlpSpan, parts: readonly EpisodePart[]): boolean {
  return attributes[otlpNames.kind] === 'timeline' && parts.every(({ kind }) => kind !== 'timeline');
}

/** Returns the name of the episode. A conversation is one episode, even if each of its turns has its own trace. */
function episodeOf({ traceId, spanId, attributes }: OtlpSpan, relatives: SpanRelatives): string {
  const rollout =
    textOf(attributes['agentjet.rollout.id']) ??
    textOf(attributes['agentlightning.rollout_id']) ??
    textOf(attributes['rollout_id']);
  return rollout ?? relatives.conversationOf(traceId, spanId) ?? traceId;
}

function partsOf(span: OtlpSpan, relatives: SpanRelatives): readonly EpisodePart[] {
  const own = ownParts(span);
  const agent = relatives.agentOf(span.traceId, span.spanId);
  const calls = own.length === 0 && isModelCall(span) ? [{ ...genAiCall(span), agent }] : [];
  return [...own, ...calls, ...[toolOf(span), factsOf(span)].filter((part) => part !== undefined)];
}

function toolOf({ attributes, startedAt, endedAt, error }: OtlpSpan): ToolPart | undefined {
  const operation = attributes['gen_ai.operation.name'] ?? attributes['openinference.span.kind'];
  const name = textOf(attributes['gen_ai.tool.name']) ?? textOf(attributes['tool.name']);
  if ((operation !== 'execute_tool' && operation !== 'TOOL') || name === undefined) return undefined;
  if (startedAt === null || endedAt === null) return undefined;
  const seconds = Math.max(0, endedAt - startedAt) / 1_000;
  return { kind: 'tool', name, startedAt, seconds, error: error === '' ? 'It failed.' : error };
}

interface Relative {
  readonly parentId: string | null;
  readonly agent: string | undefined;
  readonly conversation: string | undefined;
}

/** Limits the time for a file with a long chain of spans. */
const mostAncestors = 1_000;

/** The names that spans inherit from their ancestors. */
class SpanRelatives {
  readonly #spans = new Map<string, Relative>();

  add({ traceId, spanId, parentId, attributes }: OtlpSpan): void {
    this.#spans.set(`${traceId} ${spanId}`, {
      parentId,
      agent: textOf(attributes['gen_ai.agent.name']) ?? textOf(attributes['agent.name']),
      conversation: textOf(attributes['gen_ai.conversation.id']),
    });
  }

  /** Returns the agent of the nearest span that names one. */
  agentOf(traceId: string, spanId: string): string | null {
    return this.#lineOf(traceId, spanId).find(({ agent }) => agent !== undefined)?.agent ?? null;
  }

  /** Returns the conversation of the outermost span that names one. */
  conversationOf(traceId: string, spanId: string): string | undefined {
    const line = this.#lineOf(traceId, spanId);
    return line.findLast(({ conversation }) => conversation !== undefined)?.conversation;
  }

  /** Returns the span and its nearest ancestors, the nearest first. A damaged file can have a circle. */
  #lineOf(traceId: string, spanId: string): readonly Relative[] {
    const line = new Set<Relative>();
    let id: string | null = spanId;
    while (id !== null && line.size < mostAncestors) {
      const span = this.#spans.get(`${traceId} ${id}`);
      if (span === undefined || line.has(span)) break;
      line.add(span);
      id = span.parentId;
    }
    return [...line];
  }
}

function factsOf(span: OtlpSpan): FactsPart | undefined {
  const { attributes, parentId, startedAt, endedAt, error } = span;
  const scores = evaluations(span);
  const reward = rewardOf(attributes) ?? scores['reward'];
  const isRoot = parentId === null;
  const task = textOf(attributes['agentjet.task.id']) ?? textOf(attributes['task_id']);
  const facts: FactsPart = {
    kind: 'facts',
    ...(isRoot && startedAt !== null && { startedAt }),
    ...(isRoot && endedAt !== null && { endedAt }),
    ...(isRoot && error !== null && !isModelCall(span) && { error: error === '' ? 'It failed.' : error }),
    ...(reward !== undefined && { reward }),
    ...(Object.keys(scores).length > 0 && { metrics: scores }),
    ...(task !== undefined && { task }),
  };
  return Object.keys(facts).length > 1 ? facts : undefined;
}

function rewardOf(attributes: Attributes): number | undefined {
  const output = attributes['agentops.task.output'] ?? attributes['agentops.entity.output'];
  const reported = typeof output === 'string' ? shallowJson(output) : output;
  return (
    numberOf(attributes['agentjet.reward']) ??
    numberOf(attributes['agentlightning.reward.0.value']) ??
    (isRecord(reported) && reported['type'] === 'reward' ? numberOf(reported['value']) : undefined)
  );
}

function evaluations({ events, attributes }: OtlpSpan): Readonly<Record<string, number>> {
  const named = [...events, { name: '', attributes }].flatMap(({ attributes: fields }) => {
    const name = textOf(fields['gen_ai.evaluation.name']);
    const score = numberOf(fields['gen_ai.evaluation.score.value']);
    return name === undefined || score === undefined ? [] : [[name, score] as const];
  });
  return Object.fromEntries(named);
}

/** A message of a timeline, as AgentJet's export writes it; see otlpNames.ts. */
const message = z.object({
  role: z.string(),
  author: z.string(),
  text: z.string(),
  tool_calls: z.nullable(z.string()),
  tool_call_id: z.nullable(z.string()),
  token_ids: z.array(z.int()),
  loss_mask: z.array(z.union([z.literal(0), z.literal(1)])),
  logprobs: z.nullable(z.array(z.nullable(z.number()))),
});

const texts = z.record(z.string(), z.string());

/** Returns the parts of an exported episode or timeline. Exported calls are read like any other. */
function ownParts(span: OtlpSpan): readonly EpisodePart[] {
  switch (span.attributes[otlpNames.kind]) {
    case 'episode':
      return [episodeFacts(span)];
    case 'timeline':
      return timelineParts(span);
    default:
      return [];
  }
}

function episodeFacts({ attributes, error }: OtlpSpan): FactsPart {
  const [query, uuid] = [textOf(attributes[otlpNames.query]), textOf(attributes[otlpNames.rollout])];
  const isSuccess = attributes[otlpNames.isSuccess];
  const reward = numberOf(attributes[otlpNames.reward]);
  const [task, group] = [textOf(attributes[otlpNames.task]), numberOf(attributes[otlpNames.group])];
  return {
    kind: 'facts',
    ...(task !== undefined && group !== undefined && { group: `${group}/${task}` }),
    ...(query !== undefined && { query }),
    ...(uuid !== undefined && { uuid }),
    ...(reward !== undefined && { reward }),
    ...(typeof isSuccess === 'boolean' && { isSuccess }),
    ...(error !== null && error !== '' && { error }),
  };
}

function timelineParts({ attributes }: OtlpSpan): readonly (TimelinePart | TokensPart)[] {
  const read = z.array(message).safeParse(shallowJson(textOf(attributes[otlpNames.messages]) ?? ''));
  const named = texts.safeParse(shallowJson(textOf(attributes[otlpNames.tokenTexts]) ?? '{}'));
  const special = new Set(
    z.catch(z.array(z.int()), []).parse(shallowJson(textOf(attributes[otlpNames.specialTokens]) ?? '[]')),
  );
  const calls = z.array(z.int()).safeParse(shallowJson(textOf(attributes[otlpNames.calls]) ?? ''));
  if (!read.success) return [];
  const tokens = Object.entries(named.success ? named.data : {}).map(([id, text]) => {
    return { id: Number(id), text, special: special.has(Number(id)) };
  });
  return [
    {
      kind: 'timeline',
      ...(calls.success && { calls: calls.data }),
      messages: read.data.map(importedMessage),
    },
    ...(tokens.length > 0 ? [{ kind: 'tokens', tokens } as const] : []),
  ];
}

function importedMessage(read: z.infer<typeof message>): ImportedMessage {
  const ids = read.token_ids;
  return {
    role: read.role,
    text: read.text,
    toolCalls: read.tool_calls,
    toolCallId: read.tool_call_id,
    fromModel: read.author === 'llm',
    ...(ids.length > 0 && { tokens: { ids, lossMask: read.loss_mask, logprobs: read.logprobs } }),
  };
}
