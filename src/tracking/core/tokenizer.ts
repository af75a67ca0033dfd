import type { TokenizerInfo } from './records/tracedRun.ts';

/** A model's tokenizer, or what stands in for it. */
export interface Tokenizer {
  /** Returns the ids of a text. Special tokens in the text are recognized, and no tokens are added. */
  encode(text: string): number[];
  /** UTF-8 of one token; may be a part of a character. Unknown ids: empty. */
  bytesOf(id: number): Uint8Array;
  /** The id of exactly these bytes; undefined: no single token has them. */
  idOf(bytes: Uint8Array): number | undefined;
  isSpecial(id: number): boolean;
  /** The token that ends a reply, such as `<|im_end|>` of ChatML. */
  readonly eos: number;
}

/** A message as a chat template sees it: arguments of tool calls are objects, not JSON. */
export interface TemplateMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly unknown[];
  readonly tool_call_id?: string;
}

export interface ChatTemplate {
  /** @throws CodedError `tracking/template` with the template's own message */
  render(messages: readonly TemplateMessage[], options: RenderOptions): string;
}

export interface RenderOptions {
  /** The tools as sent in the request (`{type: 'function', function: {…}}`). */
  readonly tools?: readonly unknown[];
  readonly addGenerationPrompt: boolean;
}

export interface ModelText {
  readonly note: TokenizerInfo;
  readonly tokenizer: Tokenizer;
  readonly template: ChatTemplate;
}
