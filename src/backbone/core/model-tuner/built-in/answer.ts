import type { ChatRequest } from '../model.ts';
import { findExpression, formatNumber, misread, type Expression } from './expression.ts';
import type { Random } from '../../../../base/core/random.ts';
import { calculationFor, chooseTool, namesAnswer, readToolOffer, toolName, type Tool } from './toolCalls.ts';
import type { ValidateFunction } from 'ajv';
import { omit } from '../../../../base/core/omit.ts';

type Message = ChatRequest['messages'][number];

/** A piece of an answer. A piece that the model is unsure of gets a low log probability. */
export interface Segment {
  readonly text: string;
  readonly unsure: boolean;
}

/** One choice of a completion, before it is cut and counted. */
export interface Answer {
  readonly segments: readonly Segment[];
  readonly toolCall?: ToolCallDraft;
}

export interface ToolCallDraft {
  readonly type: 'function' | 'custom';
  readonly name: string;
  /** JSON for a function, free text for a custom tool. */
  readonly input: string;
}

/** Says why no answer is possible: a server would reply with status 400. */
export interface Refusal {
  readonly refusal: string;
  readonly param: string;
}

export interface Sampling {
  readonly temperature: number;
  readonly random: Random;
  /** Selects the wording. Neighboring numbers select different ones. */
  readonly variant: number;
}

/** The facts about a request that all of its choices share. */
export interface ParsedRequest {
  readonly request: ChatRequest;
  /** The last message of the user. */
  readonly question: string;
  readonly expression: Expression | undefined;
  /** The last tool result after the last user message. */
  readonly lastResult: ToolResult | undefined;
  /** True if the instructions ask for the result in `\boxed{}`. */
  readonly wantsBox: boolean;
}

interface ToolResult {
  /** The arguments of the call as JSON text; undefined if the conversation does not have the call. */
  readonly argumentsJson: string | undefined;
  readonly text: string;
}

export function parseRequest(request: ChatRequest): ParsedRequest {
  const { messages } = request;
  const newestFirst = messages
    .filter(({ role }) => role === 'user')
    .map(messageText)
    .reverse();
  // A remark after the question ("try again") has no expression: the question before it counts.
  const asking = newestFirst.find((text) => findExpression(text) !== undefined || text.includes('?')) ?? '';
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const results = messages.slice(lastUser + 1).flatMap((message) => readToolResult(message, messages));
  const instructions = messages.filter(({ role }) => ['system', 'developer', 'user'].includes(role));
  return {
    request,
    question: newestFirst[0] ?? '',
    expression: findExpression(asking),
    lastResult: results.at(-1),
    wantsBox: instructions.some((message) => /\\boxed|\bboxed\b/i.test(messageText(message))),
  };
}

/** The probability of an error at temperature 1. It is proportional to the temperature, so 0 at temperature 0. */
const errorRate = 0.25;
const highestErrorRate = 0.6;

/** The expression that one choice evaluates: the right one, or a misread one. */
interface Attempt {
  readonly expression: Expression;
  readonly isWrong: boolean;
}

function attemptOf(expression: Expression, { temperature, random }: Sampling): Attempt {
  const errs = random.chance(Math.min(errorRate * temperature, highestErrorRate));
  const chosen = errs ? misread(expression, random) : expression;
  return { expression: chosen, isWrong: chosen !== expression };
}

export async function answer(reading: ParsedRequest, sampling: Sampling): Promise<Answer | Refusal> {
  const offer = readToolOffer(reading.request);
  if (offer === undefined) {
    return { refusal: 'tool_choice asks for a tool that the request does not offer.', param: 'tool_choice' };
  }
  const attempt = reading.expression && attemptOf(reading.expression, sampling);
  const { tools, forced } = offer;
  const tool = chooseTool(tools, reading.question, reading.expression);
  if (tool !== undefined && (forced || reading.lastResult === undefined)) {
    const call = await callTool(tool, reading, attempt, sampling);
    if (call !== undefined) return forced ? { ...call, segments: [] } : call;
    if (forced) return { refusal: "Found no arguments that fit the tool's schema.", param: 'tools' };
  }
  return answerInFormat(reading, attempt, sampling);
}

async function callTool(
  tool: Tool,
  reading: ParsedRequest,
  attempt: Attempt | undefined,
  { random, variant }: Sampling,
): Promise<Answer | undefined> {
  const { question } = reading;
  let input = attempt?.expression.text ?? question;
  if (tool.type === 'function') {
    const fill = fillFor(reading, attempt, attempt?.expression.value, question, tool);
    const value = await produceValue(tool.function.parameters ?? { type: 'object' }, fill, random);
    if (value === undefined) return undefined;
    input = JSON.stringify(value);
  }
  const plan = attempt && [
    sure(`${cyclic(openings, variant)} I need to calculate `),
    { text: attempt.expression.text, unsure: attempt.isWrong },
    sure('.'),
  ];
  return { segments: plan ?? [], toolCall: { type: tool.type, name: toolName(tool), input } };
}

/** Fills a property with the calculation or its result if its name asks for that, else with the text. */
function fillFor(
  reading: ParsedRequest,
  attempt: Attempt | undefined,
  result: number | undefined,
  text: string,
  tool?: Tool,
): Fill {
  // Tools such as `add(a, b)` take the numbers of the expression one by one.
  const operands = tool === undefined ? [] : (attempt?.expression.text.match(/\d+(?:\.\d+)?/g) ?? []);
  return (name, type) => {
    const isAnswer = result !== undefined && namesAnswer(name);
    if (type === 'number') {
      if (isAnswer || tool === undefined) return result && round(result);
      const operand = operands.shift();
      return operand === undefined ? undefined : Number(operand);
    }
    const calculation = attempt && calculationFor(name, tool, attempt.expression);
    return calculation ?? (isAnswer ? showResult(result, reading) : text);
  };
}

async function answerInFormat(
  reading: ParsedRequest,
  attempt: Attempt | undefined,
  sampling: Sampling,
): Promise<Answer | Refusal> {
  const format = reading.request.response_format;
  const result = resultOf(reading, attempt);
  const segments = answerInWords(reading, attempt, sampling);
  const text = joinSegments(segments);
  if (format?.type === 'json_object') {
    const value = result === undefined ? { answer: text } : { answer: round(result), reasoning: text };
    return { segments: [sure(JSON.stringify(value))] };
  }
  if (format?.type !== 'json_schema') return { segments };
  const fill = fillFor(reading, attempt, result, text);
  const value = await produceValue(format.json_schema.schema ?? {}, fill, sampling.random);
  if (value === undefined) {
    return { refusal: 'Found no value that fits the JSON schema.', param: 'response_format' };
  }
  return { segments: [sure(JSON.stringify(value))] };
}

const openings = [
  'Let me see.',
  'All right.',
  'I read the request.',
  'Here is my answer.',
  'One moment.',
  'Understood.',
  'Let me work on it.',
  'This is what I can do.',
] as const;

const closings = ['The answer is', 'So the answer is', 'Therefore the answer is'] as const;

function answerInWords(
  reading: ParsedRequest,
  attempt: Attempt | undefined,
  { variant }: Sampling,
): Segment[] {
  const { question, lastResult: last } = reading;
  const opening = cyclic(openings, variant);
  const result = resultOf(reading, attempt);
  if (attempt === undefined || result === undefined) return [sure(`${opening} ${introduce(question, last)}`)];
  const closing = `\n${cyclic(closings, variant)} ${showResult(result, reading)}.`;
  if (last !== undefined && returnedNumber(last) !== undefined) {
    return [sure(`${opening} The tool returned ${formatNumber(result)}.${closing}`)];
  }
  const { text } = attempt.expression;
  const failure = last === undefined ? '' : ' The tool did not give a number, so I calculate it myself.';
  const equation = { text: `${text} = ${formatNumber(result)}`, unsure: attempt.isWrong };
  return [sure(`${opening}${failure}\n`), equation, sure(`.${closing}`)];
}

/** The answer to a request that asks for no calculation. */
function introduce(question: string, result: ToolResult | undefined): string {
  const self = "I am AgentJet's built-in model. I only evaluate arithmetic, such as 48 / 2 + 48.";
  const found = result?.text.trim() ?? '';
  if (found !== '') return `The tool returned: ${shorten(found, 600)}\n${self}`;
  const about = shorten(question.trim().replace(/\s+/g, ' '), 160);
  return about === '' ? self : `${self} I cannot answer "${about}".`;
}

/** The number that answers the request: the tool's, or else the model's own. */
function resultOf({ lastResult }: ParsedRequest, attempt: Attempt | undefined): number | undefined {
  return attempt && ((lastResult && returnedNumber(lastResult)) ?? attempt.expression.value);
}

/** Returns the number in a tool's result; undefined for an error, and for a call that had only a part of the calculation. */
function returnedNumber({ argumentsJson, text }: ToolResult): number | undefined {
  const isPart = argumentsJson !== undefined && /\d/.test(argumentsJson) && !/[-+*/%(]/.test(argumentsJson);
  if (isPart || /error|exception|traceback|invalid|not defined|\bnan\b|timed? ?out/i.test(text))
    return undefined;
  const last = text.match(/-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?/gi)?.at(-1);
  const value = last === undefined ? Number.NaN : Number(last.replaceAll(',', ''));
  return Number.isFinite(value) ? value : undefined;
}

function showResult(value: number, { wantsBox }: ParsedRequest): string {
  return wantsBox ? `\\boxed{${formatNumber(value)}}` : formatNumber(value);
}

function round(value: number): number {
  return Number(formatNumber(value));
}

export function joinSegments(segments: readonly Segment[]): string {
  return segments.map((segment) => segment.text).join('');
}

function sure(text: string): Segment {
  return { text, unsure: false };
}

function shorten(text: string, longest: number): string {
  const characters = Array.from(text);
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}

function cyclic<T>(list: readonly [T, ...T[]], index: number): T {
  return list[index % list.length] ?? list[0];
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

type Schema = Readonly<Record<string, unknown>>;

/** Returns the text or number for a property (the empty name: the value itself); undefined: any that fits. */
type Fill = (name: string, type: 'string' | 'number') => string | number | undefined;

/** Some attempts fail for keywords such as `not` and `if`, which the generator meets by chance. */
const attempts = 12;

/** Undefined if the schema is invalid, or no attempt fits. A value has all properties if none are `required`. */
async function produceValue(schema: Schema, fill: Fill, random: Random): Promise<unknown> {
  // The dialect that a schema names must not matter: the two libraries know different ones.
  const plain = omit(schema, '$schema');
  const validate = await compile(plain);
  if (validate === undefined) return undefined;
  const { generateSync } = await import('json-schema-faker');
  for (let index = 0; index < attempts; index++) {
    const value = attempt(() =>
      generateSync(plain, {
        seed: random.below(2 ** 31),
        alwaysFakeOptionals: !Array.isArray(schema['required']) || index % 3 === 2,
        optionalsProbability: 0,
        ...(index === 0 && { outputTransform: (made, part, path) => fillIn(made, part, path, fill) }),
      }),
    );
    if (value !== undefined && validate(value)) return value;
  }
  return undefined;
}

/** Replaces a generated text or number, unless the schema restricts it to a format or to a list. */
function fillIn(made: unknown, schema: unknown, path: string, fill: Fill): unknown {
  const { enum: list, const: only, format, pattern, minLength, maxLength } = (schema ?? {}) as Schema;
  if ([list, only, format, pattern].some((keyword) => keyword !== undefined)) return made;
  const name = path.split('/').findLast((part) => part !== '' && !/^\d+$/.test(part)) ?? '';
  if (typeof made === 'number') return fill(name, 'number') ?? made;
  if (typeof made !== 'string') return made;
  const text = String(fill(name, 'string') ?? made).slice(0, Number(maxLength ?? Infinity));
  return text.length < Number(minLength ?? 0) ? made : text;
}

async function compile(schema: Schema): Promise<ValidateFunction | undefined> {
  const { default: Ajv2020 } = await import('ajv/dist/2020.js');
  const options = { strict: false, validateSchema: false, validateFormats: false, logger: false } as const;
  return attempt(() => new Ajv2020({ ...options, meta: false }).compile(schema));
}

function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined; // an invalid schema, or a reference that leads nowhere
  }
}
