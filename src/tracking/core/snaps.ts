import { excerpt, excerptStart } from '../../base/core/commonPrefix.ts';
import type { TracedMessage } from './records/trace.ts';
import { sameItems } from './branches.ts';
import type { ExplainableCall } from './explainMerging.ts';
import type { CallProblem } from './problems.ts';
import type { MergeOptions } from './tracker.ts';

/** A call that training keeps. */
export type TrainedCall = ExplainableCall & { readonly reply: number };

/** A change of the history: in a field of a message, in the tools, or in the number of messages. */
interface Snap {
  readonly field: 'role' | 'content' | 'tool_calls' | 'tool_call_id' | 'tokens' | 'tools' | 'messages';
  /** A clause with the position and both values. */
  readonly description: string;
}

/** AgentJet's `detect_timeline_snap`, which only logs: compares a kept timeline with the one before, of any agent. */
export class SnapDetector {
  readonly #rules: MergeOptions;
  readonly #at: (position: number) => TracedMessage;
  #last: TrainedCall | undefined;

  /** @param at returns the message at a position of the episode's list */
  constructor(rules: MergeOptions, at: (position: number) => TracedMessage) {
    this.#rules = rules;
    this.#at = at;
  }

  restart(): void {
    this.#last = undefined;
  }

  kept(call: TrainedCall): CallProblem | undefined {
    const before = this.#last;
    this.#last = call;
    const snap = before && this.#snap(before, call);
    if (before === undefined || snap === undefined) return undefined;
    const isOwn = before.agent === call.agent;
    const other = isOwn ? '' : ` of another agent (${before.agent})`;
    const clause = `the history does not continue the previous call ${before.call}${other}: ${snap.description}. AgentJet logs a merge failure here (\`detect_timeline_snap\`).`;
    // Changes of an agent's own history are reported separately, so that alternating agents do not hide them.
    const about = isOwn ? snap.field : `${snap.field} of others`;
    return { code: 'timeline-snap', severity: 'warning', about, clause };
  }

  #snap(before: TrainedCall, now: TrainedCall): Snap | undefined {
    const [old, own] = [timeline(before), timeline(now)];
    for (let index = 0; index < Math.min(old.length, own.length); index++) {
      const [one, other] = [this.#at(old[index] ?? 0), this.#at(own[index] ?? 0)];
      if (!this.#same(one, other)) return this.#difference(one, other, index);
    }
    if (own.length < old.length) {
      return { field: 'messages', description: `it ends after ${own.length} of ${old.length} messages` };
    }
    if (this.#rules.ignoreTools || before.tools === now.tools) return undefined;
    return { field: 'tools', description: 'other tools are offered' };
  }

  #same(one: TracedMessage, other: TracedMessage): boolean {
    if (one === other) return true;
    return this.#rules.compareLevel === 'text'
      ? one.text === other.text
      : sameItems(one.tokenIds, other.tokenIds);
  }

  #difference(one: TracedMessage, other: TracedMessage, index: number): Snap {
    const where = `message ${index} (${other.role})`;
    const field = textFields.find(({ of }) => of(one) !== of(other));
    if (field === undefined)
      return { field: 'tokens', description: `${where} has the same text with other tokens` };
    const [before, now] = [field.of(one), field.of(other)];
    const start = excerptStart(before, now);
    const quoted = [before, now].map((text) => JSON.stringify(excerpt(text, start)));
    return {
      field: field.name,
      description: `${where} has another \`${field.name}\`: ${quoted.join(', now ')}`,
    };
  }
}

/** The compared fields. Merging by text looks only at the first one; by token, all of them matter. */
export const textFields: readonly {
  readonly name: Exclude<Snap['field'], 'tokens' | 'tools' | 'messages'>;
  readonly of: (message: TracedMessage) => string;
}[] = [
  { name: 'content', of: ({ text }) => text },
  { name: 'role', of: ({ role }) => role },
  { name: 'tool_calls', of: ({ toolCalls }) => toolCalls ?? '' },
  { name: 'tool_call_id', of: ({ toolCallId }) => toolCallId ?? '' },
];

function timeline({ messages, reply }: TrainedCall): readonly number[] {
  return [...messages, reply];
}
