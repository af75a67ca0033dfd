import { isRecord } from '../../../../base/core/isRecord.ts';
import { parseJson } from '../../../../base/core/parseJson.ts';
import type { ChatRequest } from '../model.ts';

export interface HumanReply {
  readonly content: string;
  readonly toolCalls: readonly { readonly name: string; readonly arguments: string }[];
}

export const replySyntax =
  'A line `tool NAME {"argument": "value"}` calls a tool. Its JSON may span several lines. Everything else is text. To ' +
  'write such a line as text, begin it with \\. For an empty answer, write a single \\.';

/**
 * Reads what a person answers in place of a model; see {@link replySyntax}. Names of tools are checked, their arguments
 * only for being a JSON object: a model may get them wrong, too.
 *
 * @returns the reply, or its problem in a line, counted from 0
 * @param tools names of those that the request offers; without any, every line is text
 */
export function readHumanReply(
  text: string,
  tools: readonly string[],
): HumanReply | { readonly problem: string; readonly line: number } {
  if (text.trim() === '')
    return { problem: 'the answer is empty. For an empty answer, write a single \\', line: 0 };
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const content: string[] = [];
  const toolCalls: HumanReply['toolCalls'][number][] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const call = tools.length > 0 ? /^tool\s+(\S+)\s*(.*)$/.exec(line) : null;
    if (call === null) {
      content.push(line.replace(/^\\/, ''));
      continue;
    }
    const [, name = '', begin = ''] = call;
    if (!tools.includes(name)) {
      return {
        problem: `there is no tool "${name}". The tools are ${tools.join(', ')}. To write the line as text, begin it with \\`,
        line: at,
      };
    }
    const end = endOfJson(lines, at, begin);
    if (end === undefined) {
      return {
        problem: `the text after tool ${name} is not a JSON object such as {"argument": "value"}`,
        line: at,
      };
    }
    toolCalls.push({ name, arguments: [begin, ...lines.slice(at + 1, end + 1)].join('\n').trim() || '{}' });
    at = end;
  }
  return { content: content.join('\n').trim(), toolCalls };
}

/** The line that completes the object; undefined: none does. */
function endOfJson(lines: readonly string[], start: number, begin: string): number | undefined {
  if (begin.trim() === '') return start;
  let text = begin;
  for (let at = start; ;) {
    if (isRecord(parseJson(text))) return at;
    at += 1;
    const line = lines[at];
    if (line === undefined || /^tool\s/.test(line)) return undefined;
    text += `\n${line}`;
  }
}

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

function writeTool(tool: { name: string; description?: string; parameters?: unknown }): string {
  const { name, description, parameters } = tool;
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
