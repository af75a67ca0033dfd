import type { ChatRequest } from '../model.ts';
import type { Expression } from './expression.ts';
import { isRecord } from '../../../../base/core/isRecord.ts';

export type Tool = NonNullable<ChatRequest['tools']>[number];

export interface ToolOffer {
  readonly tools: readonly Tool[];
  /** True if the request requires a call. */
  readonly forced: boolean;
}

/** Returns undefined for a request that names a tool it does not offer. */
export function readToolOffer(request: ChatRequest): ToolOffer | undefined {
  const tools = request.tools ?? [];
  const choice = request.tool_choice ?? 'auto';
  if (choice === 'none') return { tools: [], forced: false };
  if (choice === 'auto') return { tools, forced: false };
  if (choice === 'required') return tools.length === 0 ? undefined : { tools, forced: true };
  if (choice.type === 'allowed_tools') {
    const names = choice.allowed_tools.tools.map(allowedName);
    const allowed = tools.filter((tool) => names.includes(toolName(tool)));
    const forced = choice.allowed_tools.mode === 'required';
    return forced && allowed.length === 0 ? undefined : { tools: allowed, forced };
  }
  const wanted = toolName(choice);
  const named = tools.filter((tool) => tool.type === choice.type && toolName(tool) === wanted);
  return named.length === 0 ? undefined : { tools: named, forced: true };
}

function allowedName(entry: Readonly<Record<string, unknown>>): unknown {
  const nested = entry['function'] ?? entry['custom'] ?? entry;
  return isRecord(nested) ? nested['name'] : undefined;
}

export function toolName(tool: Tool): string {
  return definitionOf(tool).name;
}

function definitionOf(tool: Tool): { readonly name: string; readonly description?: string } {
  return tool.type === 'function' ? tool.function : tool.custom;
}

function textOf(tool: Tool | undefined): string {
  const { name = '', description = '' } = tool === undefined ? {} : definitionOf(tool);
  return `${name} ${description}`;
}

const expressionNames = /^(?:math_?)?(?:expression|expr|formula|equation|calculation|computation)s?$/i;
const codeNames = /^(?:(?:python|py|js|source)_?)?(?:code|script|program|source|snippet)$/i;
const answerNames = /answer|result|response|reply|final|output|content|message|solution|value/i;

/** Returns the text of an argument that carries a calculation; undefined for any other argument. */
export function calculationFor(
  name: string,
  tool: Tool | undefined,
  { text }: Expression,
): string | undefined {
  if (expressionNames.test(name)) return text;
  if (!codeNames.test(name)) return undefined;
  return /javascript|typescript|node\.?js|\bjs\b/i.test(textOf(tool))
    ? `console.log(${text});`
    : `print(${text})`;
}

export function namesAnswer(property: string): boolean {
  return answerNames.test(property);
}

/** Returns the tool whose name and description share most words with the request; a calculator if it has an expression. */
export function chooseTool(
  tools: readonly Tool[],
  question: string,
  expression: Expression | undefined,
): Tool | undefined {
  const asked = new Set(words(question));
  const score = (tool: Tool): number => {
    const calculates =
      expression !== undefined && propertyNames(tool).some((name) => calculationFor(name, tool, expression));
    const shared = words(textOf(tool)).filter((word) => asked.has(word));
    return (calculates ? 100 : 0) + new Set(shared).size;
  };
  return [...tools].sort((a, b) => score(b) - score(a))[0];
}

function propertyNames(tool: Tool): string[] {
  const properties = tool.type === 'function' ? tool.function.parameters?.['properties'] : undefined;
  return isRecord(properties) ? Object.keys(properties) : [];
}

function words(text: string): string[] {
  const found = text.toLowerCase().match(/\p{L}{3,}/gu) ?? [];
  return found.filter((word) => !['the', 'and', 'for', 'with'].includes(word));
}
