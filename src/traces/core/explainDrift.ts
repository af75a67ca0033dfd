import { largestMerging, type DriftDifference, type DriftView } from './protocol/mergingRpc.ts';
import type { TracedMessage } from '../../tracking/core/records/trace.ts';
import { align, type Hunk, type Range } from './align.ts';
import type { StoredMergeableCall } from './mergeInputs.ts';
import { tokenRun, type TokenTable } from './tokenTable.ts';

export interface Drifts {
  /** The first of them. */
  readonly drifts: readonly DriftView[];
  readonly count: number;
}

interface DriftedReply {
  readonly call: number;
  readonly again: number;
  readonly message: number;
  /** The model's message, and the template's version of it. */
  readonly made: TracedMessage;
  readonly templated: TracedMessage;
}

/**
 * Returns replies that came back as messages of later requests, and that the chat template tokenizes differently. Each
 * pair appears once, in however many requests.
 *
 * @param calls in the order in which they ended
 */
export function driftsOf(
  calls: readonly StoredMergeableCall[],
  messages: readonly TracedMessage[],
  table: TokenTable,
): Drifts {
  const found = driftedReplies(calls, messages);
  const drifts = found.slice(0, largestMerging.drifts).map(({ made, templated, ...drift }) => {
    const { hunks } = align(made.tokenIds, templated.tokenIds);
    const shown = hunks.slice(0, largestMerging.differences);
    return {
      ...drift,
      differences: shown.map((hunk) => difference(hunk, made, templated, table)),
      differenceCount: hunks.length,
    };
  });
  return { drifts, count: found.length };
}

function driftedReplies(
  calls: readonly StoredMergeableCall[],
  messages: readonly TracedMessage[],
): readonly DriftedReply[] {
  const replies = new Map<string, { readonly call: number; readonly position: number }>();
  const keys = new Map<number, string>();
  const compared = new Set<string>();
  const keyAt = (position: number): string => {
    const key =
      keys.get(position) ?? JSON.stringify([messages[position]?.text, messages[position]?.toolCalls]);
    keys.set(position, key);
    return key;
  };
  const found: DriftedReply[] = [];
  for (const { call, messages: asked, reply } of calls) {
    for (const [index, position] of asked.entries()) {
      const templated = messages[position];
      if (templated?.role !== 'assistant' || templated.author === 'llm') continue;
      const known = replies.get(keyAt(position));
      const made = messages[known?.position ?? -1];
      const pair = `${position} ${known?.position}`;
      if (known === undefined || made === undefined || compared.has(pair)) continue;
      compared.add(pair);
      if (!isSame(made.tokenIds, templated.tokenIds)) {
        found.push({ call: known.call, again: call, message: index, made, templated });
      }
    }
    if (reply !== null) replies.set(keyAt(reply), { call, position: reply });
  }
  return found;
}

function isSame(one: Int32Array, other: Int32Array): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}

function difference(
  { left, right }: Hunk,
  made: TracedMessage,
  templated: TracedMessage,
  table: TokenTable,
): DriftDifference {
  return {
    sameText: spelled(made, left, table) === spelled(templated, right, table),
    made: tokenRun(made.tokenIds, left.from, left.end, table),
    templated: tokenRun(templated.tokenIds, right.from, right.end, table),
  };
}

/** Returns the bytes of tokens as a text. Only equal bytes have equal texts. */
function spelled({ tokenIds }: TracedMessage, { from, end }: Range, table: TokenTable): string {
  return Array.from(tokenIds.subarray(from, end), (id) => table.at(id).bytes.join(' '))
    .filter((bytes) => bytes !== '')
    .join(' ');
}
