import { commonPrefixLength } from '../../base/core/commonPrefix.ts';
import type { TracedMessage } from './records/trace.ts';
import { bytesOf } from './replyTokens.ts';
import type { CallProblem } from './problems.ts';
import type { Tokenizer } from './tokenizer.ts';

/** A reply and the message that it came back as; `token` is the first of the message's that differs. */
interface Return {
  readonly reply: number;
  readonly token: number;
}

/** Detects that the template gives other tokens for a returned reply than the model generated. Compares a pair once. */
export class DriftDetector {
  readonly #tokenizer: Tokenizer;
  readonly #at: (position: number) => TracedMessage;
  /** By text and tool calls: the call and the position of the last such reply. */
  readonly #replies = new Map<string, { readonly call: number; readonly position: number }>();
  /** By the message's position: what it was compared with last. */
  readonly #returns = new Map<number, Return>();

  /** @param at the message at a position of the episode's list */
  constructor(tokenizer: Tokenizer, at: (position: number) => TracedMessage) {
    this.#tokenizer = tokenizer;
    this.#at = at;
  }

  /** Forgets the replies: they are of an attempt that failed. */
  restart(): void {
    this.#replies.clear();
  }

  /** @param position of the reply */
  answered(call: number, position: number): void {
    this.#replies.set(keyOf(this.#at(position)), { call, position });
  }

  /** Returns the first of a request's messages, given by position, that has drifted. */
  found(messages: readonly number[]): CallProblem | undefined {
    for (const [index, position] of messages.entries()) {
      const message = this.#at(position);
      const reply = message.role === 'assistant' ? this.#replies.get(keyOf(message)) : undefined;
      if (reply === undefined) continue;
      const made = this.#at(reply.position);
      const token = this.#firstDifference(position, reply.position);
      if (token !== null) return this.#drift({ index, token, message, made, call: reply.call });
    }
    return undefined;
  }

  /** Null: none differs. */
  #firstDifference(position: number, reply: number): number | null {
    let known = this.#returns.get(position);
    if (known?.reply !== reply) {
      known = { reply, token: commonPrefixLength(this.#at(position).tokenIds, this.#at(reply).tokenIds) };
      this.#returns.set(position, known);
    }
    const { length } = this.#at(position).tokenIds;
    return known.token === length && length === this.#at(reply).tokenIds.length ? null : known.token;
  }

  #drift({ index, token, message, made, call }: Drift): CallProblem {
    const sameText = this.#textOf(message) === this.#textOf(made);
    const how = sameText
      ? 'the chat template gives other tokens for its text'
      : 'the chat template gives another text';
    const ids = `${message.tokenIds[token] ?? 'its end'}; the model generated ${made.tokenIds[token] ?? 'its end'}`;
    return {
      code: 'retokenization-drift',
      severity: 'warning',
      about: sameText ? 'tokens' : 'text',
      clause: `message ${index} is the reply of call ${call}, but ${how} from its token ${token} on (${ids}).`,
    };
  }

  #textOf({ tokenIds }: TracedMessage): string {
    return bytesOf([...tokenIds], this.#tokenizer).join(' ');
  }
}

interface Drift {
  readonly index: number;
  readonly token: number;
  readonly message: TracedMessage;
  readonly made: TracedMessage;
  readonly call: number;
}

function keyOf({ text, toolCalls }: TracedMessage): string {
  return JSON.stringify([text, toolCalls]);
}
