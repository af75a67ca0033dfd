import type { ChatRequest } from '../model.ts';
import type { Attempt } from './attempt.ts';
import { evaluate, operations, printExpression, type Expression } from './expression.ts';
import { shorten } from './phrases.ts';
import type { Random } from '../../../base/random.ts';
import { isRecord, schemaMap, stringList, type Schema } from './schema/jsonSchema.ts';
import { produceValue, type Filling } from './schema/produce.ts';

export type Tool = NonNullable<ChatRequest['tools']>[number];
export type FunctionTool = Extract<Tool, { type: 'function' }>;

/** Whether a request lets the model call tools, and which. */
export interface ToolOffer {
  readonly tools: readonly Tool[];
  /** The request insists on a call. */
  readonly forced: boolean;
}

/** Undefined when the request names a tool that it does not offer. */
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
  const wanted = choice.type === 'function' ? choice.function.name : choice.custom.name;
  const named = tools.filter((tool) => tool.type === choice.type && toolName(tool) === wanted);
  return named.length === 0 ? undefined : { tools: named, forced: true };
}

function allowedName(entry: Readonly<Record<string, unknown>>): unknown {
  const nested = entry['function'] ?? entry['custom'] ?? entry;
  return isRecord(nested) ? nested['name'] : undefined;
}

export function toolName(tool: Tool): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name;
}

function toolDescription(tool: Tool): string {
  return (tool.type === 'function' ? tool.function.description : tool.custom.description) ?? '';
}

/** How a tool takes a calculation: as an expression, or as the code of a program. */
export interface Evaluator {
  readonly property: string;
  readonly language: 'expression' | 'python' | 'javascript';
}

const expressionNames = /^(?:math_?)?(?:expression|expr|formula|equation|calculation|computation)s?$/i;
const codeNames = /^(?:(?:python|py|js|source)_?)?(?:code|script|program|source|snippet)$/i;
const openNames = /^(?:input|query|text|q|question|problem|_*arg\d*)$/i;

/** How a tool evaluates what it is given; undefined for a tool that does something else. */
export function evaluatorOf(tool: Tool): Evaluator | undefined {
  if (tool.type !== 'function') return undefined;
  const about = `${tool.function.name} ${tool.function.description ?? ''}`;
  const textProperties = Object.entries(propertiesOf(tool)).filter(([, schema]) => mayBeText(schema));
  const names = textProperties.map(([name]) => name);
  const expression = names.find((name) => expressionNames.test(name));
  if (expression !== undefined) return { property: expression, language: 'expression' };
  const code = names.find((name) => codeNames.test(name));
  if (code !== undefined) {
    const language = /javascript|typescript|node\.?js|\bjs\b/i.test(about) ? 'javascript' : 'python';
    return { property: code, language };
  }
  const open = names.find((name) => openNames.test(name));
  const calculates = /calculat|evaluat|arithmetic|math/i.test(about);
  return open !== undefined && calculates ? { property: open, language: 'expression' } : undefined;
}

function propertiesOf(tool: FunctionTool): Readonly<Record<string, Schema>> {
  return schemaMap(tool.function.parameters?.['properties']);
}

function mayBeText(schema: Schema): boolean {
  if (!isRecord(schema)) return schema;
  const { type } = schema;
  return type === undefined || type === 'string' || stringList(type).includes('string');
}

/** The tool that fits the request best; among equals the first. */
export function chooseTool(tools: readonly Tool[], question: string, isProblem: boolean): Tool | undefined {
  const asked = new Set(words(question));
  const score = (tool: Tool): number => {
    const evaluates = isProblem && evaluatorOf(tool) !== undefined ? 100 : 0;
    const shared = words(`${toolName(tool)} ${toolDescription(tool)}`).filter((word) => asked.has(word));
    return evaluates + new Set(shared).size;
  };
  return [...tools].sort((a, b) => score(b) - score(a))[0];
}

function words(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}{3,}/gu) ?? []).filter(
    (word) => !['the', 'and', 'for', 'with'].includes(word),
  );
}

/** The arguments of a call, as JSON text; undefined when no value that meets the tool's schema was found. */
export function writeArguments(
  tool: FunctionTool,
  question: string,
  attempt: Attempt | undefined,
  random: Random,
): string | undefined {
  const schema: Schema = tool.function.parameters ?? { type: 'object', properties: {}, required: [] };
  const evaluator = attempt === undefined ? undefined : evaluatorOf(tool);
  const filling = new ArgumentFilling(question, attempt?.expression, evaluator, tool.function.name);
  const value = produceValue(schema, { filling, random });
  return value === undefined ? undefined : JSON.stringify(value);
}

/** The text of a call to a tool that takes free text. */
export function writeCustomInput(question: string, attempt: Attempt | undefined): string {
  return attempt === undefined ? shorten(question, 300) : printExpression(attempt.expression);
}

export const answerNames = /answer|result|response|reply|final|output|content|message|text|solution|value/i;

class ArgumentFilling implements Filling {
  readonly #question: string;
  readonly #expression: Expression | undefined;
  readonly #evaluator: Evaluator | undefined;
  readonly #operands: readonly number[];
  readonly #given = new Map<string, number | undefined>();

  constructor(
    question: string,
    expression: Expression | undefined,
    evaluator: Evaluator | undefined,
    name: string,
  ) {
    this.#question = question;
    this.#expression = expression;
    this.#evaluator = evaluator;
    this.#operands = expression === undefined ? [] : operandsFor(name, expression);
  }

  text(name: string): string {
    if (this.#expression === undefined) return shorten(this.#question, 300);
    if (name === this.#evaluator?.property) return writeProgram(this.#expression, this.#evaluator.language);
    if (expressionNames.test(name)) return printExpression(this.#expression);
    if (codeNames.test(name)) return writeProgram(this.#expression, 'python');
    if (answerNames.test(name)) return String(evaluate(this.#expression));
    return shorten(this.#question, 300);
  }

  /** The operands of the tool's operation, in the order in which they are asked for. */
  number(name: string): number | undefined {
    if (!this.#given.has(name)) this.#given.set(name, this.#operands[this.#given.size]);
    return this.#given.get(name);
  }

  wants(name: string): boolean {
    return name === this.#evaluator?.property;
  }
}

const operatorNames = [
  ['+', /add|sum|plus/i],
  ['-', /sub|minus|diff/i],
  ['*', /mul|times|prod/i],
  ['/', /div|quot/i],
] as const;

function operandsFor(name: string, expression: Expression): number[] {
  const wanted = operatorNames.find(([, pattern]) => pattern.test(name))?.[0];
  const all = operations(expression).reverse();
  const chosen = all.find(({ operator }) => operator === wanted) ?? all[0];
  return chosen === undefined ? [] : [evaluate(chosen.left), evaluate(chosen.right)];
}

function writeProgram(expression: Expression, language: Evaluator['language']): string {
  const formula = printExpression(expression);
  if (language === 'expression') return formula;
  return language === 'python'
    ? `result = ${formula}\nprint(result)`
    : `const result = ${formula};\nconsole.log(result);`;
}
