import type { ChatRequest } from '../model.ts';

type Message = ChatRequest['messages'][number];

/** What the embedded model understands of a request's messages. */
export interface Conversation {
  /** What the user wrote, oldest first. */
  readonly userTexts: readonly string[];
  /** What tools returned since the user last spoke, oldest first. */
  readonly toolResults: readonly ToolResult[];
  /** Whether the instructions ask for the result in `\boxed{}`. */
  readonly wantsBox: boolean;
}

export interface ToolResult {
  /** Undefined when the call that it answers is not in the conversation. */
  readonly toolName: string | undefined;
  /** The arguments of that call, as JSON text. */
  readonly argumentsJson: string | undefined;
  readonly text: string;
}

export function readConversation(messages: readonly Message[]): Conversation {
  const userTexts = messages.filter((message) => message.role === 'user').map(messageText);
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const instructions = messages.filter(({ role }) => ['system', 'developer', 'user'].includes(role));
  return {
    userTexts,
    toolResults: messages.slice(lastUser + 1).flatMap((message) => readToolResult(message, messages)),
    wantsBox: instructions.some((message) => /\\boxed|\bboxed\b/i.test(messageText(message))),
  };
}

function readToolResult(message: Message, messages: readonly Message[]): ToolResult[] {
  if (message.role === 'function') {
    return [{ toolName: message.name, argumentsJson: undefined, text: message.content ?? '' }];
  }
  if (message.role !== 'tool') return [];
  const call = messages
    .flatMap((candidate) => (candidate.role === 'assistant' ? (candidate.tool_calls ?? []) : []))
    .findLast((candidate) => candidate.id === message.tool_call_id);
  const called = call?.type === 'function' ? call.function : undefined;
  return [{ toolName: called?.name, argumentsJson: called?.arguments, text: messageText(message) }];
}

/** The text of a message, whichever of the two forms its content has; images and sound are passed over. */
export function messageText(message: Message): string {
  const { content } = message;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
