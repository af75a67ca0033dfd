import { excerpt, excerptStart } from '../../base/core/excerpts.ts';
import type { TracedMessage } from './records/trace.ts';
import { sameItems } from './branches.ts';
import type { ExplainableCall } from './explainMerging.ts';
import type { CallProblem } from './problems.ts';
import type { MergeOptions } from './tracker.ts';

/** The timeline of a call that training keeps. */
export type TrainedCall = ExplainableCall & { readonly reply: number };

/** What of the history is another than it was: a field of a message, the tools, or how many messages there are. */
interface Snap {
  readonly field: 'role' | 'content' | 'tool_calls' | 'tool_call_id' | 'tokens' | 'tools' | 'messages';
  /** For a sentence: where it is, and what it was and is. */
  readonly told: string;
}

/**
 * Upstream's `detect_timeline_snap`: each timeline that is kept is compared with the one that was kept before it, whoever
 * asked, by the rules of merging, and told where it does not take that one over. Upstream only logs that it happened.
 */
export class SnapDetector {
  readonly #rules: MergeOptions;
  readonly #at: (position: number) => TracedMessage;
  #last: TrainedCall | undefined;

  /** @param at the message at a position of the episode's list */
  constructor(rules: MergeOptions, at: (position: number) => TracedMessage) {
    this.#rules = rules;
    this.#at = at;
  }

  /** Forgets the calls so far: they are of an attempt that failed. */
  restart(): void {
    this.#last = undefined;
  }

  kept(call: TrainedCall): CallProblem | undefined {
    const before = this.#last;
    this.#last = call;
    const snap = before && this.#snap(before, call);
    if (before === undefined || snap === undefined) return undefined;
    const isOwn = before.agent === call.agent;
    const other = isOwn ? '' : `, which another agent (${before.agent}) made`;
    const clause = `the history is not that of call ${before.call}, the one before${other}: ${snap.told}. AgentJet logs a merge failure here (\`detect_timeline_snap\`).`;
    // An agent's own history is told by itself: that others take turns must not hide it.
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
      return { field: 'messages', told: `it ends after ${own.length} of ${old.length} messages` };
    }
    if (this.#rules.ignoreTools || before.tools === now.tools) return undefined;
    return { field: 'tools', told: 'other tools are offered' };
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
    if (field === undefined) return { field: 'tokens', told: `${where} has the same text in other tokens` };
    const [before, now] = [field.of(one), field.of(other)];
    const start = excerptStart(before, now);
    const quoted = [before, now].map((text) => JSON.stringify(excerpt(text, start)));
    return {
      field: field.name,
      told: `${where} has another \`${field.name}\`: ${quoted.join(', now ')}`,
    };
  }
}

/** What merging by text looks at comes first; by token, any of these may make other tokens. */
const textFields: readonly {
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
