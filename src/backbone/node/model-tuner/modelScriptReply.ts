import { isRecord } from '../../../base/core/isRecord.ts';
import { messageOf } from '../../../base/core/errors.ts';
import * as z from 'zod/mini';
import { describeIssue } from '../../core/model-tuner/requestSchema.ts';
import type { CallIdentity, ChatCompletion, ChatRequest } from '../../core/model-tuner/model.ts';
import { BadReplyError } from './modelScriptFailures.ts';

type Choice = ChatCompletion['choices'][number];
type Message = Choice['message'];

const toolCall = z.looseObject({
  id: z.optional(z.string()),
  type: z.optional(z.string()),
  function: z.optional(z.looseObject({ name: z.string(), arguments: z.string() })),
});

const message = z.looseObject({
  role: z.optional(z.literal('assistant')),
  content: z.nullish(z.string()),
  refusal: z.nullish(z.string()),
  reasoning_content: z.nullish(z.string()),
  tool_calls: z.nullish(z.array(toolCall)),
});

const completion = z.looseObject({
  choices: z.array(z.looseObject({ message })).check(z.minLength(1)),
});

/** An object with one of these fields is a message. */
const messageFields = ['content', 'refusal', 'reasoning_content', 'tool_calls', 'function_call'];

/**
 * Converts the value that a script returned to a chat completion, and fills in missing fields. Message fields answer
 * each of the `n` requested choices. Usage is present only if the script returns it.
 *
 * Throws {@link BadReplyError}.
 *
 * @param now milliseconds since the Unix epoch
 */
export function readScriptReply(
  returned: unknown,
  request: ChatRequest,
  call: CallIdentity,
  now: number,
): ChatCompletion {
  const value = plain(returned);
  const key = `${call.episode}-${call.call}`;
  const head = {
    id: `chatcmpl-script-${key}`,
    object: 'chat.completion' as const,
    created: Math.floor(now / 1000),
    model: typeof request.model === 'string' ? request.model : 'script',
  };
  if (isRecord(value) && 'choices' in value) {
    const { choices, ...given } = check(completion, value);
    return { ...head, ...given, choices: choices.map((choice, index) => fillChoice(choice, index, key)) };
  }
  const fields = { message: readMessage(value) };
  const choices = Array.from({ length: request.n ?? 1 }, (_, index) => fillChoice(fields, index, key));
  return { ...head, choices };
}

/** Returns a JSON copy, which later changes by the script do not affect. */
function plain(value: unknown): unknown {
  if (!isRecord(value)) return value;
  try {
    return JSON.parse(JSON.stringify(value)) as unknown;
  } catch (error) {
    throw new BadReplyError(`it is not JSON (${messageOf(error)})`);
  }
}

function readMessage(value: unknown): z.infer<typeof message> {
  if (typeof value === 'string') return { content: value };
  if (!isRecord(value)) throw new BadReplyError(`it is ${nameOf(value)}`);
  if (!messageFields.some((field) => field in value)) {
    throw new BadReplyError(`it has neither choices nor any of ${messageFields.join(', ')}`);
  }
  return check(message, value);
}

function fillChoice(
  choice: { readonly message: z.infer<typeof message> },
  index: number,
  key: string,
): Choice {
  const { tool_calls, ...fields } = choice.message;
  const calls = (tool_calls ?? []).map((call, at) => ({
    id: `call_${key}-${index}-${at}`,
    type: 'function',
    ...call,
  }));
  const filled = { role: 'assistant', content: null, refusal: null, ...fields };
  return {
    index,
    finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
    logprobs: null,
    ...choice,
    message: { ...filled, ...(calls.length > 0 && { tool_calls: calls }) } as Message,
  };
}

function check<T>(schema: z.ZodMiniType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { param, problem } = describeIssue(parsed.error.issues, value);
  throw new BadReplyError(`'${param}' ${problem}`);
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
