import type { ChatRequest } from '../model.ts';

type Message = ChatRequest['messages'][number];

/** A request as Markdown, for a person who is to answer it. */
export function writeConversation(request: ChatRequest): string {
  const messages = request.messages.map((message) => `### ${message.role}\n\n${writeMessage(message)}`);
  const tools = (request.tools ?? []).map((tool) =>
    tool.type === 'function' ? writeTool(tool.function) : `- ${tool.custom.name}`,
  );
  const format = request.response_format;
  return [
    ...messages,
    ...(tools.length > 0 ? [`### tools\n\n${tools.join('\n')}`] : []),
    ...(format && format.type !== 'text' ? [`### response format\n\n${json(format)}`] : []),
  ].join('\n\n');
}

/** Names of the tools that it offers. */
export function toolNames({ tools }: ChatRequest): readonly string[] {
  return (tools ?? []).flatMap((tool) => (tool.type === 'function' ? [tool.function.name] : []));
}

function writeMessage(message: Message): string {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const written = calls.map((call) =>
    call.type === 'function'
      ? `tool ${call.function.name} ${call.function.arguments}`
      : `tool ${call.custom.name} ${call.custom.input}`,
  );
  return [writeContent(message.content), ...written].filter((text) => text !== '').join('\n');
}

function writeContent(content: Message['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n');
}

function writeTool({
  name,
  description,
  parameters,
}: {
  name: string;
  description?: string;
  parameters?: unknown;
}): string {
  return [
    `- **${name}**`,
    description,
    parameters === undefined ? undefined : `\`${JSON.stringify(parameters)}\``,
  ]
    .filter((text) => text !== undefined)
    .join(' ');
}

function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
