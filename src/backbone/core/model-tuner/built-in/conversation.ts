import type { ChatRequest } from '../model.ts';

type Message = ChatRequest['messages'][number];

/** The parts of a request's messages that the built-in model uses. */
export interface Conversation {
  /** The user's messages, oldest first. */
  readonly userTexts: readonly string[];
  /** The last tool result after the last user message. */
  readonly lastResult: ToolResult | undefined;
  /** True if the instructions ask for the result in `\boxed{}`. */
  readonly wantsBox: boolean;
}

export interface ToolResult {
  /** The arguments of the call as JSON text; undefined if the conversation does not have the call. */
  readonly argumentsJson: string | undefined;
  readonly text: string;
}

export function readConversation(messages: readonly Message[]): Conversation {
  const userTexts = messages.filter((message) => message.role === 'user').map(messageText);
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const instructions = messages.filter(({ role }) => ['system', 'developer', 'user'].includes(role));
  return {
    userTexts,
    lastResult: messages
      .slice(lastUser + 1)
      .flatMap((message) => readToolResult(message, messages))
      .at(-1),
    wantsBox: instructions.some((message) => /\\boxed|\bboxed\b/i.test(messageText(message))),
  };
}

function readToolResult(message: Message, messages: readonly Message[]): ToolResult[] {
  if (message.role === 'function') {
    return [{ argumentsJson: undefined, text: message.content ?? '' }];
  }
  if (message.role !== 'tool') return [];
  const call = messages
    .flatMap((candidate) => (candidate.role === 'assistant' ? (candidate.tool_calls ?? []) : []))
    .findLast((candidate) => candidate.id === message.tool_call_id);
  const argumentsJson = call?.type === 'function' ? call.function.arguments : undefined;
  return [{ argumentsJson, text: messageText(message) }];
}

/** Returns the text of a message. Images and sound are skipped. */
export function messageText(message: Message): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
