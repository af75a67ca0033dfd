import { type KeptMessage, templateMessage } from '../../../../tracking/core/messages.ts';
import type { ModelText, TemplateMessage } from '../../../../tracking/core/tokenizer.ts';

type Tools = readonly unknown[] | undefined;

export interface Prompt {
  readonly text: string;
  readonly ids: Int32Array;
  readonly messages: readonly TemplateMessage[];
  readonly tools: Tools;
}

/** A prompt with its reply, up to and including the end token. */
type Answered = Pick<Prompt, 'text' | 'ids'>;

/**
 * Renders the prompts of an episode. Replies of the model keep the tokens that it sampled. To tokenize their texts again could
 * give other tokens, and training would then compare log probabilities of different sequences.
 */
export class EpisodePrompts {
  readonly #text: ModelText;
  readonly #endText: string;
  /** The longest last. */
  readonly #answered: Answered[] = [];

  constructor(text: ModelText) {
    const { tokenizer } = text;
    this.#text = text;
    this.#endText = new TextDecoder().decode(tokenizer.bytesOf(tokenizer.eos));
  }

  /** Throws the error of the template. */
  render(kept: readonly KeptMessage[], tools: Tools): Prompt {
    const messages = kept.map(templateMessage);
    const text = this.#render(messages, tools, true);
    // A template that writes a history in another way, for example without its reasoning, matches no earlier text.
    const known = this.#answered.findLast((each) => text.startsWith(each.text));
    const rest = this.#text.tokenizer.encode(text.slice(known?.text.length ?? 0));
    return { text, ids: Int32Array.from([...(known?.ids ?? []), ...rest]), messages, tools };
  }

  /** @param tokenIds what the model sampled, with or without the end token */
  answered({ text, ids, messages, tools }: Prompt, reply: KeptMessage, tokenIds: Int32Array): void {
    const { eos } = this.#text.tokenizer;
    let after: string;
    try {
      after = this.#render([...messages, templateMessage(reply)], tools, false);
    } catch {
      return; // a later prompt with this reply fails too, or is tokenized as a whole
    }
    const end = this.#endText === '' ? -1 : after.lastIndexOf(this.#endText);
    if (!after.startsWith(text) || end < text.length) return;
    const body = tokenIds.at(-1) === eos ? tokenIds.subarray(0, -1) : tokenIds;
    this.#answered.push({
      text: after.slice(0, end + this.#endText.length),
      ids: Int32Array.from([...ids, ...body, eos]),
    });
    this.#answered.sort((one, other) => one.text.length - other.text.length);
  }

  #render(messages: readonly TemplateMessage[], tools: Tools, addGenerationPrompt: boolean): string {
    return this.#text.template.render(messages, { ...(tools && { tools }), addGenerationPrompt });
  }
}
