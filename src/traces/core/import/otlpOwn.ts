/** Reads the attributes that AgentJet's export adds to OTLP; see otlpNames.ts. */
import { shallowJson } from '../shallowJson.ts';
import * as z from 'zod/mini';
import { otlpNames } from '../otlpNames.ts';
import { numberOf, textOf } from './chat.ts';
import type { OtlpSpan } from './otlpSpan.ts';
import type { EpisodePart, FactsPart, ImportedMessage, TimelinePart, TokensPart } from './parts.ts';

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
export type ExportedMessage = z.infer<typeof message>;

const texts = z.record(z.string(), z.string());

/**
 * Returns the parts of a span that AgentJet exported; empty for other spans, and for calls, which are read like any
 * other.
 */
export function ownParts(span: OtlpSpan): readonly EpisodePart[] {
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

function importedMessage(read: ExportedMessage): ImportedMessage {
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
