import * as z from 'zod/mini';
import { isRecord } from '../../../base/core/isRecord.ts';
import { CodedError, formatLocation, type Location } from '../../../base/core/errors.ts';
import { describeIssue } from '../../core/model-tuner/requestSchema.ts';
import type {
  CallIdentity,
  ChatCompletion,
  ChatRequest,
  ModelFailure,
} from '../../core/model-tuner/model.ts';

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

/** Completes what a script returned. Message fields answer each of the `n` choices. Throws {@link BadReplyError}. */
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

class BadReplyError extends Error {
  override readonly name = 'BadReplyError';
}

const forms = 'a text, message fields such as {content, tool_calls}, or a complete chat completion';

export const scriptErrors = {
  notFound: (file: string) =>
    new CodedError({
      code: 'model/script-not-found',
      message: `The script ${file} does not exist.`,
      hint: 'Correct --script (launch.json: script).',
    }),

  notLoaded: (file: string, error: unknown, location: Location | undefined) =>
    new CodedError({
      code: 'model/script-not-loaded',
      message: `The script ${file} cannot be loaded: ${messageOf(error)}`,
      location: location ?? { file },
      hint: 'Fix the error in the script.',
      cause: error,
    }),

  noFunction: (file: string) =>
    new CodedError({
      code: 'model/script-no-function',
      message: 'The script exports no function as default or as respond.',
      location: { file },
      hint: 'Write: export default (request, { episode, call, seed }) => "the answer"',
    }),

  badJson: (file: string, reason: string) =>
    new CodedError({
      code: 'model/script-bad-json',
      message: `The replies cannot be read: ${reason}.`,
      location: { file },
      hint: `Write a JSON array of responses. Each is ${forms}.`,
    }),

  noMoreReplies: (file: string, count: number) =>
    new CodedError({
      code: 'model/script-no-more-replies',
      message: `The file has only ${count} replies, but the episode makes another call.`,
      location: { file },
      hint: 'Add replies, or check why the workflow makes so many calls.',
    }),
};

/** Converts the error of a script to a response with status 500. */
export function scriptFailure(file: string, error: unknown, frame: Location | undefined): ModelFailure {
  const report = error instanceof CodedError ? error : callFailed(file, error, frame);
  const where = formatLocation(report.location ?? { file });
  return {
    status: 500,
    error: {
      message: `${where}: ${report.message} ${report.hint ?? ''}`.trim(),
      type: 'server_error',
      param: null,
      code: 'script_failed',
    },
    report,
  };
}

function callFailed(file: string, error: unknown, frame: Location | undefined): CodedError {
  const isBadReply = error instanceof BadReplyError;
  return new CodedError({
    code: 'model/script-failed',
    message: isBadReply
      ? `The return value of the script is not a response: ${error.message}.`
      : `The script threw: ${messageOf(error)}`,
    location: isBadReply ? { file } : (frame ?? { file }),
    hint: isBadReply ? `Return ${forms}.` : 'Set a breakpoint there.',
    cause: error,
  });
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? error.name : error.message;
}
