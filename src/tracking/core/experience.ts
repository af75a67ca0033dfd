import { readMessages, templateMessage } from './messages.ts';
import type { ModelText, TemplateMessage } from './tokenizer.ts';

/** A conversation of which a workflow of Trinity-RFT wants tokens, as it was sent. */
export interface Conversation {
  readonly messages: readonly unknown[];
  readonly tools: readonly unknown[] | null;
}

/** The reply, with token ids if the server returned them. */
export interface Reply {
  readonly message: unknown;
  readonly ids: readonly number[] | null;
  readonly promptIds: readonly number[] | null;
  /** False: it was cut at its longest. */
  readonly ended: boolean;
}

export interface PromptTokens {
  readonly tokens: readonly number[];
  readonly text: string;
}

export interface ReplyTokens {
  /** Prompt and reply. */
  readonly tokens: readonly number[];
  readonly promptLength: number;
  readonly promptText: string;
}

export interface ConversationTokens {
  readonly tokens: readonly number[];
  /** True for each token of an assistant message. */
  readonly mask: readonly boolean[];
  /** Tokens before the first that an assistant said; 0 where none did. */
  readonly promptLength: number;
}

/** The prompt as Trinity renders it: a last message that is the assistant's is begun, not ended. */
export function promptTokens({ template, tokenizer }: ModelText, conversation: Conversation): PromptTokens {
  const { messages, options } = templated(conversation);
  const last = messages.at(-1);
  const begun = last?.role === 'assistant' ? last.content.trimEnd() : undefined;
  const whole = template.render(messages, { ...options, addGenerationPrompt: begun === undefined });
  const text =
    begun === undefined ? whole : whole.slice(0, Math.max(0, whole.lastIndexOf(begun)) + begun.length);
  return { tokens: tokenizer.encode(text), text };
}

/** Counts as vLLM does, with the server's ids if it returned them. The end token belongs to the reply. */
export function replyTokens(text: ModelText, conversation: Conversation, reply: Reply): ReplyTokens {
  const prompt = promptTokens(text, conversation);
  const given = reply.promptIds ?? prompt.tokens;
  const own = reply.ids ?? ownTokens(text, conversation, reply, prompt.text);
  return {
    tokens: [...given, ...own],
    promptLength: given.length,
    promptText: prompt.text,
  };
}

/** A conversation as one sample, masked as Trinity does: each reply from behind its prompt to where its message ends. */
export function conversationTokens(
  { template, tokenizer }: ModelText,
  conversation: Conversation,
): ConversationTokens {
  const { messages, options } = templated(conversation);
  const encoded = (end: number, addGenerationPrompt: boolean): readonly number[] =>
    tokenizer.encode(template.render(messages.slice(0, end), { ...options, addGenerationPrompt }));
  const tokens = encoded(messages.length, false);
  const mask = tokens.map(() => false);
  for (const [at, { role }] of messages.entries()) {
    if (role === 'assistant') mask.fill(true, encoded(at, true).length, encoded(at + 1, false).length);
  }
  return { tokens, mask, promptLength: Math.max(0, mask.indexOf(true)) };
}

interface Templated {
  readonly messages: readonly TemplateMessage[];
  readonly options: { readonly tools?: readonly unknown[] };
}

function templated({ messages, tools }: Conversation): Templated {
  const { kept } = readMessages(messages, false);
  return {
    messages: kept.map(templateMessage),
    options: tools === null || tools.length === 0 ? {} : { tools },
  };
}

/** Returns the tokens of a reply without ids: of its text, or of the template's output if it has tool calls. */
function ownTokens(
  { template, tokenizer }: ModelText,
  conversation: Conversation,
  { message, ended }: Reply,
  prompt: string,
): readonly number[] {
  const [said] = readMessages([message], false).kept;
  const end = ended ? [tokenizer.eos] : [];
  if (said === undefined) return end;
  if (said.toolCalls === null) return [...tokenizer.encode(said.text), ...end];
  const { messages, options } = templated(conversation);
  const whole = template.render([...messages, templateMessage(said)], {
    ...options,
    addGenerationPrompt: false,
  });
  if (!whole.startsWith(prompt)) return [...tokenizer.encode(said.text), ...end];
  const tokens = tokenizer.encode(whole.slice(prompt.length));
  const last = tokens.lastIndexOf(tokenizer.eos);
  return last === -1 ? [...tokens, ...end] : tokens.slice(0, ended ? last + 1 : last);
}
