import type { TracedMessage, TracedToken } from '../../../src/tracking/core/records/trace.ts';

/** Tokens by their text, as a tokenizer that knows these only; ids count from 100. Those with bars around are special. */
export class Words {
  readonly tokens: TracedToken[] = [];
  readonly #ids = new Map<string, number>();

  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = 100 + this.#ids.size;
    this.#ids.set(text, id);
    this.tokens.push({ id, bytes: new TextEncoder().encode(text), special: /^<\|.*\|>$/.test(text) });
    return id;
  }

  /** As ChatML writes it: what the model made of a reply counts in the loss. */
  message(role: string, texts: readonly string[], changes: Partial<TracedMessage> = {}): TracedMessage {
    const trained = role === 'assistant' ? 1 : 0;
    const head = ['<|im_start|>', role, '\n'];
    const all = [...head, ...texts, '<|im_end|>', '\n'];
    const lossMask = all.map((_, at) => (at >= head.length && at < all.length - 1 ? trained : 0));
    return {
      role,
      author: trained === 1 ? 'llm' : 'env',
      text: texts.join(''),
      toolCalls: null,
      toolCallId: null,
      tokenIds: Int32Array.from(all, (text) => this.id(text)),
      logprobs:
        trained === 1 ? Float32Array.from(lossMask, (counts, at) => (counts === 1 ? -(at % 7) : NaN)) : null,
      lossMask: Uint8Array.from(lossMask),
      ...changes,
    };
  }
}
