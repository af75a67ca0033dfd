import type { ChatRequest } from '../model.ts';
import { attemptSolution, type Attempt } from './attempt.ts';
import { readConversation, type Conversation, type ToolResult } from './conversation.ts';
import { evaluate, formatNumber, printExpression } from './expression.ts';
import {
  sure,
  writeAfterFailure,
  writePlan,
  writeReply,
  writeSolution,
  writeToolResult,
  type Segment,
} from './phrases.ts';
import { canonicalJson } from '../../../base/canonicalJson.ts';
import type { Random } from '../../../base/random.ts';
import { asSchema, type Schema } from './schema/jsonSchema.ts';
import { produceValue, type Filling } from './schema/produce.ts';
import { solve, type Solution } from './solver/index.ts';
import {
  answerNames,
  chooseTool,
  evaluatorOf,
  readToolOffer,
  toolName,
  writeArguments,
  writeCustomInput,
  type Tool,
} from './toolCalls.ts';

/** One choice of a completion, before it is cut and counted. */
export interface Answer {
  readonly segments: readonly Segment[];
  readonly toolCall: ToolCallDraft | undefined;
}

export interface ToolCallDraft {
  readonly type: 'function' | 'custom';
  readonly name: string;
  /** JSON for a function, free text for a custom tool. */
  readonly input: string;
}

/** A request that no answer can meet: what a server would refuse with status 400. */
export interface Refusal {
  readonly refusal: string;
  readonly param: string;
}

export interface Sampling {
  readonly temperature: number;
  readonly random: Random;
  /** Chooses among equally good wordings. */
  readonly variant: number;
}

/** Everything about a request that does not change from choice to choice. */
export interface Reading {
  readonly request: ChatRequest;
  readonly conversation: Conversation;
  readonly question: string;
  readonly solution: Solution | undefined;
}

export function readRequest(request: ChatRequest): Reading {
  const conversation = readConversation(request.messages);
  const texts = [...conversation.userTexts].reverse();
  const question = texts[0] ?? '';
  return { request, conversation, question, solution: solveNewest(texts) };
}

/** Remarks after the problem ("try again", a tool's output passed on as a user's words) leave it the one to solve. */
function solveNewest(newestFirst: readonly string[]): Solution | undefined {
  for (const text of newestFirst) {
    const solution = solve(text);
    if (solution !== undefined) return solution;
    if (text.includes('?')) return undefined;
  }
  return undefined;
}

export function answer(reading: Reading, sampling: Sampling): Answer | Refusal {
  const offer = readToolOffer(reading.request);
  if (offer === undefined) {
    return { refusal: 'tool_choice asks for a tool that the request does not offer.', param: 'tool_choice' };
  }
  const hasResults = reading.conversation.toolResults.length > 0;
  if (offer.tools.length > 0 && (offer.forced || !hasResults)) {
    const call = callTool(reading, sampling, offer.tools, offer.forced);
    if (call !== undefined) return call;
    if (offer.forced) {
      return { refusal: "Found no arguments that meet the tool's schema.", param: 'tools' };
    }
  }
  return answerInFormat(reading, sampling);
}

function callTool(
  reading: Reading,
  sampling: Sampling,
  tools: readonly Tool[],
  forced: boolean,
): Answer | undefined {
  const { question, solution } = reading;
  const tool = chooseTool(tools, question, solution !== undefined);
  if (tool === undefined) return undefined;
  const exact = evaluatorOf(tool) !== undefined;
  const attempt = solution && attemptSolution(solution, { ...sampling, exact });
  const input =
    tool.type === 'function'
      ? writeArguments(tool, question, attempt, sampling.random)
      : writeCustomInput(question, attempt);
  if (input === undefined) return undefined;
  const plan = attempt === undefined ? [] : writePlan(attempt, sampling.variant);
  return {
    segments: forced ? [] : plan,
    toolCall: { type: tool.type, name: toolName(tool), input },
  };
}

function answerInFormat(reading: Reading, sampling: Sampling): Answer | Refusal {
  const { request, solution } = reading;
  const format = request.response_format;
  const attempt = solution && attemptSolution(solution, { ...sampling, exact: false });
  const segments = answerInWords(reading, attempt, sampling);
  if (format?.type === 'json_object') {
    return { segments: [sure(canonicalJson(jsonAnswer(reading, attempt, segments)))], toolCall: undefined };
  }
  if (format?.type !== 'json_schema') return { segments, toolCall: undefined };
  const schema: Schema = asSchema(format.json_schema.schema) ?? {};
  const filling = new AnswerFilling(segments, attempt, resultValue(reading, attempt));
  const value = produceValue(schema, { filling, random: sampling.random });
  if (value === undefined) {
    return { refusal: 'Found no value that meets the JSON schema.', param: 'response_format' };
  }
  return { segments: [sure(JSON.stringify(value))], toolCall: undefined };
}

function answerInWords(reading: Reading, attempt: Attempt | undefined, sampling: Sampling): Segment[] {
  const { conversation, question } = reading;
  const { toolResults, wantsBox } = conversation;
  const { variant } = sampling;
  if (attempt === undefined) {
    return writeReply(
      question,
      toolResults.map((result) => result.text),
      variant,
    );
  }
  const last = toolResults.at(-1);
  if (last === undefined || !mayAnswer(last)) return writeSolution(attempt, variant, wantsBox);
  const value = readNumber(last.text);
  if (value === undefined) return writeAfterFailure(last.text, attempt, variant, wantsBox);
  return writeToolResult(value, attempt.unit, variant, wantsBox);
}

/** Whether a tool's result stands for the whole calculation: the call, where it is known, carried an expression. */
function mayAnswer({ argumentsJson }: ToolResult): boolean {
  return (
    argumentsJson === undefined || /[-+*/]|print|return/.test(argumentsJson) || !/\d/.test(argumentsJson)
  );
}

/** The number that a tool returned; undefined when it returned an error or none. */
export function readNumber(text: string): number | undefined {
  if (/error|exception|traceback|invalid|not defined|\bnan\b|timed? ?out/i.test(text)) return undefined;
  const last = text.match(/-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?/gi)?.at(-1);
  const value = last === undefined ? Number.NaN : Number(last.replaceAll(',', ''));
  return Number.isFinite(value) ? value : undefined;
}

function resultValue({ conversation }: Reading, attempt: Attempt | undefined): number | undefined {
  const last = conversation.toolResults.at(-1);
  const returned = last === undefined || !mayAnswer(last) ? undefined : readNumber(last.text);
  return returned ?? (attempt === undefined ? undefined : evaluate(attempt.expression));
}

function jsonAnswer(
  reading: Reading,
  attempt: Attempt | undefined,
  segments: readonly Segment[],
): Readonly<Record<string, unknown>> {
  const text = joinSegments(segments);
  const value = resultValue(reading, attempt);
  return value === undefined ? { answer: text } : { answer: Number(formatNumber(value)), reasoning: text };
}

export function joinSegments(segments: readonly Segment[]): string {
  return segments.map((segment) => segment.text).join('');
}

class AnswerFilling implements Filling {
  readonly #text: string;
  readonly #attempt: Attempt | undefined;
  readonly #result: number | undefined;

  constructor(segments: readonly Segment[], attempt: Attempt | undefined, result: number | undefined) {
    this.#text = joinSegments(segments);
    this.#attempt = attempt;
    this.#result = result;
  }

  text(name: string): string {
    if (/unit/i.test(name) && this.#attempt?.unit !== undefined) return this.#attempt.unit;
    if (/expression|formula|equation/i.test(name) && this.#attempt !== undefined) {
      return printExpression(this.#attempt.expression);
    }
    const isResult = this.#result !== undefined && /answer|result|final|value|solution/i.test(name);
    return isResult ? formatNumber(this.#result) : this.#text;
  }

  number(): number | undefined {
    return this.#result === undefined ? undefined : Number(formatNumber(this.#result));
  }

  wants(name: string): boolean {
    return answerNames.test(name);
  }
}
