import * as z from 'zod/mini';
import { messageOf } from '../../../base/core/errors.ts';
import { failures } from './failures.ts';
import type { ChatRequest, ModelFailure } from './model.ts';

/** Objects are loose everywhere: what is not named here passes through untouched. */
const part = z.looseObject({ type: z.string(), text: z.optional(z.unknown()) }).check(
  z.refine(({ type, text }) => type !== 'text' || typeof text === 'string', {
    path: ['text'],
    error: 'must be a string',
  }),
);
const content = z.union([z.string(), z.array(part)]);
const contentOrNull = z.nullish(z.union([z.string(), z.array(part)]));

const toolCall = z.discriminatedUnion('type', [
  z.looseObject({
    id: z.string(),
    type: z.literal('function'),
    function: z.looseObject({ name: z.string(), arguments: z.string() }),
  }),
  z.looseObject({
    id: z.string(),
    type: z.literal('custom'),
    custom: z.looseObject({ name: z.string(), input: z.string() }),
  }),
]);

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content }),
  z.looseObject({ role: z.literal('developer'), content }),
  z.looseObject({ role: z.literal('user'), content }),
  z.looseObject({
    role: z.literal('assistant'),
    content: contentOrNull,
    tool_calls: z.nullish(z.array(toolCall)),
  }),
  z.looseObject({ role: z.literal('tool'), content, tool_call_id: z.string() }),
  z.looseObject({ role: z.literal('function'), content: z.nullable(z.string()), name: z.string() }),
]);

const named = z.looseObject({ name: z.string().check(z.minLength(1)) });

const tool = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('function'),
    function: z.looseObject({
      name: z.string().check(z.minLength(1)),
      description: z.nullish(z.string()),
      parameters: z.nullish(z.looseObject({})),
    }),
  }),
  z.looseObject({ type: z.literal('custom'), custom: named }),
]);

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('function'), function: named }),
    z.looseObject({ type: z.literal('custom'), custom: named }),
    z.looseObject({ type: z.literal('allowed_tools'), allowed_tools: z.looseObject({}) }),
  ]),
]);

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({
      name: z.string().check(z.minLength(1)),
      schema: z.nullish(z.looseObject({})),
    }),
  }),
]);

const tokenCount = z.nullish(z.int().check(z.gte(1)));
const number = z.nullish(z.number());
const flag = z.nullish(z.boolean());

const chatRequest = z.looseObject({
  messages: z.array(message).check(z.minLength(1)),
  model: z.nullish(z.string()),
  tools: z.nullish(z.array(tool)),
  tool_choice: z.nullish(toolChoice),
  parallel_tool_calls: flag,
  response_format: z.nullish(responseFormat),
  n: z.nullish(z.int().check(z.gte(1), z.lte(128))),
  stream: flag,
  stream_options: z.nullish(z.looseObject({ include_usage: flag })),
  logprobs: flag,
  top_logprobs: z.nullish(z.int().check(z.gte(0), z.lte(20))),
  seed: z.nullish(z.int()),
  stop: z.nullish(z.union([z.string(), z.array(z.string())])),
  temperature: number,
  top_p: number,
  frequency_penalty: number,
  presence_penalty: number,
  max_tokens: tokenCount,
  max_completion_tokens: tokenCount,
});

export function parseBody(body: string): { value: unknown } | { failure: ModelFailure } {
  try {
    return { value: JSON.parse(body) as unknown };
  } catch (error) {
    return { failure: failures.notJson(messageOf(error)) };
  }
}

/** The same value, field for field, or what is wrong with it. */
export function checkChatRequest(value: unknown): { request: ChatRequest } | { failure: ModelFailure } {
  const parsed = chatRequest.safeParse(value);
  if (parsed.success) return { request: value as ChatRequest };
  const { param, problem } = describeIssue(parsed.error.issues, value);
  return { failure: failures.invalid(`'${param}' ${problem}. Correct the request.`, param) };
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The path of an invalid value in OpenAI's notation (`messages[0].content`), and the problem. */
interface SchemaProblem {
  readonly param: string;
  /** Completes a sentence that begins with the param. */
  readonly problem: string;
}

/** Describes the first issue. For a union, it describes the branch that matches furthest. */
export function describeIssue(issues: readonly Issue[], value: unknown): SchemaProblem {
  const [first] = issues;
  if (first === undefined) return { param: 'body', problem: 'is not valid' };
  const { issue, path } = innermost(first, first.path);
  return { param: writePath(path), problem: describe(issue, valueAt(value, path)) };
}

function innermost(issue: Issue, path: Path): { issue: Issue; path: Path } {
  if (issue.code !== 'invalid_union') return { issue, path };
  const deepest = issue.errors
    .flatMap((branch) => branch.slice(0, 1))
    .filter((candidate) => candidate.path.length > 0)
    .sort((a, b) => b.path.length - a.path.length)[0];
  return deepest === undefined ? { issue, path } : innermost(deepest, [...path, ...deepest.path]);
}

function describe(issue: Issue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined ? 'is missing' : `must be ${nameType(issue.expected)}, not ${typeOf(value)}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((option) => JSON.stringify(option)).join(', ')}`;
    case 'invalid_union':
      return describeUnion(issue, value);
    case 'too_small':
      return issue.origin === 'array' || issue.origin === 'string'
        ? 'must not be empty'
        : `must be at least ${issue.minimum.toString()}`;
    case 'too_big':
      return `must be at most ${issue.maximum.toString()}`;
    case 'custom':
      return issue.message;
    default:
      return 'is not valid';
  }
}

function describeUnion(issue: Extract<Issue, { code: 'invalid_union' }>, value: unknown): string {
  if (value === undefined) return 'is missing';
  if ('options' in issue && Array.isArray(issue.options)) {
    return `must be one of ${issue.options.map((option) => JSON.stringify(option)).join(', ')}`;
  }
  const wanted = issue.errors.flat().flatMap((inner) => {
    if (inner.code === 'invalid_type') return [nameType(inner.expected)];
    return inner.code === 'invalid_value' ? inner.values.map((option) => JSON.stringify(option)) : [];
  });
  return wanted.length === 0 ? 'is not valid' : `must be ${[...new Set(wanted)].join(' or ')}`;
}

function nameType(expected: string): string {
  if (expected === 'int') return 'a whole number';
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'number' ? String(value) : nameType(typeof value);
}

function writePath(path: Path): string {
  const written = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return written === '' ? 'body' : written.replace(/^\./, '');
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}
