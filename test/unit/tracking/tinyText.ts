import type { ModelText, TemplateMessage, Tokenizer } from '../../../src/tracking/core/tokenizer.ts';
import type { ReplyToken } from '../../../src/tracking/core/tracker.ts';

const specials = ['<|im_start|>', '<|im_end|>'] as const;
const pieces = /<\|im_start\|>|<\|im_end\|>| ?[a-zA-Z0-9]+|[^]/gu;

/** A tokenizer whose tokens are words, with the space before them; it counts what it is asked. */
export class WordTokenizer implements Tokenizer {
  readonly eos = 1;
  encodings = 0;
  /** Characters encoded. */
  characters = 0;
  readonly #words: string[] = [...specials];
  readonly #ids = new Map<string, number>(specials.map((text, id) => [text, id]));

  encode(text: string): number[] {
    this.encodings += 1;
    this.characters += text.length;
    return Array.from(text.matchAll(pieces), ([word]) => this.#idOf(word));
  }

  bytesOf(id: number): Uint8Array {
    return new TextEncoder().encode(this.#words[id] ?? '');
  }

  idOf(bytes: Uint8Array): number | undefined {
    const words = Array.from(new TextDecoder().decode(bytes).matchAll(pieces), ([word]) => word);
    return words.length === 1 && words[0] !== undefined ? this.#idOf(words[0]) : undefined;
  }

  isSpecial(id: number): boolean {
    return id < specials.length;
  }

  textOf(ids: Iterable<number>): string[] {
    return Array.from(ids, (id) => this.#words[id] ?? '?');
  }

  #idOf(word: string): number {
    const known = this.#ids.get(word);
    if (known !== undefined) return known;
    this.#ids.set(word, this.#words.length);
    return this.#words.push(word) - 1;
  }
}

/** ChatML as Qwen writes it, but for its wording: each message's text is the same wherever it stands. */
export function chatMl(
  messages: readonly TemplateMessage[],
  options: { readonly tools?: readonly unknown[]; readonly addGenerationPrompt: boolean },
): string {
  const parts = messages.map((message, index) => {
    const { role, content, tool_calls: calls } = message;
    if (role === 'tool') return toolResult(messages, index);
    const tools = index === 0 && options.tools ? ` tools ${JSON.stringify(options.tools)}` : '';
    const called = (calls ?? [])
      .map((call) => `\n<tool_call>\n${JSON.stringify(call)}\n</tool_call>`)
      .join('');
    return `<|im_start|>${role}\n${content}${tools}${called}<|im_end|>\n`;
  });
  return parts.join('') + (options.addGenerationPrompt ? '<|im_start|>assistant\n' : '');
}

function toolResult(messages: readonly TemplateMessage[], index: number): string {
  const head = messages[index - 1]?.role === 'tool' ? '' : '<|im_start|>user';
  const tail = messages[index + 1]?.role === 'tool' ? '' : '<|im_end|>\n';
  return `${head}\n<tool_response>\n${messages[index]?.content ?? ''}\n</tool_response>${tail}`;
}

export interface TinyText extends ModelText {
  readonly tokenizer: WordTokenizer;
}

export function tinyText(render: ModelText['template']['render'] = chatMl, exact = true): TinyText {
  return {
    note: { name: exact ? 'tiny' : 'built-in', exact, file: exact ? '/tiny/tokenizer.json' : null },
    tokenizer: new WordTokenizer(),
    template: { render },
  };
}

/** Tokens as an endpoint tells them that names them by their text: one word, one logprob. */
export function tokensByText(words: readonly string[], logprob = -0.5): ReplyToken[] {
  return words.map((word) => ({ id: null, bytes: [...new TextEncoder().encode(word)], logprob }));
}

/** Tokens as an engine tells them that gives ids. */
export function tokensById(text: TinyText, written: string, logprob = -0.25): ReplyToken[] {
  return text.tokenizer.encode(written).map((id) => ({ id, bytes: [], logprob }));
}
