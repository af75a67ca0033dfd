import { excerpt, excerptStart } from '../../base/core/commonPrefix.ts';
import type { ForkSideView, ForkView } from './protocol/mergingRpc.ts';
import type { TracedMessage } from '../../tracking/core/records/trace.ts';
import type { Fork } from '../../tracking/core/explainMerging.ts';
import type { StoredMergeableCall } from './mergeInputs.ts';
import { tokenRun, type TokenTable } from './tokenTable.ts';

export interface ForkParts {
  readonly messages: readonly TracedMessage[];
  readonly table: TokenTable;
  /** Numbers of timelines by the calls that end them. */
  readonly ends: ReadonlyMap<number, number>;
}

/** Number of tokens that are shown before and after the first difference. */
const before = 6;
const behind = 14;

/**
 * Returns a fork with its difference: the field of the message, and the tokens of both sides around the first
 * difference.
 */
export function forkView(fork: Fork, calls: readonly StoredMergeableCall[], parts: ForkParts): ForkView {
  const callOf = (number: number): StoredMergeableCall | undefined =>
    calls.find(({ call }) => call === number);
  const [earlier, now] = [callOf(fork.earlier), callOf(fork.call)];
  const [one, other] = [messageOf(earlier, fork.message, parts), messageOf(now, fork.message, parts)];
  const field = fork.cause === 'tools' ? toolsField(earlier, now) : fieldOf(one, other);
  const start = excerptStart(field.before, field.now);
  const from = Math.max(0, (fork.token ?? 0) - before);
  const side = (message: TracedMessage | undefined, value: string): ForkSideView | null => {
    if (message === undefined) return null;
    const end = fork.token === null ? from : Math.min(message.tokenIds.length, from + before + behind);
    const tokens = tokenRun(message.tokenIds, from, end, parts.table);
    const more = fork.token !== null && end < message.tokenIds.length;
    return { role: message.role, text: excerpt(value, start), tokens: { ...tokens, more } };
  };
  return {
    timeline: parts.ends.get(fork.call) ?? 0,
    earlier: parts.ends.get(fork.earlier) ?? 0,
    call: fork.call,
    earlierCall: fork.earlier,
    cause: fork.cause,
    message: fork.message,
    field: field.name,
    before: side(one, field.before),
    now: side(other, field.now),
    token: fork.token,
  };
}

interface Field {
  readonly name: ForkView['field'];
  readonly before: string;
  readonly now: string;
}

function messageOf(
  call: StoredMergeableCall | undefined,
  index: number,
  { messages }: ForkParts,
): TracedMessage | undefined {
  if (call === undefined) return undefined;
  const position = index === call.messages.length ? call.reply : call.messages[index];
  return messages[position ?? -1];
}

const fields: readonly {
  readonly name: ForkView['field'];
  readonly of: (message: TracedMessage) => string;
}[] = [
  { name: 'content', of: ({ text }) => text },
  { name: 'role', of: ({ role }) => role },
  { name: 'tool_calls', of: ({ toolCalls }) => toolCalls ?? '' },
  { name: 'tool_call_id', of: ({ toolCallId }) => toolCallId ?? '' },
];

/** Returns the first field that differs, in the order in which merging by text compares them. */
function fieldOf(one: TracedMessage | undefined, other: TracedMessage | undefined): Field {
  if (one === undefined || other === undefined) {
    return { name: 'messages', before: one?.text ?? '', now: other?.text ?? '' };
  }
  const differing = fields.find(({ of }) => of(one) !== of(other));
  if (differing === undefined) return { name: 'tokens', before: one.text, now: other.text };
  return { name: differing.name, before: differing.of(one), now: differing.of(other) };
}

function toolsField(one: StoredMergeableCall | undefined, other: StoredMergeableCall | undefined): Field {
  return { name: 'tools', before: one?.tools ?? '', now: other?.tools ?? '' };
}
