import * as z from 'zod/mini';
import { canonicalJson } from '../../base/core/canonicalJson.ts';
import type { MergeRules } from '../../tracking/core/records/tracedRun.ts';
import type { TracedMessage } from '../../tracking/core/records/trace.ts';
import type { ExplainableCall } from '../../tracking/core/explainMerging.ts';
import { takenOverMask } from '../../tracking/core/replyTokens.ts';
import { int32Values } from './layout.ts';
import type { MessageRecord } from './records.ts';
import type { TraceQueries } from './traceQueries.ts';
import type { MessageText, MessageTokens } from './messageQueries.ts';

/** The defaults of AgentJet. */
export const upstreamRules: MergeRules = { compareLevel: 'text', ignoreTools: true };

/** A call as merging sees it, with both settings of `fix_retokenization_drift`. */
export interface StoredMergeableCall extends ExplainableCall {
  /** Positions with the other setting; null: the same. */
  readonly otherMessages: readonly number[] | null;
}

export interface MergeInputs {
  /** The calls in the order in which they ended. */
  readonly calls: readonly StoredMergeableCall[];
  /** By position. */
  readonly messages: readonly TracedMessage[];
  readonly lossMaskOf: (reply: TracedMessage) => Uint8Array;
}

export interface MessageSource {
  /** The number of stored messages; positions have no gaps. */
  readonly count: number;
  head(position: number): MessageRecord;
  text(position: number): MessageText;
  tokens(position: number): MessageTokens;
}

/** Returns the calls and messages that an episode's timelines are merged from, without replies to overlong prompts. */
export function mergeInputs(trace: TraceQueries, episode: number, stored: MessageSource): MergeInputs {
  const special = new Set(trace.specialTokens());
  const disabled = trace.merging()?.toolCallsDisabled === true;
  const rows = trace.rows.all(mergeableRecord, mergeable, { episode });
  const calls = rows.map(({ messages, otherMessages, tools, ...call }) => ({
    ...call,
    messages: [...int32Values(messages)],
    otherMessages: otherMessages && [...int32Values(otherMessages)],
    tools: disabled ? noTools : comparable(tools),
  }));
  return {
    calls: calls.filter(({ reply }) => reply === null || stored.head(reply).author !== 'llm(do_not_train)'),
    // All messages, including canned replies, because merging adds new ones after the last.
    messages: Array.from({ length: stored.count }, (_, position) => ({
      ...stored.head(position),
      ...stored.text(position),
      ...stored.tokens(position),
    })),
    lossMaskOf: (reply) => takenOverMask(reply, (id) => special.has(id)),
  };
}

const noTools = '[]';

/** AgentJet compares tools as values. */
function comparable(tools: string | null): string {
  if (tools === null) return noTools;
  try {
    return canonicalJson(JSON.parse(tools));
  } catch {
    return tools; // of a damaged trace; it equals itself
  }
}

const blob = z.custom<Uint8Array>((value) => value instanceof Uint8Array);

const mergeableRecord = z.object({
  call: z.number(),
  agent: z.string(),
  reply: z.nullable(z.number()),
  tools: z.nullable(z.string()),
  messages: blob,
  otherMessages: z.nullable(blob),
});

const mergeable = `
SELECT call, agent, reply, tools.tools, callDetails.messages, otherRequests.messages AS otherMessages
FROM calls JOIN callDetails ON callDetails.key = (episode << 20) + call
  LEFT JOIN tools ON tools.id = callDetails.tools
  LEFT JOIN otherRequests ON otherRequests.key = callDetails.key
WHERE episode = :episode ORDER BY ended`;
